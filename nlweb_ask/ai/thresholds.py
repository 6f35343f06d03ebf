"""Telling when most of a budget is used: each threshold once, by whoever reaches it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from nlweb_ask.ai.caps import MICROS, Cap, Caps, Cost
from nlweb_ask.ai.periods import Moment
from nlweb_ask.ai.signals import budget_reached
from nlweb_ask.models import ModelSpending

logger = logging.getLogger("nlweb_ask.budget")

# Per cent of a cap, the highest first.
THRESHOLDS: Final = (100, 90, 70)

Period = Literal["day", "month"]
PERIODS: Final[tuple[Period, ...]] = ("day", "month")
Unit = Literal["calls", "micros"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What a site has used of the budget of a day or a month."""

    site_id: int
    period: Period
    begins: date
    calls: int
    micros: int
    cap: Cap

    def percent(self, unit: Unit) -> int:
        """Return the share of the cap that is used, rounded down; 0 without a cap."""
        cap = getattr(self.cap, unit)
        if cap is None:
            return 0
        return 100 if not cap else int(getattr(self, unit)) * 100 // cap

    def has_room_for(self, cost: Cost) -> bool:
        calls, micros = self.calls + cost.calls, self.micros + (cost.micros or 0)
        return self.cap.admits(Cost(calls, micros))


@dataclass(frozen=True, slots=True)
class Reached:
    """A threshold that has been reached, and that nobody has been told of before."""

    used: Used
    percent: int


def used(row: ModelSpending, caps: Caps, at: Moment) -> list[Used]:
    """Return what `row` counts for the day and the month of `at`."""
    return [
        Used(
            site_id=row.site_id,
            period=period,
            begins=getattr(row, period),
            calls=getattr(row, f"{period}_calls"),
            micros=getattr(row, f"{period}_micros"),
            cap=getattr(caps, period),
        )
        for period in PERIODS
        if getattr(row, period) >= getattr(at, period)
    ]


def passed(
    alias: str, row: ModelSpending, caps: Caps, at: Moment, unit: Unit
) -> list[Reached]:
    """Note the thresholds that `row` has reached in this unit, for `announce`.

    Calls are looked at when one is taken. Cost is looked at when a call is settled: until
    then it is counted at its worst case, of which most comes back.
    """
    return [
        Reached(one, percent)
        for one in used(row, caps, at)
        if (percent := _threshold(one.percent(unit)))
        and _is_first(alias, row, one, percent)
    ]


def refused(
    alias: str, row: ModelSpending, caps: Caps, at: Moment, periods: Iterable[Period]
) -> list[Reached]:
    """Note that a cap has turned a call away: all of it is used that can be."""
    return [
        Reached(one, THRESHOLDS[0])
        for one in used(row, caps, at)
        if one.period in periods and _is_first(alias, row, one, THRESHOLDS[0])
    ]


def told_percent(row: ModelSpending, period: Period, cap: Cap) -> int:
    """Return the highest threshold of this cap that has been told; 0 for none.

    Of another cap it says nothing: who has raised one is told again.
    """
    caps, _colon, percent = getattr(row, f"{period}_told").partition(":")
    return int(percent) if caps == _named(cap) and percent.isdecimal() else 0


def announce(reached: Iterable[Reached]) -> None:
    """Log and send the signal; call it when the count is committed.

    A receiver that raises is logged by Django, and the others are told all the same.
    """
    for one in reached:
        told = dict(_told(one))
        cap = told["cost_cap"]
        logger.warning(
            "budget: site=%(site_id)d period=%(period)s begins=%(begins)s"
            " percent=%(percent)d calls=%(calls)d of %(calls_cap)d"
            " cost=%(cost).4f of %(cost_limit)s",
            {**told, "cost_limit": "no cap" if cap is None else f"{cap:g}"},
        )
        budget_reached.send_robust(sender=ModelSpending, **told)


def _threshold(percent: int) -> int:
    return next((limit for limit in THRESHOLDS if percent >= limit), 0)


def _is_first(alias: str, row: ModelSpending, one: Used, percent: int) -> bool:
    """Mark a threshold as told; False where it was, or somebody else is just doing it."""
    if told_percent(row, one.period, one.cap) >= percent:
        return False
    column = f"{one.period}_told"
    same = {"pk": row.pk, one.period: one.begins, column: getattr(row, column)}
    rows = ModelSpending.objects.using(alias).filter(**same)
    return bool(rows.update(**{column: f"{_named(one.cap)}:{percent}"}))


def _named(cap: Cap) -> str:
    return f"{cap.calls}/{cap.micros or 0}"


def _told(one: Reached) -> Iterator[tuple[str, object]]:
    spent, cap = one.used, one.used.cap
    yield "site_id", spent.site_id
    yield "period", spent.period
    yield "begins", spent.begins
    yield "percent", one.percent
    yield "calls", spent.calls
    yield "calls_cap", cap.calls
    yield "cost", spent.micros / MICROS
    yield "cost_cap", None if cap.micros is None else cap.micros / MICROS
