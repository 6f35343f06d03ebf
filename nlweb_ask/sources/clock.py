"""Which objects of a model the clock has turned: opened, or closed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any, Final, cast

from django.db import models
from django.db.models import Q
from django.utils import timezone

DAY: Final = timedelta(days=1)


def turned(
    model: type[models.Model],
    clock_fields: Iterable[str],
    since: datetime,
    now: datetime,
) -> list[str]:
    """Return the ids of rows with one of these dates after `since` and up to `now`.

    All rows of the table are looked at, also those that are not offered yet; one query.
    """
    due = Q()
    for path in clock_fields:
        due |= Q(**{f"{path}__range": _span(field_of(model, path), since, now)})
    if not due:
        return []
    rows = model._base_manager.filter(due).order_by().values_list("pk", flat=True)
    return sorted({str(key) for key in rows})


def field_of(model: type[models.Model], path: str) -> models.Field[Any, Any]:
    """Return the field at the end of a path such as `parent__expires`.

    Raises:
        FieldDoesNotExist: When there is none.
    """
    name, _, rest = path.partition("__")
    field = model._meta.get_field(name)
    if rest and field.related_model:
        return field_of(field.related_model, rest)
    return cast("models.Field[Any, Any]", field)


def _span(
    field: models.Field[Any, Any], since: datetime, now: datetime
) -> tuple[date, date]:
    if isinstance(field, models.DateTimeField):
        return since, now
    # A page may be there until the end of its last day, so it turns a day later.
    return _day(since) - DAY, _day(now)


def _day(moment: datetime) -> date:
    return timezone.localdate(moment) if timezone.is_aware(moment) else moment.date()
