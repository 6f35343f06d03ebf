"""How much of a site's budget is used: what its owner is shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final, Literal

from django.db.models import Count, Q, Sum
from django.utils.formats import number_format
from django.utils.timezone import get_default_timezone
from django.utils.translation import gettext as _

from nlweb_ask.ai import periods
from nlweb_ask.ai.caps import MICROS, BrokenCaps, Cap, Caps, Cost, caps_for
from nlweb_ask.ai.periods import Moment
from nlweb_ask.ai.pricing import full_call
from nlweb_ask.ai.providers import LanguageModel, language_model
from nlweb_ask.ai.thresholds import PERIODS, THRESHOLDS, told_percent
from nlweb_ask.conf import SiteConf, deployment
from nlweb_ask.models import ModelLease, ModelSpending

FREE_CALL: Final = Cost(calls=1, micros=0)

Group = Literal["day", "month", "hour", "anonymous"]
# What holds right now; the first that applies.
Standing = Literal[
    "off",
    "no_model",  # none is set up
    "unknown_model",  # none of the label that the settings name
    "no_key",  # the variable that should hold the model's key is not set
    "unknown",
    "unpriced",  # cost is capped, and the model has no price
    "month",
    "day",
    "small",  # a full call can cost more than a cap
    "short",  # a full call can cost more than is left
    "hour",  # the share of all visitors
    "anonymous",  # the share of who is not signed in
    "left",
]


class _Costing:
    """What calls have cost, of which the price is not always known."""

    __slots__ = ()

    calls: int
    micros: int
    is_priced: bool  # the model in use has a price

    @property
    def cost(self) -> float | None:
        """What the calls have cost; None where no price of theirs is known."""
        # Calls without a price are counted at 0, which is not to be read as free.
        is_unknown = self.calls and not self.micros and not self.is_priced
        return None if is_unknown else self.micros / MICROS

    @property
    def cost_text(self) -> str:
        if self.cost is None:
            return _("not known")
        cost = number_format(self.cost, 4)
        # Of an embedder, say, or of the model that was asked before this one.
        is_part = self.micros and not self.is_priced
        return _("at least %(cost)s") % {"cost": cost} if is_part else cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent(_Costing):
    """What is used of one cap."""

    begins: date
    calls: int
    micros: int
    cap: Cap
    has_turned_away: bool = False  # a call in this period did not fit
    is_priced: bool = True  # the model in use has a price

    @property
    def is_full(self) -> bool:
        """Say whether not even a call that costs nothing would be made."""
        return not self.has_room_for(FREE_CALL)

    def has_room_for(self, cost: Cost) -> bool:
        calls, micros = self.calls + cost.calls, self.micros + (cost.micros or 0)
        return self.cap.admits(Cost(calls, micros))

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
class SpentHour(_Costing):
    """The calls of one hour of today, those of the site's own work too."""

    begins: datetime  # in the site's own time zone
    calls: int
    micros: int
    is_priced: bool = True  # the model in use has a price

    @property
    def label(self) -> str:
        """Return the hour as a clock on the wall shows it: `02:00 UTC+02:00`."""
        return f"{self.begins:%H:%M} {_offset(self.begins)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The budget of a site right now.

    `day`, `month` and the shares are None where it cannot be told: a cap that cannot be
    read, or a count that was lost. No model is asked then.
    """

    is_on: bool
    label: str = ""  # of the model that the settings name; empty: the first one
    model: LanguageModel | None = None  # the one in use
    call: Cost = FREE_CALL  # a full one of the model
    caps: Caps | None = None
    day: Spent | None = None
    month: Spent | None = None
    hour: Spent | None = None  # of all visitors
    anonymous: Spent | None = None  # of all who are not signed in, today
    hours: tuple[SpentHour, ...] = ()  # those with calls, in order
    under_way: int = 0
    lost: int = 0  # calls of today that were never settled: counted at their worst

    @property
    def is_known(self) -> bool:
        return self.day is not None and self.month is not None

    @property
    def may_ask(self) -> bool:
        """Say whether a full call is made, as far as the day's and month's caps go."""
        return self.standing in {"short", "hour", "anonymous", "left"}

    @property
    def call_cost(self) -> float | None:
        """What a full call can cost; None where the model has no price."""
        return None if self.call.micros is None else self.call.micros / MICROS

    @property
    def cost_cap(self) -> float | None:
        """The lower of the two caps of cost."""
        periods = (self.day, self.month)
        costs = [spent.cost_cap for spent in periods if spent]
        return min((cost for cost in costs if cost is not None), default=None)

    @property
    def reserved(self) -> int:
        """The calls of a day that are kept for visitors who are signed in."""
        return self.caps.day.calls - self.caps.anonymous.calls if self.caps else 0

    @property
    def standing(self) -> Standing:
        if not self.is_on:
            return "off"
        if self.model is None:
            return "unknown_model" if self.label and deployment().models else "no_model"
        if self.model.key() is None:
            return "no_key"
        if self.day is None or self.month is None:
            return "unknown"
        return self._barred(self.day, self.month) or self._share_used() or "left"

    def _barred(self, day: Spent, month: Spent) -> Standing | None:
        if self.call.micros is None and self.cost_cap is not None:
            return "unpriced"
        if month.is_full:
            return "month"
        if day.is_full:
            return "day"
        if not (day.cap.admits(self.call) and month.cap.admits(self.call)):
            return "small"
        if not (day.has_room_for(self.call) and month.has_room_for(self.call)):
            return "short"
        return None

    def _share_used(self) -> Standing | None:
        if self.hour and not self.hour.has_room_for(self.call):
            return "hour"
        if self.anonymous and not self.anonymous.has_room_for(self.call):
            return "anonymous"
        return None


def state_of(conf: SiteConf) -> State:
    """Return the state of a site's budget; two queries."""
    at = periods.now()
    model = language_model(conf.language_model)
    call = full_call(model) if model else FREE_CALL
    begun = State(
        is_on=conf.models_enabled, label=conf.language_model, model=model, call=call
    )
    try:
        caps = caps_for(conf, Cost(1, call.micros or 0))
    except BrokenCaps:
        return begun
    row = ModelSpending.objects.filter(pk=conf.site_id).first()
    is_priced = call.micros is not None
    hours, under_way, lost = _today(conf.site_id, at, is_priced)
    if row is None and hours:
        return begun

    def spent(group: Group) -> Spent:
        return replace(_spent(row, group, at, caps), is_priced=is_priced)

    return replace(
        begun,
        caps=caps,
        day=spent("day"),
        month=spent("month"),
        hour=spent("hour"),
        anonymous=spent("anonymous"),
        hours=hours,
        under_way=under_way,
        lost=lost,
    )


