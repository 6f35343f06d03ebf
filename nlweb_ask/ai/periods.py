"""The day, the month and the hour that a call is counted in, by the site's own clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from django.utils.timezone import get_default_timezone


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One moment in the time zone of the site, never in that of a visitor."""

    at: int  # seconds since 1970
    day: date
    month: date  # its first day
    # When it began, in seconds since 1970: where clocks are put back one hour comes
    # twice, and each of the two has a slice of its own.
    hour: int


def now() -> Moment:
    local = datetime.now(tz=get_default_timezone())
    begun = local.replace(minute=0, second=0, microsecond=0)
    return Moment(
        at=int(local.timestamp()),
        day=local.date(),
        month=local.date().replace(day=1),
        hour=int(begun.timestamp()),
    )
