"""Pages that an authentication backend judges one by one, such as django-rules does."""

from __future__ import annotations

from typing import Any

from django.db import models

from nlweb_ask.plugins.types import Viewer
from nlweb_ask.sources.model import BATCH
from nlweb_ask.sources.model_permission import PagePermissionSource
from nlweb_ask.sources.viewers import asking_user


class ObjectPermissionSource(PagePermissionSource):
    """A model whose pages are judged by `user.has_perm(permission, page)`, each by itself.

    Costly: one query loads the pages that are asked about, and each is judged by every
    backend in turn. Where one queryset can say who may see what, write that instead.
    There is no bound on how many are judged: a caller could read off it how many hidden
    pages stand before one that is shown.
    """

    def visible_to(
        self, viewer: Viewer, queryset: models.QuerySet[Any]
    ) -> models.QuerySet[Any]:
        has_perm = getattr(asking_user(viewer), "has_perm", None)
        if has_perm is None:
            return queryset.none()
        permission = self.asked_permission()
        allowed = {
            page.pk for page in queryset.iterator(BATCH) if has_perm(permission, page)
        }
        return queryset.filter(pk__in=allowed)
