"""Pages for those who hold one of Django's permissions on all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth import get_permission_codename, get_user_model
from django.db import models

from nlweb_ask.plugins.types import Viewer
from nlweb_ask.sources.guardian_rows import guardian_models, pages_of_row
from nlweb_ask.sources.model import ModelSource
from nlweb_ask.sources.viewers import asking_user


class PermissionSource(ModelSource):
    """What sources that ask about a permission have in common: which one."""

    permission: str = ""  # "app_label.codename"; empty = to view the model

    @classmethod
    def watched_rights(cls) -> Sequence[type[Any] | str]:
        """Return the models whose rows say who holds a permission; besides `watch`.

        What visitors who are not signed in may see hangs on these only where a backend
        lets them have permissions; then it must be followed.
        """
        return ("auth.Group", "auth.Permission")

    def affected_by_right(self, instance: Any) -> Iterable[object] | None:
        """Return the ids of the objects that a row of these decides about; None = all."""
        from django.contrib.auth.models import Permission

        if not isinstance(instance, Permission):
            return None
        of_ours = instance.codename == self.asked_permission().rpartition(".")[2]
        return None if of_ours else ()

    @classmethod
    def asked_permission(cls) -> str:
        options = cls.model._meta
        view = f"{options.app_label}.{get_permission_codename('view', options)}"
        return cls.permission or view


class PagePermissionSource(PermissionSource):
    """What sources that ask about single pages have in common: guardian's rows."""

    @classmethod
    def watched_rights(cls) -> Sequence[type[Any] | str]:
        model = getattr(cls, "model", None)
        return (*super().watched_rights(), *guardian_models(model))

    def affected_by_right(self, instance: Any) -> Iterable[object] | None:
        of_guardian = guardian_models(self.model)
        if of_guardian and isinstance(instance, (*of_guardian, get_user_model())):
            return pages_of_row(self.model, instance)
        return super().affected_by_right(instance)


class ModelPermissionSource(PermissionSource):
    """A model whose pages are for those who hold a permission, on each page alike.

    The permission is asked for once for all pages. Visitors who are not signed in are
    asked for too, as Django does it: a backend may let them in.
    """

    def visible_to(
        self, viewer: Viewer, queryset: models.QuerySet[Any]
    ) -> models.QuerySet[Any]:
        # A site's own user model need not know of permissions; then nobody holds one.
        has_perm = getattr(asking_user(viewer), "has_perm", None)
        # Asked without an object: with one, ModelBackend refuses everybody.
        granted = has_perm and has_perm(self.asked_permission())
        return queryset if granted else queryset.none()
