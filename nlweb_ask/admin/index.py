"""What the index holds, and what it could not take in; to be looked at only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _

from nlweb_ask.admin.screens import ReadOnlyScreen
from nlweb_ask.admin.seen import seen_by_user
from nlweb_ask.admin.vectors import vector_lines
from nlweb_ask.models import Document, IndexFailure

RUN_INDEX = _("Run “python manage.py nlweb_index” on the server.")


@admin.register(Document)
class DocumentAdmin(ReadOnlyScreen):
    """Pages by what identifies them.

    Who may open this list need not be among those who may see a restricted page, so
    nothing that such a page says is searched, sorted by or shown. The `public` column
    may be out of date: whether this user may see a page is asked when its name is
    shown, a superuser like anybody else.
    """

    list_display = [
        "object_id",
        "shown_name",
        "source",
        "language",
        "public",
        "refreshed",
    ]
    list_filter = ["public", "source", "language"]
    search_fields = ["object_id"]
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

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Ask once about the whole page which of its documents this user may see."""
        changelist = super().get_changelist_instance(request)
        seen = seen_by_user(request, changelist.result_list)
        documents: Iterable[Any] = changelist.result_list
        for document in documents:
            document.seen_by_user = document.pk in seen
        return changelist

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {"vector_lines": vector_lines(), **(extra_context or {})}
        return super().changelist_view(request, context)

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Any:
        document: Any = super().get_object(request, object_id, from_field)
        if document is not None:
            document.seen_by_user = document.pk in seen_by_user(request, [document])
        return document

    @admin.display(description=_("name"))
    def shown_name(self, document: Any) -> Any:
        return document.name if document.seen_by_user else _("(restricted)")

    @admin.display(description=_("address"))
    def shown_address(self, document: Any) -> Any:
        return document.url if document.seen_by_user else _("(restricted)")

    @admin.display(description=_("refreshed"), ordering="refreshed_at")
    def refreshed(self, document: Document) -> str | None:
        when = document.refreshed_at
        if when is None:
            return None
        return date_format(localtime(when), "SHORT_DATETIME_FORMAT")


@admin.register(IndexFailure)
class IndexFailureAdmin(ReadOnlyScreen):
    list_display = ["object_id", "source", "reason", "created"]
    list_filter = ["source"]
    search_fields = ["object_id", "reason"]
    date_hierarchy = "created"
    ordering = ["-created"]
    fields = ["site_name", "source", "object_id", "reason", "created"]
    nothing_there = _("Every page that was offered could be indexed.")
