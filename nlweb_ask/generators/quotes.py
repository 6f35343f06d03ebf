"""Which sentences of the pages are quoted, and how they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from nlweb_ask.generators.evidence import Evidence
from nlweb_ask.generators.ranking import BestFirst, Quote
from nlweb_ask.plugins import Result, Sentence

MAX_SENTENCES: Final = 5
# Of a summary, a page each.
MAX_LINES: Final = 10
MAX_OF_PAGE: Final = 3
# A page whose score is below this share of the best one's is not quoted.
NEAR: Final = 0.6
# One more sentence of a page must be worth this share of its best one; half of that
# where it goes on from one that is quoted.
NEXT_BEST: Final = 0.6

_ENDS_WIDE: Final = frozenset("。！？」』）")  # noqa: RUF001


def near_pages(results: Sequence[Result], limit: int) -> list[int]:
    """Return the places of the first `limit` results that score nearly as the best."""
    most = max((result.score for result in results), default=0.0)
    places = range(min(limit, len(results)))
    return [place for place in places if results[place].score >= NEAR * most]


def answer(evidence: Evidence) -> list[Quote]:
    """Choose one to five sentences, in reading order, that answer best.

    One of each near page, and then more of the first ones; none twice.
    """
    results = [page.result for page in evidence.pages]
    places = near_pages(results, MAX_SENTENCES)
    ranked = [BestFirst(evidence, place) for place in places]
    chosen: list[Quote] = []
    for quotes in ranked:
        chosen += _first_new(quotes, chosen)
    for place, quotes in zip(places, ranked, strict=True):
        if len(chosen) == MAX_SENTENCES:
            break
        _add_more(quotes, chosen, sum(quote.page == place for quote in chosen))
    return sorted(chosen, key=lambda quote: quote.place)


def _first_new(quotes: Iterable[Quote], chosen: Sequence[Quote]) -> list[Quote]:
    return next(([quote] for quote in quotes if not quote.repeats(chosen)), [])


def _add_more(quotes: BestFirst, chosen: list[Quote], of_page: int) -> None:
    """Add further sentences of a page, of which so many are chosen, if worth it."""
    if quotes.best is None:
        return
    least = NEXT_BEST * quotes.best.value
    for quote in quotes:
        if len(chosen) == MAX_SENTENCES or of_page == MAX_OF_PAGE:
            return
        if quote.value < least / 2:
            return
        is_worth = quote.value >= least or quote.goes_on_from(chosen)
        if is_worth and not quote.repeats(chosen):
            chosen.append(quote)
            of_page += 1


def summary(evidence: Evidence) -> list[Quote]:
    """Choose the best sentence of all, and behind it the best one of each page.

    A page that says nothing else than what is quoted already has none.
    """
    ranked = [BestFirst(evidence, place) for place in range(len(evidence.pages))]
    bests = [ranked[place].best for place in near_pages_of(evidence)]
    firsts = [quote for quote in bests if quote is not None]
    if not firsts:
        return []
    chosen = [max(firsts, key=lambda quote: quote.value)]
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
