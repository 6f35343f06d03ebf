"""Sources whose pages must all be asked about again, noted until it is done."""

from __future__ import annotations

from django.db import router

from nlweb_ask.index.partitions import Moved, ask_all_again
from nlweb_ask.models import Recheck
from nlweb_ask.plugins import sources


def alias() -> str:
    return router.db_for_write(Recheck)


def note(source_name: str) -> None:
    """Note, in the transaction of what has changed, that a source must be asked."""
    Recheck.objects.using(alias()).create(source=source_name)


def noted(source_name: str | None = None) -> dict[str, list[int]]:
    """Return what is noted, by source: of one, or of all that are registered."""
    rows = Recheck.objects.using(alias()).order_by("pk")
    if source_name is not None:
        rows = rows.filter(source=source_name)
    found: dict[str, list[int]] = {}
    for pk, name in rows.values_list("pk", "source"):
        if name in sources:
            found.setdefault(name, []).append(pk)
    return found


def forget(keys: list[int]) -> None:
    """Take away what is done; what was noted meanwhile stays."""
    Recheck.objects.using(alias()).filter(pk__in=keys).delete()


def settle(source_name: str) -> Moved:
    """Do what is noted of one source.

    What is broken off stays noted, and is done from the beginning the next time.
    """
    keys = noted(source_name).get(source_name, [])
    if not keys:
        return Moved()
    moved = ask_all_again(source_name)
    forget(keys)
    return moved
