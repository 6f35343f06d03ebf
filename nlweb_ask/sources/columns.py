"""The columns of rows as the database holds them, for stamps that stay where they do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import models
from django.db.models import Expression, ExpressionWrapper, F
from django.db.models.functions import Cast

Column = str | Expression


def stored(fields: Iterable[Any]) -> list[Column]:
    """Return what to give to `values_list()` for these fields, in their order.

    A field that makes objects of what it reads may make other ones each time: their
    `repr` may hold an address in memory, and what they are written back as need not be
    what was read, as with words that are encrypted. So its column is read past it.

    Of `infinity`, or a day that no calendar has, a driver makes an error that ends the
    query for all other rows. So dates are read as the database writes them.
    """
    return [_stored(field) for field in fields]


def _stored(field: Any) -> Column:
    if isinstance(field, models.DateField):
        return Cast(field.attname, models.TextField())
    if hasattr(field, "from_db_value"):
        return ExpressionWrapper(F(field.attname), output_field=models.TextField())
    return str(field.attname)
