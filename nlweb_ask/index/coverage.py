"""How much of a question a page holds, so that what fits nothing finds nothing.

Each word of the question weighs its IDF among public pages, however many pages the
viewer may see: whether a page is left out depends on that page alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from nlweb_ask.index.letters import is_spaceless
from nlweb_ask.index.postings import Field
from nlweb_ask.index.question_words import Word
from nlweb_ask.index.runs import TermPostings
from nlweb_ask.index.scoring import Added
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
# Of a question with few words, that many are looked for one by one before all are.
FEW_WORDS: Final = 10
LOOKED_FOR: Final = 5
# The highest number that fits every type that runs are kept in.
MOST: Final = 65_535


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
        words: Sequence[tuple[Word, Sequence[str]]],
        holding: Mapping[str, int],
        found: Mapping[str, TermPostings],
        added: tuple[Added, Added],
    ) -> None:
        """Weigh the words of a question, each with the terms searched for.

        `holding` tells how many public pages hold each term, `found` the postings of the
        terms searched for, in order, and `added` what was added up of them.
        """
        total, _mean = snapshot.field_statistics[Field.PAGE]
        self.snapshot = snapshot
        self.words = [terms for _word, terms in words]
        self.found = found
        self.pages, self.passages = added
        weights = [word_weight(terms, holding, total) for terms in self.words]
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
        is_short = len(self.words) <= FEW_WORDS
        if is_short and self._surely_enough(np.array(numbers, "u4")):
            return [True] * len(numbers)
        pages = np.array(numbers, np.intp)
        order = pages.argsort()
        enough = np.empty(len(pages), bool)
        enough[order] = self._enough(pages.take(order))
        told: list[bool] = enough.tolist()
        return told

    def _surely_enough(self, pages: Integers) -> bool:
        """Tell whether the heaviest words are enough, wherever all pages hold them."""
        import numpy as np

        surely = self.needed * SURELY
        held = np.zeros(len(pages))
        heaviest = sorted(range(len(self.words)), key=self.weights.__getitem__)
        for place in heaviest[: -LOOKED_FOR - 1 : -1]:
            runs = (run for term in self.words[place] for run in self.found[term])
            held += self.weights[place] * _holds((run.of_page for run in runs), pages)
            if SCATTERED * float(held.min()) >= surely:
                return True
        return False

    def _enough(self, pages: Integers) -> Bools:
        """Tell of pages, ascending, which hold enough."""
        title, properties, anywhere = self.pages.holds(pages)
        held = self._weight(anywhere)
        enough: Bools = SCATTERED * held >= self.needed
        # What is not enough wherever it stands is none in one passage either.
        unsure = (~enough & (held >= self.needed)).nonzero()[0]
        if len(unsure):
            named = (title | properties)[:, unsure]
            enough[unsure] = self._together(pages.take(unsure), named) >= self.needed
        return enough

    def _together(self, pages: Integers, named: Bools) -> Floats:
        """Return the weights of what the title or the best passage of each page holds.

        `named` tells which terms its title or its properties hold.
        """
        import numpy as np

        first = self.snapshot.first.take(pages).astype(np.intp)
        spans = self.snapshot.first.take(pages + 1) - first
        owner = np.arange(len(pages)).repeat(spans)
        ends = spans.cumsum()
        passages = np.arange(len(owner)) + (first - ends + spans).repeat(spans)
        heading, text = self.passages.holds(passages)
        best = self._weight(named)
        here = heading | text | named.take(owner, axis=1)
        np.maximum.at(best, owner, self._weight(here))
        return best

    @cached_property
    def _rows(self) -> tuple[Integers, Integers]:
        """The places of all words' terms, and where those of each word begin."""
        import numpy as np

        row = {term: place for place, term in enumerate(self.found)}
        rows = [row[term] for terms in self.words for term in terms]
        begins = [0, *accumulate(len(terms) for terms in self.words)][:-1]
        return np.array(rows), np.array(begins)

    def _weight(self, holds: Bools) -> Floats:
        """Return what the words weigh that each place holds, of (terms, places).

        Added in the order of the words.
        """
        import numpy as np

        terms, begins = self._rows
        of_words = np.logical_or.reduceat(holds.take(terms, axis=0), begins, axis=0)
        weighed = np.array(self.weights)[:, None] * of_words
        held: Floats = np.add.accumulate(weighed, axis=0)[-1]
        return held


def _holds(parts: Iterable[Integers], numbers: Integers) -> Bools:
    """Return which of `numbers` are in any of the ascending parts."""
    import numpy as np

    holds = np.zeros(len(numbers), bool)
    highest = int(numbers.max(initial=0))
    for part in parts:
        if len(part):
            # Of another type than theirs, all of them would be converted for one look.
            wanted = numbers if highest > MOST else numbers.astype(part.dtype)
            # Past the end means greater than its last.
            holds |= part.take(part.searchsorted(wanted), mode="clip") == numbers
    return holds
