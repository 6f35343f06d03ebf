"""The endpoints, relative to where the site mounts them."""

from __future__ import annotations

from django.urls import path
from django.urls.resolvers import URLPattern

from nlweb_ask.web.pages import result_page
from nlweb_ask.web.views import AskView, AwaitView

app_name = "nlweb_ask"

urlpatterns: list[URLPattern] = [
    path("ask", AskView.as_view(), name="ask"),
    path("await", AwaitView.as_view(), name="await"),
    path("ask/results/", result_page, name="page"),
]
