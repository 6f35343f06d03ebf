"""How much of a site's budget is used: what its owner is shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Count, Q, Sum
from django.utils.timezone import get_default_timezone

from nlweb_ask.ai import periods
from nlweb_ask.ai.caps import MICROS, BrokenCaps, Cap, Cost, caps_of
from nlweb_ask.ai.periods import Moment
from nlweb_ask.ai.thresholds import THRESHOLDS, Period, told_percent
from nlweb_ask.conf import SiteConf
from nlweb_ask.models import ModelLease, ModelSpending


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What is used of one cap."""

    begins: date
    calls: int
    micros: int
    cap: Cap
    has_turned_away: bool = False  # a call in this period did not fit

    @property
    def is_full(self) -> bool:
        """Say whether not even a call that costs nothing would be made."""
        return not self.cap.admits(Cost(self.calls + 1, self.micros))

    @property
    def cost(self) -> float:
        return self.micros / MICROS

    @property
    def cost_cap(self) -> float | None:
        return None if self.cap.micros is None else self.cap.micros / MICROS

    @property
    def percent(self) -> int:
        """Return how much of the fuller of its two caps is used, rounded down."""
        shares = [_percent(self.calls, self.cap.calls)]
        if self.cap.micros is not None:
            shares.append(_percent(self.micros, self.cap.micros))
        return max(shares)


@dataclass(frozen=True, slots=True)
class SpentHour:
    """The calls of one hour of today, those of the site's own work too."""

    begins: datetime  # in the site's own time zone
    calls: int
    micros: int

    @property
    def label(self) -> str:
        """Return the hour as a clock on the wall shows it: `02:00 UTC+02:00`."""
        return f"{self.begins:%H:%M} {_offset(self.begins)}"

    @property
    def cost(self) -> float:
        return self.micros / MICROS


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The budget of a site right now.

    `day` and `month` are None where it cannot be told: a cap that cannot be read, or a
    count that was lost. No model is asked then.
    """

    is_on: bool
    day: Spent | None = None
    month: Spent | None = None
    hours: tuple[SpentHour, ...] = ()  # those with calls, in order
    under_way: int = 0
    lost: int = 0  # calls of today that were never settled: counted at their worst

    @property
    def is_known(self) -> bool:
        return self.day is not None and self.month is not None

    @property
    def may_ask(self) -> bool:
        """Say whether a model is asked, as far as the day and the month go."""
        full = [spent is None or spent.is_full for spent in (self.day, self.month)]
        return self.is_on and not any(full)


def state_of(conf: SiteConf) -> State:
    """Return the state of a site's budget; three queries."""
    at = periods.now()
    try:
        day_cap, month_cap = caps_of(conf)
    except BrokenCaps:
        return State(is_on=conf.models_enabled)
    row = ModelSpending.objects.filter(pk=conf.site_id).first()
    hours, under_way, lost = _today(conf.site_id, at)
    if row is None and hours:
        return State(is_on=conf.models_enabled)
    return State(
        is_on=conf.models_enabled,
        day=_spent(row, "day", at.day, day_cap),
        month=_spent(row, "month", at.month, month_cap),
        hours=hours,
        under_way=under_way,
        lost=lost,
    )


def _offset(when: datetime) -> str:
    # Where clocks are put back, only this tells two hours apart.
    return f"UTC{when.isoformat()[-6:]}"


def _percent(part: int, whole: int) -> int:
    return part * 100 // whole if whole else 100


def _spent(row: ModelSpending | None, period: Period, begins: date, cap: Cap) -> Spent:
    if row is None or getattr(row, period) < begins:
        return Spent(begins=begins, calls=0, micros=0, cap=cap)
    return Spent(
        begins=getattr(row, period),
        calls=getattr(row, f"{period}_calls"),
        micros=getattr(row, f"{period}_micros"),
        cap=cap,
        has_turned_away=told_percent(row, period, cap) == THRESHOLDS[0],
    )


def _today(site_id: int, at: Moment) -> tuple[tuple[SpentHour, ...], int, int]:
    zone = get_default_timezone()
    midnight = datetime.combine(at.day, datetime.min.time(), tzinfo=zone)
    is_open = Q(settled=False)
    rows = (
        ModelLease.objects.filter(site_id=site_id, hour__gte=int(midnight.timestamp()))
        .values("hour")
        .annotate(
            had=Sum("calls"),
            cost=Sum("micros"),
            under_way=Count("pk", filter=is_open & Q(ends__gte=at.at)),
            lost=Count("pk", filter=is_open & Q(ends__lt=at.at)),
        )
        .order_by("hour")
    )
    found = list(rows)
    hours = tuple(
        SpentHour(datetime.fromtimestamp(row["hour"], zone), row["had"], row["cost"])
        for row in found
    )
    return (
        hours,
        sum(row["under_way"] for row in found),
        sum(row["lost"] for row in found),
    )
