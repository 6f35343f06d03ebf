"""Django's flat pages, on the sites that they are chosen for."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.http import escape_leading_slashes

from nlweb_ask.plugins import Viewer
from nlweb_ask.sources.model import ModelSource
from nlweb_ask.sources.viewers import asking_user


class FlatpagesSource(ModelSource):
    """Every flat page that is on a site; some are for whoever has signed in.

    A project that wants it otherwise registers a subclass in its `nlweb_sources.py`,
    which takes the place of this one.
    """

    name = "flatpages"
    schema_type = "WebPage"
    name_field = "title"
    text_fields = ("content",)
    html_fields = ("title", "content")  # Django writes both unescaped
    site_field = "sites"

    def get_queryset(self) -> models.QuerySet[Any]:
        from django.contrib.flatpages.models import FlatPage

        # No default site: a flat page that is on none is nowhere to be seen.
        on_a_site = FlatPage.sites.through.objects.values("flatpage")
        pages = super().get_queryset().filter(pk__in=on_a_site)
        return pages.prefetch_related("sites")

    def visible_to(
        self, viewer: Viewer, queryset: models.QuerySet[Any]
    ) -> models.QuerySet[Any]:
        if asking_user(viewer).is_authenticated:
            return queryset
        return queryset.filter(registration_required=False)

    def _on_site(
        self, site_id: int, rows: models.QuerySet[Any]
    ) -> models.QuerySet[Any]:
        # Each is on some site, so which is the default one need not be looked up.
        return rows.filter(sites=site_id)

    def url(self, obj: Any) -> str:
        # "//name/" is a path of the site there, and another host in a link.
        return escape_leading_slashes(str(obj.get_absolute_url()))
