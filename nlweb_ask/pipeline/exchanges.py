"""Does a sentence say one word where its quote says another?

A word that the quote does not have, between the same neighbours as one that the sentence
has less often, stands in its place: "opens" for "closes", Tuesday for Monday. And what
is counted is part of a number: 9 am is not 9 pm. So no list of days or units is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from nlweb_ask.index.analysis import STOP_MARK, analyze

_PIECE: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*|[^\w\s]")
# Where a sentence ends; a quote may go on there, or end with another sign.
_EDGE: Final = "."
_ENDS: Final = frozenset(".!?\u2026")


@dataclass(frozen=True, slots=True)
class _Word:
    word: str
    terms: frozenset[str]  # its stems; none of a stop word
    before: str
    after: str

    @property
    def tells(self) -> bool:
        return bool(self.terms)

    @property
    def is_counted(self) -> bool:
        return any(map(str.isnumeric, self.before))


def exchanges_words(quotes: Sequence[str], sentence: str, language: str) -> bool:
    """Say whether a word of a sentence stands where its quotes have another one."""
    said = [*_words(sentence, language)]
    each = [[*_words(quote, language)] for quote in quotes]
    known = [word for quoted in each for word in quoted]
    new = [word for word in said if not _times(word, known)]
    gone = [
        word
        for quoted in each
        for word in quoted
        if _times(word, quoted) > _times(word, said)
    ]
    return any(_is_counted_otherwise(word, gone) for word in new) or any(
        word.tells and other.tells and _is_in_place_of(word, other)
        for word in new
        for other in gone
    )


def _is_in_place_of(word: _Word, other: _Word) -> bool:
    return (word.before, word.after) == (other.before, other.after)


def _is_counted_otherwise(word: _Word, gone: Iterable[_Word]) -> bool:
    """Say whether the quotes count something else; a stop word is no unit by itself."""
    if not word.is_counted:
        return False
    return word.tells or any(
        other.tells and other.before == word.before for other in gone
    )


def _times(word: _Word, words: Iterable[_Word]) -> int:
    """Return how often a word stands there, in whatever form."""
    return sum(
        word.word == other.word or not word.terms.isdisjoint(other.terms)
        for other in words
    )


def _words(text: str, language: str) -> Iterator[_Word]:
    pieces = [_EDGE, *map(_plain, _PIECE.findall(text)), _EDGE]
    for before, piece, after in zip(pieces, pieces[1:], pieces[2:], strict=False):
        if piece[0].isalnum():
            yield _Word(piece, _terms(piece, language), before, after)


def _plain(piece: str) -> str:
    return _EDGE if piece in _ENDS else piece.casefold()


@lru_cache(maxsize=4096)
def _terms(word: str, language: str) -> frozenset[str]:
    return frozenset(t for t in analyze(word, language) if t[0] != STOP_MARK)
