"""The rows by which django-guardian lets people see single pages, where it is installed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import models


def guardian_models(model: type[models.Model] | None) -> tuple[type[models.Model], ...]:
    """Return the models of the rows that decide about pages of `model`.

    The general ones, those that a site has made for this model alone, and who is in
    which group: what visitors may see is what guardian's anonymous user may.
    """
    if not apps.is_installed("guardian"):
        return ()
    from guardian.utils import get_group_obj_perms_model, get_user_obj_perms_model

    of_rows = [
        find(*of_model)
        for find in (get_user_obj_perms_model, get_group_obj_perms_model)
        for of_model in ((), (model,) if model else ())
    ]
    groups = getattr(get_user_model(), "groups", None)
    members = [groups.through] if groups else []
    return tuple(dict.fromkeys([*of_rows, *members]))


def pages_of_row(model: type[models.Model], row: Any) -> Iterable[object] | None:
    """Return the keys of the pages of `model` that a row decides about; None = all."""
    from django.contrib.contenttypes.models import ContentType

    if isinstance(row, get_user_model()):
        return None if _is_anonymous(row) else ()
    if hasattr(row, "object_pk"):
        ours = ContentType.objects.get_for_model(model)
        return [row.object_pk] if row.content_type_id == ours.pk else ()
    return [row.content_object_id] if hasattr(row, "content_object_id") else None


def _is_anonymous(user: Any) -> bool:
    from guardian.conf import settings

    return bool(user.get_username() == settings.ANONYMOUS_USER_NAME)
