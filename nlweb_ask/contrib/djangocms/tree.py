"""Places in the tree of pages: all above, all below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

from django.db.models import Q

T = TypeVar("T")

AT_ONCE: Final = 5_000  # values in one statement, well below SQLite's most


def line_to(path: str) -> Iterator[str]:
    """Yield the paths of the pages above, the topmost first, and the page's own."""
    from cms.models import Page

    steplen = Page.steplen
    return (path[:end] for end in range(steplen, len(path) + 1, steplen))


def lines_to(paths: Iterable[str]) -> list[str]:
    """Return the paths of all these pages and of all above them, each once, sorted."""
    return sorted({step for path in paths for step in line_to(path)})


def at_or_below(tops: Iterable[Any]) -> list[Any]:
    """Return the keys of these pages and of all below, in ascending order."""
    from cms.models import Page

    condition = Q(pk__in=[])
    for path in Page.objects.filter(pk__in=tops).values_list("path", flat=True):
        condition |= Q(path__startswith=path)
    pages = Page.objects.filter(condition).order_by("pk")
    return list(pages.values_list("pk", flat=True))


def some_at_a_time(values: Sequence[T]) -> Iterator[Sequence[T]]:
    for begin in range(0, len(values), AT_ONCE):
        yield values[begin : begin + AT_ONCE]
