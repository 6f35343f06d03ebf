"""Pages and what hangs on them: all above, all below, and all that mirror them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.db import models
from django.db.models import Q


def line_to(pages: type[models.Model], path: str) -> Iterator[str]:
    """Yield the paths of the pages above, the topmost first, and the page's own."""
    steplen: int = pages.steplen  # type: ignore[attr-defined]
    return (path[:end] for end in range(steplen, len(path) + 1, steplen))


def with_mirrors(pages: type[models.Model], keys: Iterable[Any]) -> set[Any]:
    """Return these pages and all that mirror them, also through one another."""
    found: set[Any] = set()
    due = set(keys)
    while due:
        found |= due
        mirrors = pages._base_manager.filter(alias_of__in=due)
        due = set(mirrors.values_list("pk", flat=True)) - found
    return found


def at_or_below(pages: type[models.Model], tops: Iterable[Any]) -> list[Any]:
    """Return the keys of these pages and of all below, in ascending order."""
    rows = pages._base_manager.filter(pk__in=tops)
    condition = Q(pk__in=[])
    for path in rows.values_list("path", flat=True):
        condition |= Q(path__startswith=path)
    found = pages._base_manager.filter(condition).order_by("pk")
    return list(found.values_list("pk", flat=True))
