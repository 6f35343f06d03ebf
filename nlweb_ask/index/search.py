"""BM25 over the posting blobs, with statistics of live public pages only.

Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
with Lucene's IDF. The score of a page is its best passage, plus the whole page, plus
shares of title and properties (`postings.WEIGHTS`), all on raw scores: no maximum exists
that a hidden page could move. A page that holds too little of the question is left out
(`coverage`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nlweb_ask.index import versions
from nlweb_ask.index.analysis import term_key
from nlweb_ask.index.coverage import Coverage, chosen_terms
from nlweb_ask.index.postings import Label
from nlweb_ask.index.question_words import (
    MAX_QUESTION_TERMS,
    Word,
    distinct_terms,
    first_words,
    question_words,
)
from nlweb_ask.index.reading import (
    current,
    fingerprint,
    likely,
    moment_of,
    read,
)
from nlweb_ask.index.runs import TermPostings
from nlweb_ask.index.scoring import (
    EXACT_WEIGHT,
    best_of,
    known_rarities,
    rarities,
    scores,
)
from nlweb_ask.index.snapshot import K1, B, Snapshot
from nlweb_ask.plugins import Candidate, Question, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.integer[Any]]
    Bools = NDArray[np.bool_]

__all__ = [
    "EXACT_WEIGHT",
    "K1",
    "B",
    "Scored",
    "candidates_of",
    "eligible_pages",
    "fingerprint",
    "hold_parts",
    "identity",
    "question_terms",
    "scored",
    "search",
    "version_said",
    "words_of",
    "words_read",
]

SCORE_DIGITS: Final = 9
# Of a longer question it is not even counted how many pages have its words.
MAX_LOOKED_AT: Final = 512  # terms
# What callers ask to see is kept for so many of their filters, a byte a page each.
MAX_FILTERS: Final = 16
# Shares of the highest scores, from which on pages are looked at.
LOOKED_AT: Final = (0.55, 0.3, 0.12, 0.0)


def words_of(question: Question, scope: Scope) -> list[Word]:
    """Return the words to search for, in the languages that the scope may answer in."""
    languages = scope.languages or current(scope.site_id).languages
    return _words(question, scope.site_id, languages)


def words_read(question: Question, scope: Scope) -> list[Word]:
    """Return what `words_of` does, with their postings read in the same look."""
    snapshot = likely(scope.site_id)
    while True:
        languages = scope.languages or snapshot.languages
        asked = _asked(question, scope.site_id, languages)
        snapshot, _ = read(scope.site_id, list(asked.keys.values()))
        if languages == (scope.languages or snapshot.languages):
            return asked.words


class _Asked(NamedTuple):
    """The words of a question, and the keys of their terms."""

    words: list[Word]
    keys: Mapping[str, int]


def _words(question: Question, site_id: int, languages: Sequence[str]) -> list[Word]:
    return _asked(question, site_id, languages).words


def _asked(question: Question, site_id: int, languages: Sequence[str]) -> _Asked:
    name = question.search_text, tuple(languages), question.corrected_text or ""
    analysed = moment_of(site_id).analysed
    asked: _Asked | None = analysed.get(name)
    if asked is None:
        words = _rarest(question_words(*name, limit=MAX_LOOKED_AT), site_id)
        asked = analysed[name] = _Asked(words, _keys(words))
    return asked


def _keys(words: Sequence[Word]) -> dict[str, int]:
    return {term: term_key(term) for term in distinct_terms(words)}


def _rarest(words: list[Word], site_id: int) -> list[Word]:
    """Return the words, in their order, that say most where they are too many.

    Those that fewest public pages have; last, those that none has. Hidden pages cannot
    tell which.
    """
    terms = distinct_terms(words)
    if len(terms) <= MAX_QUESTION_TERMS:
        return words
    pages = _holding(terms, site_id)

    def rarity(word: Word) -> tuple[bool, int]:
        held = max(pages[term] for term in (*word.terms, *word.others))
        return held == 0, held

    kept = set(first_words(sorted(words, key=rarity), MAX_QUESTION_TERMS))
    return [word for word in words if word in kept]


def _holding(terms: Sequence[str], site_id: int) -> Mapping[str, int]:
    """Return how many public pages hold each term; what is known of it is not read."""
    keys = {term: term_key(term) for term in terms}
    snapshot = likely(site_id)
    known = known_rarities(snapshot, terms)
    seen, postings = read(site_id, [keys[term] for term in terms if term not in known])
    if seen is not snapshot:
        known = {}
        seen, postings = read(site_id, list(keys.values()))
    new = {term: postings[key] for term, key in keys.items() if term not in known}
    rare = {**known, **rarities(seen, new)}
    return {term: rare[term].pages for term in terms}


def question_terms(question: Question, scope: Scope) -> list[str]:
    """Return all terms that a page may be found by."""
    return distinct_terms(words_of(question, scope))


def version_said(text: str, site_id: int) -> str:
    """Return the version of the site's public pages that a text names, or nothing."""
    if not versions.may_be_said_in(text):
        return ""
    labels = current(site_id).public_labels
    return versions.said_in(text, {label.version for label in labels} - {""})


