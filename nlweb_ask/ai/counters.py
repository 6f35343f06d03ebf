"""The rows that count: each is moved by one conditional UPDATE, never read and written.

So two processes that ask at the same moment cannot both take what is left: the database
lets the second look again when the first is done. A condition that meets a value that
cannot be meant, such as NULL, a text or a number below zero, does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from django.db import models
from django.db.models import Case, F, Q, Value, When

from nlweb_ask.ai.caps import Cap, Caps, Cost
from nlweb_ask.ai.periods import Moment
from nlweb_ask.models import ModelLease, ModelSpending, VisitorSpending


class Missing(Exception):
    """A site has called models, and the row that counted it is gone."""


# Which columns count for a period: those of a later one begin at nothing.
_PERIODS: Final[Mapping[str, tuple[str, ...]]] = {
    "day": ("day", "anonymous"),
    "month": ("month",),
    "hour": ("hour",),
}


def take_of_site(
    alias: str, site_id: int, at: Moment, worst: Mapping[str, Cost], caps: Caps
) -> bool:
    """Count the cost of each group of `worst` if all of them fit, else none.

    A row whose period is later than that of `at` was counted by a clock that is
    ahead: the call counts there, so that clocks that differ open no second budget.
    """
    rows = ModelSpending.objects.using(alias).filter(pk=site_id)
    for group, cost in worst.items():
        rows = rows.filter(_has_room(group, at, cost, getattr(caps, group)))
    moved: dict[str, Any] = {}
    for groups in _PERIODS.values():
        for group in groups:
            moved |= _counted(group, at, worst.get(group, Cost(0, 0)))
    for period in ("day", "month"):
        moved[f"{period}_told"] = _anew(period, at, f"{period}_told", Value(""))
    # Last: MariaDB reads a column that has been set above as it is by then.
    for period in _PERIODS:
        field: Any = ModelSpending._meta.get_field(period)
        begun = Value(getattr(at, period), output_field=field)
        moved[period] = _anew(period, at, period, begun)
    return bool(rows.update(**moved))


def give_back_to_site(
    alias: str, site_id: int, at: Moment, rest: Mapping[str, Cost]
) -> None:
    """Take `rest` from the counts, in those periods that are still the same."""
    moved = {
        f"{group}_{unit}": _lessened(group, unit, at, amount)
        for group, cost in rest.items()
        for unit, amount in _units(cost).items()
    }
    ModelSpending.objects.using(alias).filter(pk=site_id).update(**moved)


def take_of_visitor(
    alias: str, site_id: int, day: date, visitor: str, worst: Cost, cap: Cap
) -> bool:
    rows = _visitor(alias, site_id, day, visitor).filter(_fits("", worst, cap))
    return bool(
        rows.update(calls=F("calls") + worst.calls, micros=F("micros") + _known(worst))
    )


def give_back_to_visitor(
    alias: str, site_id: int, day: date, visitor: str, rest: Cost
) -> None:
    _visitor(alias, site_id, day, visitor).filter(
        calls__gte=rest.calls, micros__gte=_known(rest)
    ).update(calls=F("calls") - rest.calls, micros=F("micros") - _known(rest))


def made_site(alias: str, site_id: int, at: Moment) -> ModelSpending | None:
    """Return the row of a site, or None where it was not there and is begun.

    Raises:
        Missing: When there are leases and no row: nobody knows what has been spent.
    """
    # In this order: the row of a site stands before its first lease does.
    has_leases = ModelLease.objects.using(alias).filter(site_id=site_id).exists()
    rows = ModelSpending.objects.using(alias)
    if row := rows.filter(pk=site_id).first():
        return row
    if has_leases:
        raise Missing
    row = ModelSpending(site_id=site_id, day=at.day, month=at.month, hour=at.hour)
    rows.bulk_create([row], ignore_conflicts=True)
    return None


def make_visitor(alias: str, site_id: int, day: date, visitor: str) -> bool:
    """Begin the row of a visitor who has none today; say whether it is new."""
    if _visitor(alias, site_id, day, visitor).exists():
        return False
    row = VisitorSpending(site_id=site_id, day=day, visitor=visitor)
    VisitorSpending.objects.using(alias).bulk_create([row], ignore_conflicts=True)
    return True


def _visitor(
    alias: str, site_id: int, day: date, visitor: str
) -> models.QuerySet[VisitorSpending]:
    rows = VisitorSpending.objects.using(alias)
    return rows.filter(site_id=site_id, day=day, visitor=visitor)


def _period_of(group: str) -> str:
    return next(period for period, groups in _PERIODS.items() if group in groups)


def _has_room(group: str, at: Moment, cost: Cost, cap: Cap) -> Q:
    period = _period_of(group)
    is_over = Q(**{f"{period}__lt": getattr(at, period)})
    return is_over | _fits(f"{group}_", cost, cap)


def _fits(prefix: str, cost: Cost, cap: Cap) -> Q:
    calls = Q(**{f"{prefix}calls__range": (0, cap.calls - cost.calls)})
    if cap.micros is None:
        return calls & Q(**{f"{prefix}micros__gte": 0})
    return calls & Q(**{f"{prefix}micros__range": (0, cap.micros - _known(cost))})


def _counted(group: str, at: Moment, cost: Cost) -> dict[str, Any]:
    period = _period_of(group)
    is_over = {f"{period}__lt": getattr(at, period)}
    return {
        f"{group}_{unit}": Case(
            When(**is_over, then=Value(amount)),
            default=F(f"{group}_{unit}") + amount,
            output_field=models.BigIntegerField(),
        )
        for unit, amount in _units(cost).items()
    }


def _anew(period: str, at: Moment, column: str, value: Value) -> Case:
    """Return `value` where the period of a row is over, else what `column` holds."""
    is_over = {f"{period}__lt": getattr(at, period)}
    return Case(When(**is_over, then=value), default=F(column))


def _lessened(group: str, unit: str, at: Moment, amount: int) -> Case:
    period, column = _period_of(group), f"{group}_{unit}"
    is_same = {period: getattr(at, period), f"{column}__gte": amount}
    return Case(
        When(**is_same, then=F(column) - amount),
        default=F(column),
        output_field=models.BigIntegerField(),
    )


def _units(cost: Cost) -> dict[str, int]:
    return {"calls": cost.calls, "micros": _known(cost)}


def _known(cost: Cost) -> int:
    return cost.micros or 0
