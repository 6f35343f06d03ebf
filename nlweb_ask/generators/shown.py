"""Which words of the pages a language model is shown, each passage under a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Final

from nlweb_ask.generators.loosely import Loosened
from nlweb_ask.plugins import PassageText, Result

MAX_PASSAGES: Final = 12
# Signs, of one passage and of all: a model is paid by what it reads.
MAX_SIGNS: Final = 2_000
MAX_SIGNS_OF_ALL: Final = 16_000


@dataclass(frozen=True)
class Shown:
    """A passage as a language model is shown it."""

    number: int  # from 1, in the order in which they are shown
    result: Result
    passage: PassageText

    @property
    def text(self) -> str:
        """As much of it as is shown, cut behind a word."""
        text = self.passage.text
        return text if len(text) <= MAX_SIGNS else _cut(text[: MAX_SIGNS + 1])

    def as_written(self, quote: str) -> str | None:
        """Return the words of the passage that a model means by `quote`."""
        return self._loosened.find(quote)

    @cached_property
    def _loosened(self) -> Loosened:
        return Loosened(self.passage.text)


def shown(results: Sequence[Result]) -> list[Shown]:
    """Return the passages to show, best first: none of a page twice before all had one.

    Empty for pages without words.
    """
    chosen: list[Shown] = []
    signs = 0
    for result, passage in _in_turn(results):
        one = Shown(len(chosen) + 1, result, passage)
        signs += len(one.text)
        if len(chosen) == MAX_PASSAGES or signs > MAX_SIGNS_OF_ALL:
            break
        chosen.append(one)
    return chosen


def _in_turn(results: Sequence[Result]) -> Iterator[tuple[Result, PassageText]]:
    """Yield the best passage of each page, then the second best of each, and so on."""
    for turn in zip_longest(*(result.passages for result in results)):
        for result, passage in zip(results, turn, strict=True):
            if passage is not None and passage.text.strip():
                yield result, passage


def _cut(text: str) -> str:
    words = text.rsplit(None, 1)[0]
    return words if len(words) < len(text) else text[:-1]