def hold_parts(scopes: Sequence[Scope]) -> bool:
    """Tell whether a page that is found in these scopes may be found in several parts.

    Restricted parts do not count where the public partition alone is searched.
    """
    if not scopes:
        return False
    snapshot = current(scopes[0].site_id)
    is_public = all(scope.partition == "public" for scope in scopes)
    parts = snapshot.parts & snapshot.public if is_public else snapshot.parts
    return bool(parts.any())


def search(words: Sequence[Word], scope: Scope, limit: int) -> list[Candidate]:
    """Return the best pages of the scope's partition, one candidate a page.

    Args:
        words: Those of the question, from `words_of`.
        scope: Where to look; pages outside it count in the statistics all the same.
        limit: How many candidates at most.

    Returns:
        Best first by score (rounded to 9 decimals), then by source, object, language
        and part. Raw scores, above 0, without an upper bound; adding floats in the
        order of the terms makes them the same whatever the history of the index.
        No words give none.
    """
    if not words or limit < 1:
        return []
    found = scored(words, scope.site_id)
    eligible = eligible_pages(found.snapshot, scope)
    best = _best_covered(found, eligible, limit)
    return candidates_of(found, best)


@dataclass(frozen=True, slots=True)
class Scored:
    """What each page and passage scores for some words, whoever may see it.

    `pages` has the score of each page as a whole, to which that of its best passage is
    added.
    """

    snapshot: Snapshot
    pages: Floats
    passages: Floats
    coverage: Coverage

    def totals(self, numbers: Integers) -> Floats:
        """Return the scores of some pages."""
        best = best_of(self.passages, self.snapshot.first, numbers)
        totals: Floats = self.pages.take(numbers) + best
        return totals


def scored(words: Sequence[Word], site_id: int) -> Scored:
    """Score all pages, once for all partitions that a question is put to."""
    moment = moment_of(site_id)
    analysed = moment.analysed.items()
    # Most often the very list that the words were given out in.
    asked = next((each for each in analysed if each[1].words is words), None)
    name = asked[0] if asked else tuple(words)
    kept: Scored | None = moment.made.get(name)
    if kept is None:
        keys = asked[1].keys if asked else _keys(words)
        snapshot, postings = read(site_id, list(keys.values()))
        kept = moment.made[name] = _score(
            snapshot, words, {term: postings[key] for term, key in keys.items()}
        )
    return kept


def _score(
    snapshot: Snapshot, words: Sequence[Word], found: Mapping[str, TermPostings]
) -> Scored:
    rare = rarities(snapshot, found)
    pages = {term: rarity.pages for term, rarity in rare.items()}
    chosen = [(word, chosen_terms(word, pages)) for word in words]
    wanted = {term: found[term] for _, terms in chosen for term in terms}
    added = scores(snapshot, wanted, rare)
    coverage = Coverage(snapshot, chosen, pages, wanted, added)
    return Scored(snapshot, added[0].scores, added[1].scores, coverage)


def eligible_pages(snapshot: Snapshot, scope: Scope) -> Bools:
    """Return which pages are alive, in the scope's partition and within its filters."""
    asked = (
        *(scope.partition, scope.version, tuple(scope.sources)),
        *(tuple(scope.languages), tuple(scope.types), frozenset(scope.item_types)),
    )
    eligible: Bools | None = snapshot.eligible.get(asked)
    if eligible is None:
        if len(snapshot.eligible) >= MAX_FILTERS:
            snapshot.eligible.clear()
        eligible = snapshot.eligible[asked] = _filtered(snapshot, scope)
    return eligible


def _filtered(snapshot: Snapshot, scope: Scope) -> Bools:
    import numpy as np

    newest_of = snapshot.newest_versions
    wanted = np.array(
        [in_scope(label, scope, newest_of) for label in snapshot.every_label], bool
    )
    partition = snapshot.public if scope.partition == "public" else ~snapshot.public
    eligible: Bools = snapshot.alive & partition & wanted[snapshot.labels]
    return eligible


def in_scope(label: Label, scope: Scope, newest_of: Mapping[str, str]) -> bool:
    """Tell whether pages with this label pass the scope's filters; empty lets all in.

    Languages are compared by their primary subtag; a page without a language fits
    every one. Of versions an empty one lets the newest in.
    """
    return (
        (not scope.sources or label.source in scope.sources)
        and versions.fits(label, scope.version, newest_of)
        and _in_languages(label.language, scope.languages)
        and _in_types(label.types, scope.types)
        and _is_asked_for(label.types, scope.item_types)
    )


