"""Fields that a source names: their values, and the names that its model has not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models

from nlweb_ask.plugins.errors import SourceFault


class MissingField(SourceFault, AttributeError):
    """A source names a field that its model has not."""


def value_of(obj: models.Model, field: str) -> Any:
    """Return what a field, a property or a method of this name holds.

    Raises:
        MissingField: When the object has nothing of this name.
    """
    try:
        return getattr(obj, field)
    except AttributeError as error:
        if hasattr(type(obj), field):
            raise  # a property that fails by itself
        msg = f"{obj._meta.label} has no {field!r}, which its source names."
        raise MissingField(msg) from error


def names_of(model: type[models.Model]) -> Iterator[str]:
    """Yield what may have been meant by a name that `model` has not."""
    yield from (field.name for field in model._meta.get_fields())
    yield from (name for name in vars(model) if not name.startswith("_"))


def has_name(model: type[models.Model], name: str) -> bool:
    if hasattr(model, name) or hasattr(model, "__getattr__"):
        return True
    try:
        model._meta.get_field(name)
    except FieldDoesNotExist:
        return False
    return True
