"""BM25 over the posting blobs, with statistics of live public pages only.

Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
with Lucene's IDF. The score of a page is its best passage, plus the whole page, plus
shares of title and properties (`postings.WEIGHTS`), all on raw scores: no maximum exists
that a hidden page could move. A page that holds too little of the question is left out
(`coverage`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Final

from nlweb_ask.index import versions
from nlweb_ask.index.analysis import (
    EXACT_MARK,
    Word,
    distinct_terms,
    question_words,
    term_key,
)
from nlweb_ask.index.coverage import Coverage, chosen_terms
from nlweb_ask.index.postings import (
    PAGE_FIELDS,
    PASSAGE_FIELDS,
    WEIGHTS,
    Field,
    FieldPostings,
    Label,
)
from nlweb_ask.index.reading import TermPostings, current, fingerprint, read
from nlweb_ask.index.snapshot import Snapshot
from nlweb_ask.plugins import Candidate, Question, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

__all__ = ["fingerprint", "question_terms", "search", "version_said", "words_of"]

K1: Final = 1.2
B: Final = 0.75
SCORE_DIGITS: Final = 9
# A word with its accents as typed counts this much beside the word without them.
EXACT_WEIGHT: Final = 0.25


def words_of(question: Question, scope: Scope) -> list[Word]:
    """Return the words to search for, in the languages that the scope may answer in."""
    languages = scope.languages or current(scope.site_id).languages
    corrected = question.corrected_text or ""
    return question_words(question.search_text, languages, corrected)


def question_terms(question: Question, scope: Scope) -> list[str]:
    """Return all terms that a page may be found by."""
    return distinct_terms(words_of(question, scope))


def version_said(text: str, site_id: int) -> str:
    """Return the version of the site's public pages that a text names, or nothing."""
    if not versions.may_be_said_in(text):
        return ""
    labels = current(site_id).public_labels
    return versions.said_in(text, {label.version for label in labels} - {""})


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
    keys = {term: term_key(term) for term in distinct_terms(words)}
    snapshot, postings = read(scope.site_id, list(keys.values()))
    if not len(snapshot.documents):
        return []
    found = {term: postings[key] for term, key in keys.items()}
    pages = {term: public_pages(snapshot, found[term]) for term in found}
    chosen = [(word, chosen_terms(word, pages)) for word in words]
    page_scores, passage_scores = _scores(
        snapshot, {term: found[term] for _, terms in chosen for term in terms}
    )
    totals = page_scores + _best_passages(snapshot, passage_scores)
    totals[~_eligible(snapshot, scope)] = 0.0
    coverage = Coverage(snapshot, found, chosen, pages)
    return [
        _candidate(snapshot, number, score, page_scores, passage_scores)
        for number, score in _best_covered(snapshot, totals, coverage, limit)
    ]


def public_pages(snapshot: Snapshot, found: TermPostings) -> int:
    """Return how many live public pages hold a term."""
    parts = [part.numbers for field, part in found if field is Field.PAGE]
    return sum(int(snapshot.counted[numbers].sum()) for numbers in parts)


def _scores(
    snapshot: Snapshot, postings: Mapping[str, TermPostings]
) -> tuple[Floats, Floats]:
    import numpy as np

    page_scores = np.zeros(len(snapshot.documents))
    passage_scores = np.zeros(len(snapshot.passage_lengths))
    for term, found in postings.items():
        weight = EXACT_WEIGHT if term[0] == EXACT_MARK else 1.0
        for field in Field:
            parts = [part for part_field, part in found if part_field is field]
            if parts:
                scores = passage_scores if field in PASSAGE_FIELDS else page_scores
                _add(snapshot, field, parts, scores, weight)
    return page_scores, passage_scores


def _add(
    snapshot: Snapshot,
    field: Field,
    parts: Sequence[FieldPostings],
    scores: Floats,
    weight: float,
) -> None:
    """Add one term's share in one field to every page or passage that holds it."""
    import numpy as np

    numbers = np.concatenate([part.numbers for part in parts])
    frequencies = np.concatenate([part.frequencies for part in parts]).astype("f8")
    lengths, counted = _field_columns(snapshot, field)
    total, mean = snapshot.field_statistics[field]
    holding = int(counted[numbers].sum())
    idf = math.log(1.0 + (total - holding + 0.5) / (holding + 0.5))
    norm = K1 * (1.0 - B + B * (lengths[numbers] / mean))
    share = idf * (frequencies * (K1 + 1.0) / (frequencies + norm))
    np.add.at(scores, numbers, weight * WEIGHTS[field] * share)


def _field_columns(snapshot: Snapshot, field: Field) -> tuple[Any, Bools]:
    if field in PASSAGE_FIELDS:
        column = PASSAGE_FIELDS.index(field)
        return snapshot.passage_lengths[:, column], snapshot.counted_passages
    return snapshot.page_lengths[:, PAGE_FIELDS.index(field)], snapshot.counted


def _best_passages(snapshot: Snapshot, passage_scores: Floats) -> Floats:
    import numpy as np

    best = np.zeros(len(snapshot.documents))
    hit = np.flatnonzero(passage_scores)
    np.maximum.at(best, snapshot.passage_page[hit], passage_scores[hit])
    return best


def _eligible(snapshot: Snapshot, scope: Scope) -> Bools:
    """Return which pages are alive, in the scope's partition and within its filters."""
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

    numbers = np.flatnonzero(totals)
    rounded = np.round(totals[numbers], SCORE_DIGITS)
    if len(numbers) > limit:
        least = np.partition(rounded, len(rounded) - limit)[len(rounded) - limit]
        keep = rounded >= least
        numbers, rounded = numbers[keep], rounded[keep]
    pairs = zip(numbers.tolist(), rounded.tolist(), strict=True)
    return sorted(pairs, key=lambda pair: (-pair[1], *_identity(snapshot, pair[0])))[
        :limit
    ]


def _identity(snapshot: Snapshot, number: int) -> tuple[str, str, str, str]:
    label = snapshot.label_table[int(snapshot.labels[number])]
    key = snapshot.keys[number]
    return label.source, key.object_id, label.language, key.part


def _candidate(
    snapshot: Snapshot,
    number: int,
    score: float,
    page_scores: Floats,
    passage_scores: Floats,
) -> Candidate:
    source, object_id, language, part = _identity(snapshot, number)
    own = passage_scores[int(snapshot.first[number]) : int(snapshot.first[number + 1])]
    return Candidate(
        source=source,
        object_id=object_id,
        language=language,
        part=part,
        score=score,
        passage=int(own.argmax()) if len(own) and own.any() else None,
        whole=round(float(page_scores[number]), SCORE_DIGITS),
    )