def _in_languages(language: str, wanted: Sequence[str]) -> bool:
    if not wanted or not language:
        return True
    return primary_subtag(language) in {primary_subtag(name) for name in wanted}


def primary_subtag(language: str) -> str:
    return language.replace("_", "-").split("-")[0].casefold()


def _in_types(types: Sequence[str], wanted: Sequence[str]) -> bool:
    if not wanted:
        return True
    return not {name.casefold() for name in types}.isdisjoint(
        name.casefold() for name in wanted
    )


def _is_asked_for(types: Sequence[str], asked: Set[str]) -> bool:
    return not asked or any(name.casefold() in asked for name in types)


def _best_covered(
    found: Scored, eligible: Bools, limit: int
) -> list[tuple[int, float]]:
    """Return the best pages that hold enough of the question."""
    kept: list[tuple[int, float]] = []
    seen, looked_at = 0, limit
    while True:
        best = _best(found, eligible, looked_at)
        rest = best[seen:]
        enough = found.coverage.enough([number for number, _score in rest])
        kept += [pair for pair, holds in zip(rest, enough, strict=True) if holds]
        if len(kept) >= limit or len(best) < looked_at:
            return kept[:limit]
        seen, looked_at = looked_at, looked_at * 4


def _best(found: Scored, eligible: Bools, limit: int) -> list[tuple[int, float]]:
    """Return the best page numbers with their scores, ties by identity."""
    import numpy as np

    numbers, totals = _highest(found, eligible, limit)
    if len(numbers) > limit:
        least = np.partition(totals, len(totals) - limit)[len(totals) - limit]
        # What is rounded to the same score is kept.
        keep = (totals > least - 2 * 10.0**-SCORE_DIGITS).nonzero()[0]
        numbers, totals = numbers.take(keep), totals.take(keep)
    rounded = np.round(totals, SCORE_DIGITS).tolist()
    pairs = sorted(zip(numbers.tolist(), rounded, strict=True), key=_falling)
    best: list[tuple[int, float]] = []
    for _score, equal in groupby(pairs, key=itemgetter(1)):
        tied = list(equal)
        if len(tied) > 1:
            tied.sort(key=lambda pair: identity(found.snapshot, pair[0]))
        best += tied
    return best[:limit]


def _falling(pair: tuple[int, float]) -> float:
    return -pair[1]


def _highest(found: Scored, eligible: Bools, limit: int) -> tuple[Integers, Floats]:
    """Return some eligible pages with their scores, all of the best `limit` included.

    Also included is what is rounded to the same score as the last of these. A page is
    looked at when it, or one of its passages, has a certain share of the highest score
    of its kind: all others score less than both shares together.
    """
    import numpy as np

    pages, passages = found.pages, found.passages
    highest = float(pages.max(initial=0.0)), float(passages.max(initial=0.0))
    for share in LOOKED_AT:
        of_page, of_passage = (share * high for high in highest)
        looked_at = pages > of_page
        high = (passages > of_passage).nonzero()[0]
        looked_at[found.snapshot.passage_page.take(high)] = True
        looked_at &= eligible
        numbers = looked_at.nonzero()[0]
        if share and len(numbers) < limit:
            continue
        totals = found.totals(numbers)
        surely = totals > of_page + of_passage + 10.0**-SCORE_DIGITS
        if not share or np.count_nonzero(surely) >= limit:
            break
    return numbers, totals


def identity(snapshot: Snapshot, number: int) -> tuple[str, str, str, str]:
    label = snapshot.every_label[int(snapshot.labels[number])]
    object_id, part = snapshot.keys.names(number)
    return label.source, object_id, label.language, part


def candidates_of(found: Scored, best: Sequence[tuple[int, float]]) -> list[Candidate]:
    """Return pages, by their numbers and scores, with their best passages."""
    import numpy as np

    numbers = np.array([number for number, _score in best], np.intp)
    first = found.snapshot.first
    begins, ends = first.take(numbers).tolist(), first.take(numbers + 1).tolist()
    wholes = found.pages.take(numbers).tolist()
    return [
        _candidate(found, *pair, whole, found.passages[begin:end].tolist())
        for pair, whole, begin, end in zip(best, wholes, begins, ends, strict=True)
    ]


def _candidate(
    found: Scored, number: int, score: float, whole: float, passages: list[float]
) -> Candidate:
    source, object_id, language, part = identity(found.snapshot, number)
    best = max(passages, default=0.0)
    return Candidate(
        source=source,
        object_id=object_id,
        language=language,
        part=part,
        score=score,
        passage=passages.index(best) if best else None,
        whole=round(whole, SCORE_DIGITS),
    )
