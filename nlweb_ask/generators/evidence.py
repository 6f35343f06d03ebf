"""What the pages of an answer hold of its question, and whether that answers it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from nlweb_ask.index.analysis import matching_spans
from nlweb_ask.index.weights import WeighedWord, weighed_words
from nlweb_ask.plugins import PassageText, Question, Result

# More passages of a page are not read: an answer has five sentences.
MAX_PASSAGES: Final = 3
# As in the search (`index.snapshot`); passages have about as many signs.
K1: Final = 1.2
B: Final = 0.75
USUAL_SIGNS: Final = 700
# How many of the first pages tell how far the best of them stands out.
COMPARED: Final = 5
# Words in the page's name say what it is about, and count half as much again.
NAMED: Final = 0.5
# To stand out among pages that hold next to nothing says nothing.
MOST_OUT: Final = 2.0  # times the share that is held
# As far as a page stands out on average: with nothing to compare it is not known.
ALONE: Final = 0.4
SEPARATOR: Final = "\n"
NONE: Final[frozenset[int]] = frozenset()


class Hit(NamedTuple):
    """Where a word of the question stands in a passage."""

    start: int
    end: int
    words: frozenset[int]  # numbers of the question's words


@dataclass(frozen=True, slots=True)
class Page:
    """A result, and the words of the question in it."""

    result: Result
    passages: Sequence[tuple[PassageText, Sequence[Hit]]]
    named: frozenset[int]  # in its name, or the heading of its best passage
    held: frozenset[int]  # anywhere in what there is of it
    score: float  # 0 to about 4: what is held, counted as the search counts it


@dataclass(frozen=True, slots=True)
class Evidence:
    """The pages of an answer, in the order of the results, with their words."""

    shares: Sequence[float]  # what each word of the question is of it; at most 1 in all
    pages: Sequence[Page]

    def share(self, held: Iterable[int]) -> float:
        """Return how much of the question these of its words are, 0 to 1."""
        return sum([self.shares[number] for number in held])

    @property
    def fit(self) -> float:
        """Tell how well the first page fits the question, 0 to 2.5.

        The share of the question that it holds, half of the share that its name and
        heading hold, and how far the best page stands out among the next ones: where
        the site has an answer one page holds more than its neighbours do, and where it
        has none several hold the same little.
        """
        if not self.pages:
            return 0.0
        first = self.pages[0]
        held, named = self.share(first.held), self.share(first.named)
        return held + NAMED * named + min(self._standing_out(), MOST_OUT * held)

    def _standing_out(self) -> float:
        scores = [page.score for page in self.pages[:COMPARED]]
        best, *rest = sorted(scores, reverse=True)
        if not rest or not best:
            return ALONE
        return 1.0 - sum(rest) / len(rest) / best


def evidence(question: Question, results: Sequence[Result], site_id: int) -> Evidence:
    """Look for the words of a question in pages."""
    languages = dict.fromkeys(result.reference.language for result in results)
    words = weighed_words(question, site_id, tuple(languages))
    total = sum(word.weight for word in words)
    shares = [word.held / total for word in words]
    hits = _hits(results, _owners(words))
    return Evidence(shares, [_page(result, hits, shares) for result in results])


def _texts(result: Result) -> list[str]:
    """Return where words are looked for: the name, and heading and text of passages."""
    texts = [result.name]
    for passage in result.passages[:MAX_PASSAGES]:
        texts += [passage.heading, passage.text]
    return texts


def _owners(words: Sequence[WeighedWord]) -> dict[str, frozenset[int]]:
    """Return the numbers of the words that each term finds."""
    owners: dict[str, frozenset[int]] = {}
    for number, word in enumerate(words):
        for term in word.terms:
            owners[term] = owners.get(term, NONE) | {number}
    return owners


def _hits(
    results: Sequence[Result], owners: Mapping[str, frozenset[int]]
) -> Iterator[list[Hit]]:
    """Return an iterator over the hits in each text of each of the results.

    One look for all pages of a language: what is looked for costs more than where.
    """
    texts: dict[str, list[str]] = {}
    for result in results:
        texts.setdefault(result.reference.language, []).extend(_texts(result))
    found = {
        language: _hits_of_each(of_language, owners, language)
        for language, of_language in texts.items()
    }
    return (
        next(found[result.reference.language])
        for result in results
        for _text in _texts(result)
    )


def _hits_of_each(
    texts: Sequence[str], owners: Mapping[str, frozenset[int]], language: str
) -> Iterator[list[Hit]]:
    """Return an iterator over the hits in each text, by their place in that text."""
    ends = [*accumulate(len(text) + len(SEPARATOR) for text in texts)]
    of_each: list[list[Hit]] = [[] for _ in texts]
    number, offset = 0, 0
    known: dict[frozenset[str], frozenset[int]] = {}
    spans = matching_spans(SEPARATOR.join(texts), frozenset(owners), language)
    for start, end, terms in spans:
        while start >= ends[number]:
            offset = ends[number]
            number += 1
        if terms not in known:
            known[terms] = NONE.union(*[owners[term] for term in terms])
        of_each[number].append(Hit(start - offset, end - offset, known[terms]))
    return iter(of_each)


def _page(result: Result, hits: Iterator[list[Hit]], shares: Sequence[float]) -> Page:
    passages = result.passages[:MAX_PASSAGES]
    name = _words_in(next(hits))
    found = [(_words_in(next(hits)), next(hits)) for _passage in passages]
    scores = [
        _score(shares, (*name, *heading), len(passage.text), body)
        for passage, (heading, body) in zip(passages, found, strict=True)
    ]
    headings = [heading for heading, _body in found]
    bodies = [body for _heading, body in found]
    return Page(
        result=result,
        passages=list(zip(passages, bodies, strict=True)),
        named=name.union(*headings[:1]),
        held=name.union(*headings, *map(_words_in, bodies)),
        score=max(scores, default=_score(shares, name, 0, ())),
    )


def _score(
    shares: Sequence[float], named: Iterable[int], signs: int, hits: Iterable[Hit]
) -> float:
    """Return BM25 of one passage, with name and heading as fields of one word."""
    times: dict[int, int] = {}
    for hit in hits:
        for number in hit.words:
            times[number] = times.get(number, 0) + 1
    norm = K1 * (1.0 - B + B * signs / USUAL_SIGNS)
    counted = [
        shares[number] * count * (K1 + 1.0) / (count + norm)
        for number, count in times.items()
    ]
    return sum(counted) + sum([shares[number] for number in named])


def _words_in(hits: Iterable[Hit]) -> frozenset[int]:
    return NONE.union(*[hit.words for hit in hits])
