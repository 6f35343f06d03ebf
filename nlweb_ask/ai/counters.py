"""The rows that count: each is moved by one conditional UPDATE, never read and written.

So two processes that ask at the same moment cannot both take what is left: the database
lets the second look again when the first is done. A condition that meets a value that
cannot be meant, such as NULL, a text or a number below zero, does not hold.

The row of a site counts for several periods at once, and the ORM takes far longer to put
those statements together than a database to run them. So they are written here, once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import lru_cache
from typing import Any, Final

from django.db import connections, models
from django.db.models import F

from nlweb_ask.ai.caps import Cap, Caps, Cost
from nlweb_ask.ai.periods import Moment
from nlweb_ask.models import ModelLease, ModelSpending, VisitorSpending

# Which columns count for a period: those of a later one begin at nothing.
_PERIODS: Final[Mapping[str, tuple[str, ...]]] = {
    "day": ("day", "anonymous"),
    "month": ("month",),
    "hour": ("hour",),
}
_GROUPS: Final = [(p, group) for p, groups in _PERIODS.items() for group in groups]
_TOLD: Final = ("day", "month")
_NOTHING: Final = Cost(0, 0)
_UNLIMITED: Final = 2**63 - 1  # what the columns hold at most


class Missing(Exception):
    """A site has called models, and the row that counted it is gone."""


def take_of_site(
    alias: str, site_id: int, at: Moment, worst: Mapping[str, Cost], caps: Caps
) -> bool:
    """Count the cost of each group of `worst` if all of them fit, else none.

    A row whose period is later than that of `at` was counted by a clock that is
    ahead: the call counts there, so that clocks that differ open no second budget.
    """
    begun = _begun(alias, at)
    values: list[Any] = []
    for period, group in _GROUPS:
        for amount in _units(worst.get(group, _NOTHING)):
            values += [begun[period], amount, amount]
    values += [begun[period] for period in _TOLD]
    for period in _PERIODS:
        values += [begun[period], begun[period]]
    values += _limits(alias, site_id, at, worst, caps)
    return _moved(alias, _taking(alias), values)


def site_has_room(
    alias: str, site_id: int, at: Moment, worst: Mapping[str, Cost], caps: Caps
) -> bool:
    """Say whether `take_of_site` would count now; nothing can be built on a yes."""
    values = _limits(alias, site_id, at, worst, caps)
    with connections[alias].cursor() as cursor:
        cursor.execute(_looking(alias), values)
        return cursor.fetchone() is not None


def give_back_to_site(
    alias: str, site_id: int, at: Moment, rest: Mapping[str, Cost]
) -> None:
    """Take `rest` from the counts, in those periods that are still the same."""
    begun = _begun(alias, at)
    values: list[Any] = []
    for period, group in _GROUPS:
        for amount in _units(rest.get(group, _NOTHING)):
            values += [begun[period], amount, amount]
    _moved(alias, _giving_back(alias), [*values, site_id])


def take_of_visitor(
    alias: str, site_id: int, day: date, visitor: str, worst: Cost, cap: Cap
) -> bool:
    rows = _with_room(alias, site_id, day, visitor, worst, cap)
    return bool(
        rows.update(calls=F("calls") + worst.calls, micros=F("micros") + _micros(worst))
    )


def visitor_has_room(
    alias: str, site_id: int, day: date, visitor: str, worst: Cost, cap: Cap
) -> bool:
    """Say whether `take_of_visitor` would count now; nothing can be built on a yes."""
    return _with_room(alias, site_id, day, visitor, worst, cap).exists()


def give_back_to_visitor(
    alias: str, site_id: int, day: date, visitor: str, rest: Cost
) -> None:
    _visitor(alias, site_id, day, visitor).filter(
        calls__gte=rest.calls, micros__gte=_micros(rest)
    ).update(calls=F("calls") - rest.calls, micros=F("micros") - _micros(rest))


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


def make_visitor(alias: str, site_id: int, day: date, visitor: str) -> None:
    """Begin the row of a visitor, where there is none today."""
    row = VisitorSpending(site_id=site_id, day=day, visitor=visitor)
    VisitorSpending.objects.using(alias).bulk_create([row], ignore_conflicts=True)


def _with_room(
    alias: str, site_id: int, day: date, visitor: str, worst: Cost, cap: Cap
) -> models.QuerySet[VisitorSpending]:
    calls, micros = _room(cap, worst)
    return _visitor(alias, site_id, day, visitor).filter(
        calls__range=(0, calls), micros__range=(0, micros)
    )


def has_visitor(alias: str, site_id: int, day: date, visitor: str) -> bool:
    return _visitor(alias, site_id, day, visitor).exists()


def _visitor(
    alias: str, site_id: int, day: date, visitor: str
) -> models.QuerySet[VisitorSpending]:
    rows = VisitorSpending.objects.using(alias)
    return rows.filter(site_id=site_id, day=day, visitor=visitor)


def _limits(
    alias: str, site_id: int, at: Moment, worst: Mapping[str, Cost], caps: Caps
) -> list[Any]:
    begun, values = _begun(alias, at), [site_id]
    for period, group in _GROUPS:
        cap = getattr(caps, group) if group in worst else Cap(_UNLIMITED, None)
        values += [begun[period], *_room(cap, worst.get(group, _NOTHING))]
    return values


def _room(cap: Cap, cost: Cost) -> tuple[int, int]:
    """Return what may have been used already where `cost` is still to fit."""
    micros = _UNLIMITED if cap.micros is None else cap.micros
    return cap.calls - cost.calls, micros - _micros(cost)


def _units(cost: Cost) -> tuple[int, int]:
    return cost.calls, _micros(cost)


def _micros(cost: Cost) -> int:
    return cost.micros or 0


def _begun(alias: str, at: Moment) -> dict[str, Any]:
    """Return when each period began, as the database keeps it."""
    adapt = connections[alias].ops.adapt_datefield_value
    return {"day": adapt(at.day), "month": adapt(at.month), "hour": at.hour}


def _moved(alias: str, statement: str, values: list[Any]) -> bool:
    with connections[alias].cursor() as cursor:
        cursor.execute(statement, values)
        return bool(cursor.rowcount)


# In all statements the names are Django's own, quoted; every value is a parameter.


@lru_cache
def _taking(alias: str) -> str:
    name = connections[alias].ops.quote_name
    counted = [
        f"{column} = CASE WHEN {name(period)} < %s THEN %s ELSE {column} + %s END"
        for period, column in _counters(alias)
    ]
    told = [
        f"{column} = CASE WHEN {name(period)} < %s THEN '' ELSE {column} END"
        for period, column in ((period, name(f"{period}_told")) for period in _TOLD)
    ]
    begun = [
        f"{period} = CASE WHEN {period} < %s THEN %s ELSE {period} END"
        for period in map(name, _PERIODS)
    ]
    # The periods last: MariaDB reads a column that was set before as it is by then.
    moved = [*counted, *told, *begun]
    return f"{_update(alias, moved)} AND {_fits(alias)}"


@lru_cache
def _looking(alias: str) -> str:
    table = connections[alias].ops.quote_name(ModelSpending._meta.db_table)
    return f"SELECT 1 FROM {table} WHERE site_id = %s AND {_fits(alias)}"  # noqa: S608


def _fits(alias: str) -> str:
    name = connections[alias].ops.quote_name
    return " AND ".join(
        f"({name(period)} < %s OR ({name(f'{group}_calls')} BETWEEN 0 AND %s"
        f" AND {name(f'{group}_micros')} BETWEEN 0 AND %s))"
        for period, group in _GROUPS
    )


@lru_cache
def _giving_back(alias: str) -> str:
    name = connections[alias].ops.quote_name
    return _update(
        alias,
        [
            f"{column} = CASE WHEN {name(period)} = %s AND {column} >= %s"
            f" THEN {column} - %s ELSE {column} END"
            for period, column in _counters(alias)
        ],
    )


def _update(alias: str, moved: list[str]) -> str:
    table = connections[alias].ops.quote_name(ModelSpending._meta.db_table)
    return f"UPDATE {table} SET {', '.join(moved)} WHERE site_id = %s"  # noqa: S608


def _counters(alias: str) -> Iterator[tuple[str, str]]:
    name = connections[alias].ops.quote_name
    for period, group in _GROUPS:
        for unit in ("calls", "micros"):
            yield period, name(f"{group}_{unit}")
