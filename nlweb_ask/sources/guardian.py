"""Pages that django-guardian's rows allow one by one."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from nlweb_ask.plugins.types import Viewer
from nlweb_ask.sources.model_permission import PagePermissionSource
from nlweb_ask.sources.viewers import asking_user


class GuardianSource(PagePermissionSource):
    """A model whose pages are for users and groups that django-guardian has rows for.

    One query for all pages, whoever asks. A visitor who is not signed in is guardian's
    anonymous user, whose row it looks up first, unless its
    `GUARDIAN_ANONYMOUS_USER_CACHE_TTL` keeps it.
    """

    needs_app: ClassVar[str] = "guardian"

    # Whether who holds the permission on the whole model sees every page.
    accept_global_perms: bool = False

    def visible_to(
        self, viewer: Viewer, queryset: models.QuerySet[Any]
    ) -> models.QuerySet[Any]:
        from guardian.conf import settings as guardian_settings
        from guardian.shortcuts import get_objects_for_user

        user = asking_user(viewer)
        if user.is_anonymous and guardian_settings.ANONYMOUS_USER_NAME is None:
            return queryset.none()
        allowed: models.QuerySet[Any] = get_objects_for_user(
            user,
            # With the label of its app, guardian would ask which model has it.
            self.asked_permission().rpartition(".")[2],
            klass=queryset,
            accept_global_perms=self.accept_global_perms,
        )
        return allowed
