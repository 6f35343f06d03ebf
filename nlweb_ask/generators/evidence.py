"""What the pages of an answer hold of its question, and whether that answers it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import or_
from typing import Final

from nlweb_ask.index.matching import matching_spans
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

Words = int  # of the question: a bit each, the first one's the lowest
Hit = tuple[int, int, Words]  # start, end, which words stand there


class Worth(dict[Words, float]):
    """What words of a question are worth together, added up once, in their order."""

    def __init__(self, of_each: Sequence[float]) -> None:
        super().__init__()
        self.of_each = of_each
        self._partly: dict[tuple[Words, Words, float], float] = {}

    def __missing__(self, words: Words) -> float:
        each = [worth for n, worth in enumerate(self.of_each) if words >> n & 1]
        found = self[words] = sum(each)
        return found

    def partly(self, words: Words, part: Words, share: float) -> float:
        """Return the same where of each in `part`, which are among them, a share counts."""
        found = self._partly.get((words, part, share))
        if found is None:
            each = [
                worth * share if part >> n & 1 else worth
                for n, worth in enumerate(self.of_each)
                if words >> n & 1
            ]
            found = self._partly[words, part, share] = sum(each)
        return found


@dataclass(frozen=True, slots=True)
class Page:
    """A result, and the words of the question in it."""

    result: Result
    passages: Sequence[tuple[PassageText, Sequence[Hit]]]
    named: Words  # in its name, or the heading of its best passage
    held: Words  # anywhere in what there is of it
    score: float  # 0 to about 4: what is held, counted as the search counts it


@dataclass(frozen=True, slots=True)
class Evidence:
    """The pages of an answer, in the order of the results, with their words."""

    shares: Worth  # what words of the question are of it; at most 1 in all
    pages: Sequence[Page]

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
        held, named = self.shares[first.held], self.shares[first.named]
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
    shares = Worth([word.held / total for word in words])
    hits = _hits(results, _owners(words))
    pages = [_page(each, hits[each.reference.language], shares) for each in results]
    return Evidence(shares, pages)


def _texts(result: Result) -> list[str]:
    """Return where words are looked for: the name, and heading and text of passages."""
    texts = [result.name]
    for passage in result.passages[:MAX_PASSAGES]:
        texts += [passage.heading, passage.text]
    return texts


def _owners(words: Sequence[WeighedWord]) -> dict[str, Words]:
    """Return the words that each term finds."""
    owners: dict[str, Words] = {}
    for number, word in enumerate(words):
        for term in word.terms:
            owners[term] = owners.get(term, 0) | 1 << number
    return owners


def _hits(
    results: Sequence[Result], owners: Mapping[str, Words]
) -> Mapping[str, Iterator[list[Hit]]]:
    """Return iterators over the hits in each text of the results in each language.

    One look for all pages of a language: what is looked for costs more than where.
    """
    texts: dict[str, list[str]] = {}
    for result in results:
        texts.setdefault(result.reference.language, []).extend(_texts(result))
    return {
        language: _hits_of_each(of_language, owners, language)
        for language, of_language in texts.items()
    }


def _hits_of_each(
    texts: Sequence[str], owners: Mapping[str, Words], language: str
) -> Iterator[list[Hit]]:
    """Return an iterator over the hits in each text, by their place in that text."""
    ends = [*accumulate(len(text) + len(SEPARATOR) for text in texts)]
    of_each: list[list[Hit]] = [[] for _ in texts]
    number, offset = 0, 0
    known: dict[frozenset[str], Words] = {}
    spans = matching_spans(SEPARATOR.join(texts), frozenset(owners), language)
    for start, end, terms in spans:
        while start >= ends[number]:
            offset = ends[number]
            number += 1
        if terms not in known:
            known[terms] = reduce(or_, [owners[term] for term in terms])
        of_each[number].append((start - offset, end - offset, known[terms]))
    return iter(of_each)


def _page(result: Result, hits: Iterator[list[Hit]], shares: Worth) -> Page:
    passages = result.passages[:MAX_PASSAGES]
    name = words_in(next(hits))
    held, named, best = name, name, 0.0
    bodies = []
    for number, passage in enumerate(passages):
        heading, body = words_in(next(hits)), next(hits)
        score = shares[name] + shares[heading] + _score(shares, passage.text, body)
        best = max(best, score)
        held |= heading | words_in(body)
        if number == 0:
            named |= heading
        bodies.append((passage, body))
    return Page(result, bodies, named, held, best if bodies else shares[name])


def _score(shares: Worth, text: str, hits: Iterable[Hit]) -> float:
    """Return BM25 of the text of a passage; name and heading are fields of one word."""
    times: dict[Words, int] = {}
    for _start, _end, words in hits:
        while words:
            word = words & -words
            times[word] = times.get(word, 0) + 1
            words ^= word
    norm = K1 * (1.0 - B + B * len(text) / USUAL_SIGNS)
    counted = [
        shares[word] * count * (K1 + 1.0) / (count + norm)
        for word, count in times.items()
    ]
    return sum(counted)


def words_in(hits: Iterable[Hit]) -> Words:
    """Return the words that have a hit."""
    found = 0
    for _start, _end, words in hits:
        found |= words
    return found
