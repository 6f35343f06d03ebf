"""What the index holds, and what it could not take in; to be looked at only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db import models
from django.db.models import Q
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from nlweb_ask.admin.screens import ReadOnlyScreen
from nlweb_ask.models import Document, IndexFailure

RUN_INDEX = _("Run “python manage.py nlweb_index” on the server.")


@admin.register(Document)
class DocumentAdmin(ReadOnlyScreen):
    """Pages by what identifies them.

    Who may open this list need not be among those who may see a restricted page, so
    nothing that such a page says is shown or searched: no name, no address, no text.
    """

    list_display = [
        "object_id",
        "shown_name",
        "source",
        "language",
        "public",
        "refreshed_at",
    ]
    list_filter = ["public", "source", "language"]
    search_fields = ["object_id"]
    search_help_text = _("Searches object ids, and names of public pages.")
    date_hierarchy = "refreshed_at"
    ordering = ["source", "object_id", "language"]
    fields = [
        "site_name",
        "source",
        "object_id",
        "language",
        "part",
        "version",
        "public",
        "indexed",
        "shown_name",
        "shown_address",
        "refreshed_at",
    ]
    nothing_there = _("Nothing is indexed.") + " " + RUN_INDEX

    @admin.display(description=_("name"))
    def shown_name(self, document: Document) -> Any:
        return document.name if document.public else _("(restricted)")

    @admin.display(description=_("address"))
    def shown_address(self, document: Document) -> Any:
        return document.url if document.public else _("(restricted)")

    def get_search_results(
        self, request: HttpRequest, queryset: models.QuerySet[Any], search_term: str
    ) -> tuple[models.QuerySet[Any], bool]:
        by_id, may_repeat = super().get_search_results(request, queryset, search_term)
        if search_term:
            by_id |= queryset.filter(Q(public=True, name__icontains=search_term))
        return by_id, may_repeat


@admin.register(IndexFailure)
class IndexFailureAdmin(ReadOnlyScreen):
    list_display = ["object_id", "source", "reason", "created"]
    list_filter = ["source"]
    search_fields = ["object_id", "reason"]
    date_hierarchy = "created"
    ordering = ["-created"]
    fields = ["site_name", "source", "object_id", "reason", "created"]
    nothing_there = _("Every page that was offered could be indexed.")