def _offset(when: datetime) -> str:
    # Where clocks are put back, only this tells two hours apart.
    return f"UTC{when.isoformat()[-6:]}"


def _percent(part: int, whole: int) -> int:
    return part * 100 // whole if whole else 100


def _spent(row: ModelSpending | None, group: Group, at: Moment, caps: Caps) -> Spent:
    """Return what a group has used; the columns of another period count nothing."""
    period = "day" if group == "anonymous" else group
    begins = at.month if group == "month" else at.day
    cap: Cap = getattr(caps, group)
    if row is None or getattr(row, period) < getattr(at, period):
        return Spent(begins=begins, calls=0, micros=0, cap=cap)
    return Spent(
        begins=getattr(row, period) if group in PERIODS else begins,
        calls=getattr(row, f"{group}_calls"),
        micros=getattr(row, f"{group}_micros"),
        cap=cap,
        has_turned_away=group in PERIODS
        and told_percent(row, group, cap) == THRESHOLDS[0],
    )


def _today(
    site_id: int, at: Moment, is_priced: bool
) -> tuple[tuple[SpentHour, ...], int, int]:
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
        SpentHour(
            datetime.fromtimestamp(row["hour"], zone),
            row["had"],
            row["cost"],
            is_priced,
        )
        for row in found
    )
    return (
        hours,
        sum(row["under_way"] for row in found),
        sum(row["lost"] for row in found),
    )
