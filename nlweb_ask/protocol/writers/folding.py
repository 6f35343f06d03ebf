"""Events put together: every form of an answer is a fold of the same sequence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from nlweb_ask.protocol.events import (
    Complete,
    Content,
    Ending,
    Event,
    ResultFound,
    Start,
)


class Unfinished(ValueError):
    """The events ended without `Complete`: what there is must not pass for an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A whole answer."""

    start: Start
    items: tuple[dict[str, Any], ...]  # in the order of their indexes
    content: Content | None
    ending: Ending | None
    complete: Complete

    @property
    def has_findings(self) -> bool:
        return bool(self.items) or self.content is not None


def fold(events: Iterable[Event]) -> Folded:
    """Return the answer that `events` tell.

    Raises:
        Unfinished: There is no `Start` or no `Complete`.
    """
    sequence = tuple(events)
    start = next((event for event in sequence if isinstance(event, Start)), None)
    complete = next((event for event in sequence if isinstance(event, Complete)), None)
    if start is None or complete is None:
        msg = "The events of an answer begin with Start and end with Complete."
        raise Unfinished(msg)
    results = [event for event in sequence if isinstance(event, ResultFound)]
    return Folded(
        start=start,
        items=tuple(dict(r.item) for r in sorted(results, key=lambda r: r.index)),
        content=joined([event for event in sequence if isinstance(event, Content)]),
        ending=next((event for event in sequence if isinstance(event, Ending)), None),
        complete=complete,
    )


def joined(pieces: Sequence[Content]) -> Content | None:
    """Return the pieces as one, their citations shifted; None without any text."""
    starts = accumulate((len(piece.text) for piece in pieces), initial=0)
    citations = tuple(
        replace(citation, start=citation.start + begin, end=citation.end + begin)
        for piece, begin in zip(pieces, starts, strict=False)
        for citation in piece.citations
    )
    text = "".join(piece.text for piece in pieces)
    return Content(text=text, citations=citations) if text else None


def in_one_piece(events: Iterable[Event]) -> Iterator[Event]:
    """Hold the text back until it is whole; everything else goes out at once."""
    pieces: list[Content] = []
    for event in events:
        if isinstance(event, Content):
            pieces.append(event)
            continue
        if isinstance(event, Ending | Complete) and (whole := joined(pieces)):
            pieces.clear()
            yield whole
        yield event


def told(events: Iterable[Event]) -> Iterator[Event]:
    """Leave out text that says nothing and whatever would follow the terminal."""
    for event in events:
        if not isinstance(event, Content) or event.text:
            yield event
        if isinstance(event, Complete):
            return
