"""Grants: who may ask which profile."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.exceptions import NotRegistered
from django.contrib.admin.widgets import ForeignKeyRawIdWidget
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from nlweb_ask.admin.screens import ListScreen
from nlweb_ask.models import AccessGrant


@admin.register(AccessGrant)
class AccessGrantAdmin(ListScreen):
    list_display = ["whom", "what"]
    list_filter = ["kind", "profile"]
    list_select_related = ["profile", "group", "user"]
    fields = ["kind", "group", "user", "profile"]
    nothing_there = _(
        "Nobody may ask anything. Add a grant to everyone, to whoever is signed in, to a"
        " group or to a user."
    )

    @admin.display(description=_("who"))
    def whom(self, grant: AccessGrant) -> Any:
        named = grant.group or grant.user
        if named is None:
            return grant.get_kind_display()
        return f"{grant.get_kind_display()}: {named}"

    @admin.display(description=_("may ask"))
    def what(self, grant: AccessGrant) -> Any:
        return grant.profile or _("every profile")

    def get_autocomplete_fields(self, request: HttpRequest) -> list[str]:
        """Search for people where their own screen can; a list may have thousands."""
        return [name for name in ("group", "user") if self._is_searchable(name)]

    def _is_searchable(self, name: str) -> bool:
        related = cast("type[models.Model]", self.opts.get_field(name).related_model)
        try:
            screen = self.admin_site.get_model_admin(related)
        except NotRegistered:
            return False
        return bool(screen.search_fields)

    def formfield_for_foreignkey(
        self, db_field: models.ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> Any:
        if db_field.name == "user" and not self._is_searchable("user"):
            kwargs["widget"] = ForeignKeyRawIdWidget(
                db_field.remote_field, self.admin_site
            )
        if db_field.name == "profile":
            kwargs["empty_label"] = _("every profile")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)
