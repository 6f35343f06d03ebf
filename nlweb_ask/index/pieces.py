"""The terms of many texts at once: each word is looked at once, the rest is arithmetic.

What stands between white space has a number, by which its terms lie in arrays. White
space is in no word, and no sign is normalised across it: what holds for the pieces of a
text holds for the text.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from nlweb_ask.index.analysis import (
    FORM_MARK,
    MAX_TERM_LENGTH,
    NAME_WORDS,
    STOP_MARK,
    PieceTerms,
    analyze_with_forms,
    has_lone_ideograms,
    language_of,
    piece_terms,
    term_key,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.integer[Any]]
    Bools = NDArray[np.bool_]

# About 200 bytes each. All texts of a hundred thousand pages have half as many.
MAX_PIECES: Final = 131_072

MIN_COLUMN: Final = 1024

# Signs that no token begins or ends with.
_BEFORE: Final = "([{<\"'"
_BEHIND: Final = ".,:;!?)]}>\"'"


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Every term of some texts as often as it stands there, in no order.

    Arrays: `texts` which text it is, `keys` the term's, `is_form` whether it is one of
    the whole forms that are kept for spelling alone.
    """

    texts: Integers
    keys: Integers
    is_form: Bools


def occurrences(texts: Sequence[str], language: str) -> Occurrences:
    """Return what `analyze_with_forms` finds in each text, a form as often as its word."""
    import numpy as np

    regular = ["" if has_lone_ideograms(text) else text for text in texts]
    pieces, sizes, table = _vocabulary(language_of(language)).numbered(regular)
    number = len(texts)
    of_text = np.repeat(np.arange(number), sizes)
    is_lower = np.bincount(of_text[~table.is_upper[pieces]], minlength=number) > 0
    # A text of capitals is read in another way.
    regularly = is_lower[of_text]
    pieces, of_text = pieces[regularly], of_text[regularly]
    words = np.bincount(of_text, table.tokens[pieces], minlength=number)
    content = np.bincount(of_text, table.content[pieces], minlength=number)
    keeps_stops = (words <= NAME_WORDS) | (content == 0)
    counts = table.counts[pieces]
    kept = counts + np.where(keeps_stops[of_text], table.stops[pieces], 0)
    places = _ragged(table.begins[pieces], kept)
    found = Occurrences(
        np.repeat(of_text, kept), table.keys[places], table.is_form[places]
    )
    rest = [
        place
        for place in np.flatnonzero(~is_lower).tolist()
        if not _blank(texts[place])
    ]
    return _with_rest(found, [(place, texts[place]) for place in rest], language)


def _blank(text: str) -> bool:
    return not text or text.isspace()


def _ragged(begins: Integers, counts: Integers) -> Integers:
    """Return `begin, begin + 1, ...` of each run, one behind the other."""
    import numpy as np

    ends = np.cumsum(counts, dtype="<i8")
    total = int(ends[-1]) if len(ends) else 0
    shifts: Integers = np.repeat(begins - (ends - counts), counts)
    return shifts + np.arange(total)


def _with_rest(
    found: Occurrences, texts: Sequence[tuple[int, str]], language: str
) -> Occurrences:
    import numpy as np

    if not texts:
        return found
    of_text: list[int] = []
    keys: list[int] = []
    is_form: list[bool] = []
    for place, text in texts:
        terms, forms = analyze_with_forms(text, language)
        of_text += [place] * (len(terms) + len(forms))
        keys += map(term_key, chain(terms, forms))
        is_form += [False] * len(terms) + [True] * len(forms)
    return Occurrences(
        np.concatenate([found.texts, np.array(of_text, "<i8")]),
        np.concatenate([found.keys, np.array(keys, "<i8")]),
        np.concatenate([found.is_form, np.array(is_form, bool)]),
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """Arrays over pieces, and over the terms of all of them, end to end.

    Of a piece the stop words come last; `counts` is without them.
    """

    begins: Integers
    counts: Integers
    stops: Integers
    content: Integers
    tokens: Integers
    is_upper: Bools
    keys: Integers
    is_form: Bools


class _Column:
    """An array that grows at its end; what was looked at before stays what it was."""

    def __init__(self, kind: str) -> None:
        self.size = 0
        self._kind = kind
        self._new: list[Any] = []
        self._array: Any = None

    def append(self, value: int) -> None:
        self._new.append(value)
        self.size += 1

    def extend(self, values: Sequence[int]) -> None:
        self._new += values
        self.size += len(values)

    def view(self) -> Any:
        import numpy as np

        if self._array is None or self.size > len(self._array):
            grown = np.empty(max(2 * self.size, MIN_COLUMN), self._kind)
            if self._array is not None:
                grown[: len(self._array)] = self._array
            self._array = grown
        if self._new:
            self._array[self.size - len(self._new) : self.size] = self._new
            self._new = []
        return self._array[: self.size]


class _Vocabulary(dict[str, int]):
    """The pieces of one language by their numbers; a new one is looked at.

    Kept for the next texts up to a limit, and then begun anew: never while texts are
    being numbered.
    """

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language
        self._lock = threading.Lock()
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.clear()
        self._begins, self._counts = _Column("<i8"), _Column("<i8")
        self._stops, self._content = _Column("<i8"), _Column("<i8")
        self._tokens, self._is_upper = _Column("<i8"), _Column("bool")
        self._keys, self._is_form = _Column("<i8"), _Column("bool")

    def numbered(self, texts: Sequence[str]) -> tuple[Integers, list[int], _Table]:
        """Return the pieces of all texts end to end, how many each has, and the table."""
        import numpy as np

        split = [text.split() for text in texts]
        sizes = list(map(len, split))
        with self._lock:
            # Long runs of signs have a number that nobody finds again.
            if max(len(self), self._begins.size) > MAX_PIECES:
                self._begin_anew()
            numbers = map(self.__getitem__, chain.from_iterable(split))
            return np.fromiter(numbers, "<i8", sum(sizes)), sizes, self._table()

    def _table(self) -> _Table:
        return _Table(
            self._begins.view(),
            self._counts.view(),
            self._stops.view(),
            self._content.view(),
            self._tokens.view(),
            self._is_upper.view(),
            self._keys.view(),
            self._is_form.view(),
        )

    def __missing__(self, piece: str) -> int:
        # What stands before and behind is in no word and has no case.
        bare = piece.lstrip(_BEFORE).rstrip(_BEHIND) if piece.isascii() else piece
        if bare != piece:
            number = self[bare]
        else:
            number = self._add(piece_terms(piece, self._language))
        # A long run of signs comes once: it must not push words out.
        if len(piece) <= MAX_TERM_LENGTH:
            self[piece] = number
        return number

    def _add(self, found: PieceTerms) -> int:
        number = self._begins.size
        stops = [term for term in found.terms if term[0] == STOP_MARK]
        terms = [term for term in found.terms if term[0] != STOP_MARK]
        is_form = [term[0] == FORM_MARK for term in terms]
        self._begins.append(self._keys.size)
        self._counts.append(len(terms))
        self._stops.append(len(stops))
        self._content.append(len(terms) - sum(is_form))
        self._tokens.append(found.tokens)
        self._is_upper.append(found.is_upper)
        self._keys.extend([term_key(term) for term in (*terms, *stops)])
        self._is_form.extend([*is_form, *[False] * len(stops)])
        return number


_vocabulary = lru_cache(maxsize=16)(_Vocabulary)
