"""Which sentences of the pages are quoted, and how they are written."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, zip_longest
from typing import Final

from nlweb_ask.generators.evidence import Evidence, Hit, Page
from nlweb_ask.index.analysis import plain_words, word_count
from nlweb_ask.index.sentences import Piece, sentences
from nlweb_ask.plugins import Citation, Result, Sentence

MAX_SENTENCES: Final = 5
# Of a summary, a page each.
MAX_LINES: Final = 10
MAX_OF_PAGE: Final = 3
# Signs. A longer sentence is a list, or was never meant to be read as one.
MAX_QUOTE: Final = 400
# A page whose score is below this share of the best one's is not quoted.
NEAR: Final = 0.6
# One more sentence of a page must be worth this share of its best one; half of that
# where it goes on from one that is quoted.
NEXT_BEST: Final = 0.6
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

_MARK_OF_LIST: Final = re.compile(r"(?:[-*+•‣◦▪·–—]|#{1,6})\s+")  # noqa: RUF001
_ENDS_WIDE: Final = frozenset("。！？」』）")  # noqa: RUF001
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
        return any(
            len(self.words & other.words)
            >= SAME * min(len(self.words), len(other.words))
            for other in chosen
        )

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


def near_pages(results: Sequence[Result], limit: int) -> list[int]:
    """Return the places of the first `limit` results that score nearly as the best."""
    most = max((result.score for result in results), default=0.0)
    places = range(min(limit, len(results)))
    return [place for place in places if results[place].score >= NEAR * most]


def best_first(evidence: Evidence, place: int) -> list[Quote]:
    """Return what may be quoted of a page, best first, ties in reading order."""
    page = evidence.pages[place]
    found = chain.from_iterable(
        _of_passage(evidence, page, place, number)
        for number in range(len(page.passages))
    )
    return sorted(found, key=lambda quote: (-quote.value, quote.place))


def answer(evidence: Evidence) -> list[Quote]:
    """Choose one to five sentences, in reading order, that answer best.

    One of each near page, and then more of the first ones; none twice.
    """
    results = [page.result for page in evidence.pages]
    places = near_pages(results, MAX_SENTENCES)
    ranked = {place: best_first(evidence, place) for place in places}
    chosen: list[Quote] = []
    for quotes in ranked.values():
        chosen += _first_new(quotes, chosen)
    for quotes in ranked.values():
        _add_more(quotes, chosen)
    return sorted(chosen, key=lambda quote: quote.place)


def _first_new(quotes: Iterable[Quote], chosen: Sequence[Quote]) -> list[Quote]:
    return next(([quote] for quote in quotes if not quote.repeats(chosen)), [])


def _add_more(quotes: Sequence[Quote], chosen: list[Quote]) -> None:
    """Add further sentences of a page, as long as they are worth it."""
    of_page = sum(quote in chosen for quote in quotes)
    for quote in quotes:
        if len(chosen) == MAX_SENTENCES or of_page == MAX_OF_PAGE:
            return
        share = NEXT_BEST / 2 if quote.goes_on_from(chosen) else NEXT_BEST
        if quote.value < share * quotes[0].value or quote.repeats(chosen):
            continue
        chosen.append(quote)
        of_page += 1


def summary(evidence: Evidence) -> list[Quote]:
    """Choose the best sentence of all, and behind it the best one of each page.

    A page that says nothing else than what is quoted already has none.
    """
    ranked = [best_first(evidence, place) for place in range(len(evidence.pages))]
    firsts = [ranked[place] for place in near_pages_of(evidence) if ranked[place]]
    if not firsts:
        return []
    chosen = [max((quotes[0] for quotes in firsts), key=lambda quote: quote.value)]
    for quotes in ranked:
        chosen += _first_new(quotes, chosen)
    return chosen


def near_pages_of(evidence: Evidence) -> list[int]:
    results = [page.result for page in evidence.pages]
    return near_pages(results, len(results))


def written(quotes: Sequence[Quote]) -> Iterator[Sentence]:
    """Yield the sentences: those of a page in one line, each page in its own."""
    for quote, following in zip_longest(quotes, quotes[1:]):
        if following is None:
            yield quote.sentence()
        elif following.page != quote.page:
            yield quote.sentence(behind="\n")
        else:
            wide = quote.quote[-1] in _ENDS_WIDE
            yield quote.sentence(behind="" if wide else " ")


def _of_passage(
    evidence: Evidence, page: Page, place: int, number: int
) -> Iterator[Quote]:
    """Yield the sentences of a passage that have words of the question, and the first."""
    passage, hits = page.passages[number]
    text, starts = passage.text, [hit.start for hit in hits]
    is_first = True
    for piece in sentences(text, page.result.reference.language, at=starts):
        inside = hits[bisect_left(starts, piece.start) : bisect_left(starts, piece.end)]
        if not (inside or is_first) or not _is_quotable(piece):
            continue
        start, end = _cut(text, piece, inside)
        if start == end:
            continue
        yield Quote(
            page=place,
            passage=number,
            start=start,
            end=end,
            value=_value(evidence, page, text, piece, inside)
            + (FIRST if is_first else 0.0),
            result=page.result,
            is_cut=(_begins(text, piece) < start, end < piece.end),
        )
        is_first = False


def _is_quotable(piece: Piece) -> bool:
    is_long = piece.end - piece.start > MAX_QUOTE
    return piece.kind != "code" and not (piece.kind == "table" and is_long)


def _value(
    evidence: Evidence, page: Page, text: str, piece: Piece, hits: Iterable[Hit]
) -> float:
    """Return how well a sentence answers: 0 to 1."""
    held = frozenset[int]().union(*[hit.words for hit in hits])
    value = evidence.share(held - page.named)
    value += NAMED * evidence.share(held & page.named)
    if piece.kind != "sentence" or text[piece.start].islower():
        value *= UNFINISHED
    if _ASKS.search(text, max(piece.start, piece.end - LONGEST_END), piece.end):
        value *= QUESTION
    return value * (SHORT if _is_short(text[piece.start : piece.end]) else 1.0)


def _is_short(written: str) -> bool:
    return len(written) < SHORT_SIGNS and word_count(written) < FEW_WORDS


def _begins(text: str, piece: Piece) -> int:
    """Return where the words of a piece begin, behind the mark of a list or heading."""
    mark = _MARK_OF_LIST.match(text, piece.start, piece.end)
    return mark.end() if mark else piece.start


def _cut(text: str, piece: Piece, hits: Sequence[Hit]) -> tuple[int, int]:
    """Return a piece, or of a very long one as much as is quoted around its words."""
    start, end = _begins(text, piece), piece.end
    if end - start <= MAX_QUOTE:
        return start, end
    if hits and hits[0].end - start > MAX_QUOTE:
        start = hits[0].start
    end = min(end, start + MAX_QUOTE)
    gap = max(text.rfind(" ", start + 1, end + 1), text.rfind("\n", start + 1, end + 1))
    return start, gap if gap > start and end < piece.end else end
