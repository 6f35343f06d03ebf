"""The sentences of a page that may be quoted, by how well each answers.

Most of a page is not worth to be looked at closely: a paragraph is cut into sentences
only when one of them may be better than those that are known.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from operator import attrgetter
from typing import Final, NamedTuple

from nlweb_ask.generators.evidence import (
    Evidence,
    Hit,
    Page,
    Words,
    Worth,
    words_in,
)
from nlweb_ask.index.cuts import Cuts, cuts_of
from nlweb_ask.index.sentences import Piece
from nlweb_ask.index.words import plain_words, word_count
from nlweb_ask.plugins import Citation, Result, Sentence

# Signs. A longer sentence is a list, or was never meant to be read as one.
MAX_QUOTE: Final = 400
# A word that the page is named by need not be said again in what answers.
NAMED: Final = 0.5
# Who writes for readers says what matters first.
FIRST: Final = 0.03
UNFINISHED: Final = 0.8
QUESTION: Final = 0.5
FEW_WORDS: Final = 4
SHORT_SIGNS: Final = 60
SHORT: Final = 0.5
# So many of the words of the shorter one stand in both: it says the same.
SAME: Final = 0.8
# Sums of floats in another order differ by much less.
SURELY: Final = 1e-9

_MARK_OF_LIST: Final = re.compile(r"(?:[-*+•‣◦▪·–—]|#{1,6})\s+")  # noqa: RUF001
_ASKS: Final = re.compile(r"[?\u061f\uff1f\u037e][\"'”’»)\]」』）]*$")  # noqa: RUF001
LONGEST_END: Final = 6
ELLIPSIS: Final = "\u2026"


@dataclass(frozen=True)
class Quote:
    """A sentence of a page that may be quoted."""

    page: int  # place in the results
    passage: int  # place among the passages of the page
    start: int
    end: int
    value: float
    result: Result
    is_cut: tuple[bool, bool] = (False, False)  # before, behind

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(plain_words(self.quote))

    @property
    def quote(self) -> str:
        return self.result.passages[self.passage].text[self.start : self.end]

    @property
    def place(self) -> tuple[int, int, int]:
        return self.page, self.passage, self.start

    def repeats(self, chosen: Iterable[Quote]) -> bool:
        """Tell whether one of `chosen` says nearly the same."""
        for other in chosen:
            said, before = self.words, other.words
            if len(said & before) >= SAME * min(len(said), len(before)):
                return True
        return False

    def goes_on_from(self, chosen: Iterable[Quote]) -> bool:
        """Tell whether it stands right behind one of `chosen`."""
        text = self.result.passages[self.passage].text
        return any(
            (other.page, other.passage) == (self.page, self.passage)
            and other.end <= self.start
            and not text[other.end : self.start].strip()
            for other in chosen
        )

    def sentence(self, before: str = "", behind: str = "") -> Sentence:
        """Return it with its citation; only white space is other than on the page."""
        quote = self.quote
        cut_before, cut_behind = self.is_cut
        begin = before + (ELLIPSIS if cut_before else "")
        said = " ".join(quote.split())
        end = (ELLIPSIS if cut_behind else "") + behind
        cited = Citation(
            start=len(begin),
            end=len(begin) + len(said),
            url=self.result.url,
            quote=quote,
        )
        return Sentence(text=begin + said + end, citations=(cited,))


class BestFirst:
    """What may be quoted of a page, best first, ties in reading order.

    Found as far as somebody looks, and once.
    """

    def __init__(self, evidence: Evidence, place: int) -> None:
        self._known: list[Quote] = []
        self._rest = _best_first(evidence, place)

    def __iter__(self) -> Iterator[Quote]:
        yield from self._known
        for quote in self._rest:
            self._known.append(quote)
            yield quote

    @property
    def best(self) -> Quote | None:
        return next(iter(self), None)


def _best_first(evidence: Evidence, place: int) -> Iterator[Quote]:
    page = evidence.pages[place]
    worth = _Worth(evidence.shares, page.named)
    known: list[_Found] = []
    unread: list[_Paragraph] = []
    for number, (passage, hits) in enumerate(page.passages):
        cuts = cuts_of(passage.text, page.result.reference.language)
        unread += _Passage(worth, page.result, number, cuts).paragraphs(hits)
    for paragraph in sorted(unread, key=attrgetter("most"), reverse=True):
        while known and -known[0].loss > paragraph.most:
            yield _quote(page, place, heappop(known))
        for found in paragraph.passage.found(paragraph):
            heappush(known, found)
    while known:
        yield _quote(page, place, heappop(known))


class _Found(NamedTuple):
    """A sentence that may be quoted; sorted, the best one is the first."""

    loss: float  # its value below zero
    passage: int
    start: int
    end: int
    is_cut: tuple[bool, bool]


def _quote(page: Page, place: int, found: _Found) -> Quote:
    return Quote(
        page=place,
        passage=found.passage,
        start=found.start,
        end=found.end,
        value=-found.loss,
        result=page.result,
        is_cut=found.is_cut,
    )


class _Paragraph(NamedTuple):
    most: float  # no sentence of it is worth more
    number: int
    hits: Sequence[Hit]
    is_first: bool  # of those of its passage that may be quoted
    passage: _Passage


class _Worth(NamedTuple):
    """What words of the question are to a sentence of a page."""

    shares: Worth
    named: Words  # that the page is named by

    def of(self, words: Words) -> float:
        return self.shares.partly(words, words & self.named, NAMED)


class _Passage(NamedTuple):
    """A passage of a page whose sentences may be quoted."""

    worth: _Worth
    result: Result
    number: int
    cuts: Cuts

    def paragraphs(self, hits: Sequence[Hit]) -> Iterator[_Paragraph]:
        """Yield those that may be quoted: the first one, and others that have hits."""
        extra = FIRST
        end, count = 0, len(hits)
        for number, piece in enumerate(self.cuts.paragraphs):
            begin, stop = end, piece.end
            while end < count and hits[end][0] < stop:
                end += 1
            if (end > begin or number == 0) and _is_quotable(piece):
                inside = hits[begin:end]
                most = self.worth.of(words_in(inside)) + extra + SURELY
                yield _Paragraph(most, number, inside, extra > 0.0, self)
                extra = 0.0

    def found(self, paragraph: _Paragraph) -> Iterator[_Found]:
        """Yield the sentences that have words of the question.

        Of the first paragraph one that has none as well, when no other comes before it.
        """
        is_first = paragraph.is_first
        text = self.result.passages[self.number].text
        language = self.result.reference.language
        pieces = self.cuts.sentences(paragraph.number, text, language)
        for piece, inside in _shared_out(pieces, paragraph.hits):
            if not (inside or is_first):
                continue
            begins = _begins(text, piece)
            start, end = _cut(text, begins, piece.end, inside)
            value = _value(self.worth.of(words_in(inside)), text, piece)
            value += FIRST if is_first else 0.0
            is_cut = (begins < start, end < piece.end)
            yield _Found(-value, self.number, start, end, is_cut)
            is_first = False


def _shared_out(
    pieces: Iterable[Piece], hits: Sequence[Hit]
) -> Iterator[tuple[Piece, Sequence[Hit]]]:
    """Yield each piece, of ascending ones, with the hits that begin in it."""
    starts = [start for start, _end, _words in hits]
    end = 0
    for piece in pieces:
        begin = bisect_left(starts, piece.start, end)
        end = bisect_left(starts, piece.end, begin)
        yield piece, hits[begin:end]


def _is_quotable(piece: Piece) -> bool:
    is_long = piece.end - piece.start > MAX_QUOTE
    return piece.kind != "code" and not (piece.kind == "table" and is_long)


def _value(held: float, text: str, piece: Piece) -> float:
    """Return how well a sentence that holds so much answers: 0 to 1."""
    if piece.kind != "sentence" or text[piece.start].islower():
        held *= UNFINISHED
    if _ASKS.search(text, max(piece.start, piece.end - LONGEST_END), piece.end):
        held *= QUESTION
    return held * (SHORT if _is_short(text[piece.start : piece.end]) else 1.0)


def _is_short(written: str) -> bool:
    return len(written) < SHORT_SIGNS and word_count(written) < FEW_WORDS


def _begins(text: str, piece: Piece) -> int:
    """Return where the words of a piece begin, behind the mark of a list or heading."""
    if text[piece.start].isalnum():
        return piece.start
    mark = _MARK_OF_LIST.match(text, piece.start, piece.end)
    return mark.end() if mark else piece.start


def _cut(text: str, start: int, end: int, hits: Sequence[Hit]) -> tuple[int, int]:
    """Return a piece, or of a very long one as much as is quoted around its words."""
    if end - start <= MAX_QUOTE:
        return start, end
    whole = end
    if hits and hits[0][1] - start > MAX_QUOTE:
        start = hits[0][0]
    end = min(end, start + MAX_QUOTE)
    gap = max(text.rfind(" ", start + 1, end + 1), text.rfind("\n", start + 1, end + 1))
    return start, gap if gap > start and end < whole else end
