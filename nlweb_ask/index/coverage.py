"""How much of a question a page holds, so that what fits nothing finds nothing.

Each word of the question weighs its IDF among public pages, however many pages the
viewer may see: whether a page is left out depends on that page alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nlweb_ask.index.analysis import Word, is_spaceless
from nlweb_ask.index.postings import PASSAGE_FIELDS, Field
from nlweb_ask.index.snapshot import Snapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nlweb_ask.index.reading import TermPostings

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Integers = NDArray[np.integer[Any]]

# Measured (docs/explanation/search-index.md): a larger share costs pages that answer,
# a smaller one lets more through that do not.
LEAST: Final = 0.15
# Words that stand anywhere in a page, and not together in one passage, say half as much.
SCATTERED: Final = 0.5
# The few pages of a small site say little of how rare a word is: as if so many more
# had none of the words.
UNSEEN_PAGES: Final = 50
PAIR: Final = 0.5
# What somebody may have meant fits by chance more often than what was typed.
GUESSED: Final = 0.5


def chosen_terms(word: Word, pages: Mapping[str, int]) -> tuple[str, ...]:
    """Return the terms of a word to search for.

    Those of the site's other languages only where no public page has one of the
    language of the question.

    Args:
        word: Its terms.
        pages: How many public pages hold each term.
    """
    if any(pages[term] for term in word.terms):
        return word.terms
    return (*word.terms, *word.others)


def word_weight(terms: Sequence[str], pages: Mapping[str, int], total: int) -> float:
    """Return how much a word counts.

    Args:
        terms: Those to search for.
        pages: How many public pages hold each term.
        total: How many public pages there are.
    """
    holding = max(pages[term] for term in terms)
    total += UNSEEN_PAGES
    weight = math.log(1.0 + (total - holding + 0.5) / (holding + 0.5))
    # In scripts without spaces about every second pair of signs is a word.
    return weight * PAIR if is_spaceless(terms[0][0]) else weight


def held_weight(word: Word, weight: float) -> float:
    """Return how much of its weight a page that holds the word holds."""
    return weight * GUESSED if word.is_guessed else weight


class Coverage:
    """Tells of pages whether they hold enough of one question."""

    def __init__(
        self,
        snapshot: Snapshot,
        found: Mapping[str, TermPostings],
        words: Sequence[tuple[Word, Sequence[str]]],
        pages: Mapping[str, int],
    ) -> None:
        """Weigh the words of a question, each with the terms searched for.

        `pages` tells how many public pages hold each term.
        """
        total, _mean = snapshot.field_statistics[Field.PAGE]
        self.snapshot = snapshot
        self.words = [_by_place(found[term] for term in terms) for _, terms in words]
        weights = [word_weight(terms, pages, total) for _, terms in words]
        self.needed = LEAST * sum(weights)
        self.weights = [
            held_weight(word, weight)
            for (word, _), weight in zip(words, weights, strict=True)
        ]

    def enough(self, numbers: Sequence[int]) -> Sequence[bool]:
        """Tell of each page whether it holds enough."""
        import numpy as np

        if not numbers or SCATTERED * min(self.weights) >= self.needed:
            return [True] * len(numbers)  # any one of the words is enough
        pages = np.array(numbers, "u4")
        # Most of the best pages hold enough wherever it stands, which is soon told.
        enough = SCATTERED * self._anywhere(pages) >= self.needed
        rest = pages[~enough]
        if len(rest):
            enough[~enough] = self._together(rest) >= self.needed
        told: list[bool] = enough.tolist()
        return told

    def _anywhere(self, pages: Integers) -> Floats:
        """Return the weights of what each page holds."""
        import numpy as np

        held = np.zeros(len(pages))
        for found, weight in zip(self.words, self.weights, strict=True):
            held += weight * _holds(found.page, pages)
        return held

    def _together(self, pages: Integers) -> Floats:
        """Return the weights of what the title or the best passage of each page holds."""
        import numpy as np

        first = self.snapshot.first[pages].astype("i8")
        spans = self.snapshot.first[pages + 1] - first
        owner = np.repeat(np.arange(len(pages)), spans)
        shifts = first - np.concatenate([[0], np.cumsum(spans)[:-1]])
        # The type of the postings: another would be converted at every look.
        passages = (np.arange(len(owner)) + np.repeat(shifts, spans)).astype("u4")
        best, in_passage = np.zeros(len(pages)), np.zeros(len(passages))
        for found, weight in zip(self.words, self.weights, strict=True):
            named = _holds(found.title, pages)
            best += weight * named
            in_passage += weight * (_holds(found.passages, passages) | named[owner])
        np.maximum.at(best, owner, in_passage)
        return best


class _Places(NamedTuple):
    """Where a word stands, as runs of ascending numbers."""

    title: list[Integers]  # of the page, or in its properties
    page: list[Integers]
    passages: list[Integers]


def _by_place(terms: Iterable[TermPostings]) -> _Places:
    places = _Places([], [], [])
    for found in terms:
        for field, postings in found:
            if field in PASSAGE_FIELDS:
                places.passages.append(postings.numbers)
            elif field is Field.PAGE:
                places.page.append(postings.numbers)
            else:
                places.title.append(postings.numbers)
    return places


def _holds(runs: Iterable[Integers], numbers: Integers) -> Bools:
    """Return which of `numbers` are in any of the runs."""
    import numpy as np

    holds = np.zeros(len(numbers), bool)
    for run in runs:
        # Past the end means greater than its last.
        holds |= run.take(run.searchsorted(numbers), mode="clip") == numbers
    return holds
