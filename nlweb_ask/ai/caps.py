"""What may be used at most: by the site in a day and a month, and by whom of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from nlweb_ask.conf import SiteConf

MICROS: Final = 1_000_000  # of one unit of the owner's currency
# No share is less than so many calls: a tenth of a small budget would be no call at all,
# and the tenth call of a day is not yet a flood.
CALLS_OF_A_SHARE: Final = 10


class BrokenCaps(Exception):
    """A cap of the owner's row or of a call is nothing that can be counted against."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one or more calls of a model use.

    `micros` are millionths of the owner's currency; None: nobody knows the price.
    """

    calls: int = 1
    micros: int | None = 0


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that may be used; None for `micros`: cost is not capped."""

    calls: int
    micros: int | None

    def admits(self, worst: Cost) -> bool:
        """Say whether `worst` fits where nothing has been used."""
        if worst.calls > self.calls:
            return False
        return self.micros is None or (worst.micros or 0) <= self.micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """All that one call is held to."""

    day: Cap
    month: Cap
    hour: Cap  # of all visitors
    visitor: Cap  # of one of them, in a day
    anonymous: Cap  # of all who are not signed in, in a day

    @property
    def is_cost_capped(self) -> bool:
        return self.day.micros is not None or self.month.micros is not None


def caps_of(conf: SiteConf) -> tuple[Cap, Cap]:
    """Return what the site may use in a day and in a month.

    Raises:
        BrokenCaps: When the row holds what is no such number. The admin refuses that,
            but `QuerySet.update()` writes anything.
    """
    return (
        Cap(_whole(conf.model_calls_per_day), _micros(conf.model_cost_per_day)),
        Cap(_whole(conf.model_calls_per_month), _micros(conf.model_cost_per_month)),
    )


def caps_for(conf: SiteConf, worst: Cost) -> Caps:
    """Return all that a call is held to which may use `worst`.

    Raises:
        BrokenCaps: As `caps_of` does; when `worst` is no number of calls and micros;
            when cost is capped and nobody knows what the call costs.
    """
    day, month = caps_of(conf)
    _check(worst, is_capped=(day.micros, month.micros) != (None, None))
    left = 100 - _percent(conf.model_member_reserve)
    return Caps(
        day=day,
        month=month,
        hour=_share(day, _percent(conf.model_hour_share), worst),
        visitor=_share(day, _percent(conf.model_visitor_share), worst),
        anonymous=_share(day, left, worst),
    )


def _share(cap: Cap, percent: int, worst: Cost) -> Cap:
    """Return a share of `cap`, rounded up, which ten calls like this one always fit."""
    calls = max(_part(cap.calls, percent), CALLS_OF_A_SHARE)
    if cap.micros is None:
        return Cap(min(cap.calls, calls), None)
    few = CALLS_OF_A_SHARE * (worst.micros or 0)
    micros = max(_part(cap.micros, percent), few)
    return Cap(min(cap.calls, calls), min(cap.micros, micros))


def _part(whole: int, percent: int) -> int:
    return -(-whole * percent // 100)


def _check(worst: Cost, *, is_capped: bool) -> None:
    _whole(worst.calls)
    if worst.micros is not None:
        _whole(worst.micros)
    elif is_capped:
        msg = "cost is capped, and nobody knows what the model costs"
        raise BrokenCaps(msg)


def _whole(number: Any) -> int:
    # A bool is an int to Python, and no number to count with.
    if type(number) is not int or number < 0:
        msg = f"a {type(number).__name__} is no number of calls or of micros"
        raise BrokenCaps(msg)
    return number


def _percent(number: Any) -> int:
    if _whole(number) > 100:
        msg = "a share is more than the whole"
        raise BrokenCaps(msg)
    return int(number)


def _micros(cost: Any) -> int | None:
    if type(cost) not in {int, float} or not math.isfinite(cost) or cost < 0:
        msg = f"a {type(cost).__name__} is no cap of cost"
        raise BrokenCaps(msg)
    return None if cost == 0 else round(cost * MICROS)
