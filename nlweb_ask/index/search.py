"""BM25 over the posting blobs, with statistics of live public pages only.

Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
with Lucene's IDF. The score of a page is its best passage, plus the whole page, plus
shares of title and properties (`postings.WEIGHTS`), all on raw scores: no maximum exists
that a hidden page could move. A page that holds too little of the question is left out
(`coverage`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nlweb_ask.index import versions
from nlweb_ask.index.analysis import (
    EXACT_MARK,
    MAX_QUESTION_TERMS,
    Word,
    distinct_terms,
    first_words,
    question_words,
    term_key,
)
from nlweb_ask.index.coverage import Coverage, chosen_terms
from nlweb_ask.index.postings import (
    PASSAGE_FIELDS,
    WEIGHTS,
    Field,
    FieldPostings,
    Label,
)
from nlweb_ask.index.reading import (
    TermPostings,
    current,
    fingerprint,
    likely,
    moment_of,
    read,
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
    "K1",
    "B",
    "Scored",
    "candidate_of",
    "eligible_pages",
    "fingerprint",
    "hold_parts",
    "question_terms",
    "scored",
    "search",
    "version_said",
    "words_of",
    "words_read",
]

SCORE_DIGITS: Final = 9
# A word with its accents as typed counts this much beside the word without them.
EXACT_WEIGHT: Final = 0.25
# Of a longer question it is not even counted how many pages have its words.
MAX_LOOKED_AT: Final = 512  # terms
# What callers ask to see is kept for so many of their filters, a byte a page each.
MAX_FILTERS: Final = 16
# Half of the best score, then half of that: pages below are not looked at in vain.
STEP_DOWN: Final = 0.5
STEPS_DOWN: Final = 6


def words_of(question: Question, scope: Scope) -> list[Word]:
    """Return the words to search for, in the languages that the scope may answer in."""
    languages = scope.languages or current(scope.site_id).languages
    return _words(question, scope.site_id, languages)


def words_read(question: Question, scope: Scope) -> list[Word]:
    """Return what `words_of` does, with their postings read in the same look."""
    snapshot = likely(scope.site_id)
    while True:
        languages = scope.languages or snapshot.languages
        words = _words(question, scope.site_id, languages)
        keys = [term_key(term) for term in distinct_terms(words)]
        snapshot, _ = read(scope.site_id, keys)
        if languages == (scope.languages or snapshot.languages):
            return words


def _words(question: Question, site_id: int, languages: Sequence[str]) -> list[Word]:
    asked = question.search_text, tuple(languages), question.corrected_text or ""
    analysed = moment_of(site_id).analysed
    if asked not in analysed:
        words = question_words(*asked, limit=MAX_LOOKED_AT)
        analysed[asked] = _rarest(words, site_id)
    kept: list[Word] = analysed[asked]
    return kept


def _rarest(words: list[Word], site_id: int) -> list[Word]:
    """Return the words, in their order, that say most where they are too many.

    Those that fewest public pages have; last, those that none has. Hidden pages cannot
    tell which.
    """
    terms = distinct_terms(words)
    if len(terms) <= MAX_QUESTION_TERMS:
        return words
    keys = {term: term_key(term) for term in terms}
    snapshot, postings = read(site_id, list(keys.values()))
    pages = holding_pages(snapshot, {t: postings[key] for t, key in keys.items()})

    def rarity(word: Word) -> tuple[bool, int]:
        held = max(pages[term] for term in (*word.terms, *word.others))
        return held == 0, held

    kept = set(first_words(sorted(words, key=rarity), MAX_QUESTION_TERMS))
    return [word for word in words if word in kept]


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
    snapshot = found.snapshot
    if not len(snapshot.documents):
        return []
    totals = found.totals * eligible_pages(snapshot, scope)
    return [
        candidate_of(snapshot, number, score, found.pages, found.passages)
        for number, score in _best_covered(snapshot, totals, found.coverage, limit)
    ]


@dataclass(frozen=True, slots=True)
class Scored:
    """What each page and passage scores for some words, whoever may see it."""

    snapshot: Snapshot
    pages: Floats
    passages: Floats
    totals: Floats
    coverage: Coverage


def scored(words: Sequence[Word], site_id: int) -> Scored:
    """Score all pages, once for all partitions that a question is put to."""
    keys = {term: term_key(term) for term in distinct_terms(words)}
    snapshot, postings = read(site_id, list(keys.values()))
    made = moment_of(site_id).made
    asked = tuple(words)
    if asked not in made:
        made[asked] = _score(
            snapshot, words, {term: postings[key] for term, key in keys.items()}
        )
    kept: Scored = made[asked]
    return kept


def _score(
    snapshot: Snapshot, words: Sequence[Word], found: Mapping[str, TermPostings]
) -> Scored:
    runs = _runs(found)
    pages = _holding(snapshot, found, runs)
    chosen = [(word, chosen_terms(word, pages)) for word in words]
    wanted = {term: found[term] for _, terms in chosen for term in terms}
    if len(wanted) < len(found):
        runs = _runs(wanted)
    page_scores, passage_scores = _scores(snapshot, wanted, runs)
    return Scored(
        snapshot,
        page_scores,
        passage_scores,
        page_scores + _best_passages(snapshot, passage_scores),
        Coverage(snapshot, found, chosen, pages),
    )


def holding_pages(
    snapshot: Snapshot, found: Mapping[str, TermPostings]
) -> dict[str, int]:
    """Return how many live public pages hold each term."""
    return _holding(snapshot, found, _runs(found))


def _holding(
    snapshot: Snapshot, terms: Iterable[str], runs: Mapping[Field, _Run]
) -> dict[str, int]:
    holding = dict.fromkeys(terms, 0)
    run = runs.get(Field.PAGE)
    if run is not None:
        holding |= dict(zip(run.terms, run.holding(snapshot.counted), strict=True))
    return holding


class _Run(NamedTuple):
    """The postings of several terms in one field, end to end."""

    terms: Sequence[str]  # those that have any
    sizes: Sequence[int]
    numbers: Integers
    frequencies: Integers

    def holding(self, counted: Bools) -> list[int]:
        """Return how many of the pages or passages of each term are counted."""
        import numpy as np

        starts = [0, *accumulate(self.sizes[:-1])]
        # `take` is several times as fast as an index in brackets.
        flags = counted.view("u1").take(self.numbers)
        sums: Integers = np.add.reduceat(flags, starts, dtype="i8")
        holding: list[int] = sums.tolist()
        return holding

    def shares(self, snapshot: Snapshot, field: Field) -> Floats:
        """Return what each posting adds to the score of its page or passage."""
        import numpy as np

        total, _mean = snapshot.field_statistics[field]
        counted = (
            snapshot.counted_passages if field in PASSAGE_FIELDS else snapshot.counted
        )
        idf = [
            math.log(1.0 + (total - held + 0.5) / (held + 0.5))
            for held in self.holding(counted)
        ]
        weights = [
            (EXACT_WEIGHT if term[0] == EXACT_MARK else 1.0) * WEIGHTS[field]
            for term in self.terms
        ]
        norm = snapshot.norms[field].take(self.numbers)
        shares = self.frequencies.astype("f8")
        norm += shares
        shares *= K1 + 1.0
        shares /= norm
        shares *= np.array(idf).repeat(self.sizes)
        shares *= np.array(weights).repeat(self.sizes)
        return shares


def _runs(found: Mapping[str, TermPostings]) -> dict[Field, _Run]:
    """Put the postings of all terms end to end, field by field."""
    import numpy as np

    parts: dict[Field, list[FieldPostings]] = {}
    sizes: dict[Field, dict[str, int]] = {}
    for term, postings in found.items():
        for field, part in postings:
            parts.setdefault(field, []).append(part)
            of_field = sizes.setdefault(field, {})
            of_field[term] = of_field.get(term, 0) + len(part.numbers)
    return {
        field: _Run(
            list(sizes[field]),
            list(sizes[field].values()),
            np.concatenate([part.numbers for part in of_field]),
            np.concatenate([part.frequencies for part in of_field]),
        )
        for field, of_field in parts.items()
    }


def _scores(
    snapshot: Snapshot, terms: Iterable[str], runs: Mapping[Field, _Run]
) -> tuple[Floats, Floats]:
    """Return the scores of pages and of passages.

    Added in the order of the terms, and of a term in the order of the fields, so that
    the sums are the same to the last bit whatever the index went through.
    """
    import numpy as np

    page_scores = np.zeros(len(snapshot.documents))
    passage_scores = np.zeros(len(snapshot.passage_lengths))
    added: dict[str, list[tuple[Field, Integers, Floats]]] = {}
    for field, run in sorted(runs.items()):
        shares, begin = run.shares(snapshot, field), 0
        for term, size in zip(run.terms, run.sizes, strict=True):
            end = begin + size
            part = slice(begin, end)
            added.setdefault(term, []).append((field, run.numbers[part], shares[part]))
            begin = end
    for term in terms:
        for field, numbers, share in added.get(term, ()):
            scores = passage_scores if field in PASSAGE_FIELDS else page_scores
            np.add.at(scores, numbers, share)
    return page_scores, passage_scores


def _best_passages(snapshot: Snapshot, passage_scores: Floats) -> Floats:
    import numpy as np

    best = np.zeros(len(snapshot.documents))
    hit = np.flatnonzero(passage_scores > 0.0)  # of floats it is much slower
    np.maximum.at(best, snapshot.passage_page[hit], passage_scores[hit])
    return best


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
        [in_scope(label, scope, newest_of) for label in snapshot.label_table], bool
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
    snapshot: Snapshot, totals: Floats, coverage: Coverage, limit: int
) -> list[tuple[int, float]]:
    """Return the best pages that hold enough of the question."""
    kept: list[tuple[int, float]] = []
    seen, looked_at = 0, limit
    while True:
        best = _best(snapshot, totals, looked_at)
        rest = best[seen:]
        enough = coverage.enough([number for number, _score in rest])
        kept += [pair for pair, holds in zip(rest, enough, strict=True) if holds]
        if len(kept) >= limit or len(best) < looked_at:
            return kept[:limit]
        seen, looked_at = looked_at, looked_at * 4


def _best(snapshot: Snapshot, totals: Floats, limit: int) -> list[tuple[int, float]]:
    """Return the best page numbers with their scores, ties by identity."""
    import numpy as np

    numbers = _highest(totals, limit)
    rounded = np.round(totals[numbers], SCORE_DIGITS)
    if len(numbers) > limit:
        least = np.partition(rounded, len(rounded) - limit)[len(rounded) - limit]
        keep = rounded >= least
        numbers, rounded = numbers[keep], rounded[keep]
    order = np.argsort(-rounded, kind="stable")
    pairs = zip(numbers[order].tolist(), rounded[order].tolist(), strict=True)
    best: list[tuple[int, float]] = []
    for _score, equal in groupby(pairs, key=itemgetter(1)):
        tied = list(equal)
        if len(tied) > 1:
            tied.sort(key=lambda pair: _identity(snapshot, pair[0]))
        best += tied
    return best[:limit]


def _highest(totals: Floats, limit: int) -> Integers:
    """Return the numbers of some pages, all that are among the best `limit` included."""
    import numpy as np

    # What is rounded to the same score as the last of them is among them.
    least = float(totals.max(initial=0.0))
    for _ in range(STEPS_DOWN):
        least *= STEP_DOWN
        high = totals > least - 10.0**-SCORE_DIGITS
        if least > 0 and np.count_nonzero(totals > least) >= limit:
            return np.flatnonzero(high)
    return np.flatnonzero(totals > 0.0)


def _identity(snapshot: Snapshot, number: int) -> tuple[str, str, str, str]:
    label = snapshot.label_table[int(snapshot.labels[number])]
    key = snapshot.keys[number]
    return label.source, key.object_id, label.language, key.part


def candidate_of(
    snapshot: Snapshot,
    number: int,
    score: float,
    page_scores: Floats,
    passage_scores: Floats,
) -> Candidate:
    source, object_id, language, part = _identity(snapshot, number)
    first, end = snapshot.first[number : number + 2].tolist()
    own = passage_scores[first:end].tolist()
    best = max(own, default=0.0)
    return Candidate(
        source=source,
        object_id=object_id,
        language=language,
        part=part,
        score=score,
        passage=own.index(best) if best else None,
        whole=round(float(page_scores[number]), SCORE_DIGITS),
    )
