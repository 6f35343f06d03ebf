"""Object ids as text, and the primary keys they stand for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models


def readable_keys(model: type[models.Model], object_ids: Iterable[str]) -> list[Any]:
    """Return the keys of `object_ids` in order; an id that is none is left out.

    Only the form that `str(key)` gives is an id: `01` and ` 1` are not object 1.
    """
    field = _key_field(model)
    keys = (_key(field, object_id) for object_id in object_ids)
    return [key for key in keys if key is not None]


def _key_field(model: type[models.Model]) -> models.Field[Any, Any]:
    field: Any = model._meta.pk
    while field.remote_field:  # a child table's key is a link to its parent's
        field = field.target_field
    return field  # type: ignore[no-any-return]


def _key(field: models.Field[Any, Any], object_id: str) -> Any:
    try:
        key = field.to_python(object_id)
        # Out of the column's range, the database would refuse the whole query.
        field.run_validators(key)
    except (ValidationError, ValueError, OverflowError):
        return None
    return key if str(key) == object_id and "\x00" not in object_id else None
