"""Events put together: every form of an answer is a fold of the same sequence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from typing import Any, TypeVar

from nlweb_ask.protocol.events import (
    Complete,
    Content,
    Ending,
    Event,
    Mark,
    Receipt,
    ResultFound,
    Start,
)

SpanT = TypeVar("SpanT", Receipt, Mark)


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
    """Return the pieces as one, citations and marks shifted; None without any text."""
    text = "".join(piece.text for piece in pieces)
    if not text:
        return None
    starts = accumulate((len(piece.text) for piece in pieces), initial=0)
    shifted = [_shifted(*each) for each in zip(pieces, starts, strict=False)]
    return Content(
        text=text,
        citations=tuple(chain.from_iterable(piece.citations for piece in shifted)),
        marks=tuple(chain.from_iterable(piece.marks for piece in shifted)),
    )


def _shifted(piece: Content, by: int) -> Content:
    return replace(
        piece,
        citations=tuple(_moved(cited, by) for cited in piece.citations),
        marks=tuple(_moved(mark, by) for mark in piece.marks),
    )


def _moved(part: SpanT, by: int) -> SpanT:
    return replace(part, start=part.start + by, end=part.end + by)


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
