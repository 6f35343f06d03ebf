"""The endpoints, relative to where the site mounts them."""

from __future__ import annotations

from django.urls.resolvers import URLPattern

app_name = "nlweb_ask"

urlpatterns: list[URLPattern] = []
