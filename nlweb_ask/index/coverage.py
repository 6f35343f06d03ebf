"""How much of a question a page holds, so that what fits nothing finds nothing.

Each word of the question weighs its IDF among public pages, however many pages the
viewer may see: whether a page is left out depends on that page alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from nlweb_ask.index.analysis import Word, is_spaceless
from nlweb_ask.index.postings import Field
from nlweb_ask.index.runs import Run, TermPostings
from nlweb_ask.index.snapshot import Snapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
# Sums of floats in another order differ by much less.
SURELY: Final = 1.0 + 1e-9


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
        self.words = [
            [run for term in terms for run in found[term]] for _, terms in words
        ]
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
        # The type of the postings: another would be converted at every look.
        pages = np.array(numbers, "u4")
        # Most of the best pages hold enough wherever it stands, which is soon told.
        held = self._anywhere(pages)
        enough = SCATTERED * held >= self.needed
        # What is not enough wherever it stands is none in one passage either.
        unsure = (~enough & (held >= self.needed)).nonzero()[0]
        if len(unsure):
            enough[unsure] = self._together(pages.take(unsure)) >= self.needed
        told: list[bool] = enough.tolist()
        return told

    def _anywhere(self, pages: Integers) -> Floats:
        """Return the weights of what each page holds, or some that are enough of all."""
        return self._held(
            len(pages),
            lambda runs: _holds([run.of_page for run in runs], pages),
            lambda held: SCATTERED * float(held.min()),
        )

    def _together(self, pages: Integers) -> Floats:
        """Return the weights of what the title or the best passage of each page holds.

        Or some that are enough of all.
        """
        import numpy as np

        first = self.snapshot.first.take(pages).astype("i8")
        spans = self.snapshot.first.take(pages + 1) - first
        owner = np.arange(len(pages)).repeat(spans)
        ends = spans.cumsum()
        passages = (
            np.arange(len(owner)) + (first - ends + spans).repeat(spans)
        ).astype("u4")
        # A page is named first, and counts as if it were one more passage.
        owner = np.concatenate([np.arange(len(pages)), owner])

        def holds(runs: Sequence[Run]) -> Bools:
            named = _holds([part for run in runs for part in run.of_name], pages)
            parts = [part for run in runs for part in run.of_passages]
            both = named.take(owner)
            both[len(pages) :] |= _holds(parts, passages)
            return both

        def best(held: Floats) -> Floats:
            found = np.zeros(len(pages))
            np.maximum.at(found, owner, held)
            return found

        return best(self._held(len(owner), holds, lambda held: float(best(held).min())))

    def _held(
        self,
        size: int,
        holds: Callable[[Sequence[Run]], Bools],
        least: Callable[[Floats], float],
    ) -> Floats:
        """Add up the weights of the words that each of `size` places holds.

        The heaviest words are looked for first, until `least` is surely enough. Otherwise
        the weights are added in the order of the words, whatever was looked for first.
        """
        import numpy as np

        surely = self.needed * SURELY
        found: dict[int, Bools] = {}
        held = np.zeros(size)
        order = sorted(range(len(self.words)), key=self.weights.__getitem__)
        for place in reversed(order):
            found[place] = holds(self.words[place])
            held += self.weights[place] * found[place]
            if least(held) >= surely:
                return held
        held = np.zeros(size)
        for place, weight in enumerate(self.weights):
            held += weight * found[place]
        return held


def _holds(parts: Iterable[Integers], numbers: Integers) -> Bools:
    """Return which of `numbers` are in any of the ascending parts."""
    import numpy as np

    holds = np.zeros(len(numbers), bool)
    for part in parts:
        if len(part):
            # Past the end means greater than its last.
            holds |= part.take(part.searchsorted(numbers), mode="clip") == numbers
    return holds
