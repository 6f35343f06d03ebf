"""Pages that the clock opens or closes: found when their hour has come.

Nothing is remembered of the last look: each goes back as far as `WINDOW`, so that no
row that was committed late and no stopped worker is missed. To look again at what has
turned already costs a few queries and writes nothing.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final, cast

from django.utils import timezone

from nlweb_ask.index.refresh import Refreshed
from nlweb_ask.index.told import told_ids
from nlweb_ask.index.upkeep import look_at
from nlweb_ask.plugins import sources
from nlweb_ask.sources import clock

WINDOW: Final = timedelta(days=1)


def clocked() -> tuple[str, ...]:
    """Return the names of the sources that say which of their pages the clock turns."""
    return tuple(
        source.name
        for source in sources.classes()
        if getattr(source, "clock_fields", ()) or hasattr(source, "turned")
    )


def turn_due(source_name: str) -> Refreshed:
    """Look at the pages of a source that the clock may have turned in the last day."""
    now = timezone.now()
    return look_at(source_name, _turned(source_name, now - WINDOW, now))


def _turned(source_name: str, since: datetime, now: datetime) -> list[str]:
    source = cast("Any", sources.get(source_name))
    if hasattr(source, "turned"):
        return sorted(told_ids("turned", source.turned(since, now)))
    return clock.turned(source.model, source.clock_fields, since, now)
