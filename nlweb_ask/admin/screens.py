"""What every screen of this app has: a word on what to do where a list is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from nlweb_ask.admin.sites import site_names, with_site_name
from nlweb_ask.conf.sites import sites

if TYPE_CHECKING:
    Screen = admin.ModelAdmin[models.Model]
else:
    Screen = admin.ModelAdmin


class ListScreen(Screen):
    """A list that says what to do while nothing is in it."""

    change_list_template = "nlweb_ask/admin/change_list.html"
    show_full_result_count = False
    nothing_there: Any = ""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {"nothing_there": self.nothing_there, **(extra_context or {})}
        return super().changelist_view(request, context)


class SiteScreen(ListScreen):
    """Rows of a site each; the site is shown where there can be several."""

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        return with_site_name(super().get_queryset(request))

    @admin.display(description=_("site"), ordering="site_id")
    def site_name(self, row: Any) -> str:
        return row.site_domain or site_names().get(row.site_id, str(row.site_id))

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        columns = list(super().get_list_display(request))
        if sites().several:
            columns.append("site_name")
        return columns


class ReadOnlyScreen(SiteScreen):
    """Rows that the index writes: they are looked at and never edited."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
