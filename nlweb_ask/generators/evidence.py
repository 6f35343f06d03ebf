"""What the pages of an answer hold of its question, and whether that answers it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from nlweb_ask.index.analysis import matching_spans
from nlweb_ask.index.weights import WeighedWord, weighed_words
from nlweb_ask.plugins import PassageText, Question, Result

# More passages of a page, or more pages, are not read: an answer has five sentences.
MAX_PASSAGES: Final = 3
MAX_PAGES: Final = 10
# As in the search (`index.snapshot`); passages have about as many signs.
K1: Final = 1.2
B: Final = 0.75
USUAL_SIGNS: Final = 700
# How many pages behind the best one tell how far it stands out.
BEHIND: Final = 4
# Words in the page's name say what it is about, and count half as much again.
NAMED: Final = 0.5


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

    words: Sequence[WeighedWord]
    pages: Sequence[Page]

    def share(self, held: Iterable[int]) -> float:
        """Return how much of the question these of its words are, 0 to 1."""
        total = sum(word.weight for word in self.words)
        return sum(self.words[n].held for n in held) / total if total else 0.0

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
        held = self.share(first.held) + NAMED * self.share(first.named)
        return held + self._standing_out()

    def _standing_out(self) -> float:
        best, *rest = sorted((page.score for page in self.pages), reverse=True)
        behind = rest[:BEHIND]
        if not behind or not best:
            return float(best > 0)
        return 1.0 - sum(behind) / len(behind) / best


def evidence(question: Question, results: Sequence[Result], site_id: int) -> Evidence:
    """Look for the words of a question in the first ten of `results`."""
    looked_at = results[:MAX_PAGES]
    languages = dict.fromkeys(result.reference.language for result in looked_at)
    words = weighed_words(question, site_id, tuple(languages))
    owners: dict[str, set[int]] = {}
    for number, word in enumerate(words):
        for term in word.terms:
            owners.setdefault(term, set()).add(number)
    return Evidence(words, [_page(result, words, owners) for result in looked_at])


def _page(
    result: Result, words: Sequence[WeighedWord], owners: Mapping[str, Set[int]]
) -> Page:
    language = result.reference.language
    name = _words_in(_hits(result.name, owners, language))
    passages = [
        (passage, list(_hits(passage.text, owners, language)))
        for passage in islice(result.passages, MAX_PASSAGES)
    ]
    headings = [
        _words_in(_hits(passage.heading, owners, language)) for passage, _ in passages
    ]
    texts = [_words_in(hits) for _passage, hits in passages]
    total = sum(word.weight for word in words) or 1.0
    scores = [
        _score(words, name, heading, passage, hits)
        for (passage, hits), heading in zip(passages, headings, strict=True)
    ]
    best = max(scores, default=_score(words, name, frozenset(), None, ()))
    return Page(
        result=result,
        passages=passages,
        named=name.union(*headings[:1]),
        held=name.union(*headings, *texts),
        score=best / total,
    )


def _hits(text: str, owners: Mapping[str, Set[int]], language: str) -> Iterator[Hit]:
    for start, end, terms in matching_spans(text, frozenset(owners), language):
        yield Hit(start, end, frozenset().union(*(owners[term] for term in terms)))


def _words_in(hits: Iterable[Hit]) -> frozenset[int]:
    return frozenset(number for hit in hits for number in hit.words)


def _score(
    words: Sequence[WeighedWord],
    name: Set[int],
    heading: Set[int],
    passage: PassageText | None,
    hits: Iterable[Hit],
) -> float:
    """Return BM25 of one passage, with a word in name or heading as one more field."""
    times: dict[int, int] = {}
    for hit in hits:
        for number in hit.words:
            times[number] = times.get(number, 0) + 1
    signs = len(passage.text) if passage else 0
    norm = K1 * (1.0 - B + B * signs / USUAL_SIGNS)
    return sum(
        word.held
        * (
            times.get(number, 0) * (K1 + 1.0) / (times.get(number, 0) + norm)
            + (number in name)
            + (number in heading)
        )
        for number, word in enumerate(words)
    )
