"""Pages that another engine found, scored as `nlweb_ask.index.search` would score them.

The engine is asked for one block of hits after the other, always the same blocks, until
enough pages of the scope are found. So a larger limit only appends.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.db import DatabaseError

from nlweb_ask.index.analysis import EXACT_MARK, Word, distinct_terms, term_key
from nlweb_ask.index.coverage import Coverage, chosen_terms
from nlweb_ask.index.postings import (
    PAGE_FIELDS,
    PASSAGE_FIELDS,
    WEIGHTS,
    Field,
    FieldPostings,
)
from nlweb_ask.index.reading import TermPostings, current, read, read_alias
from nlweb_ask.index.search import (
    EXACT_WEIGHT,
    K1,
    SCORE_DIGITS,
    B,
    in_scope,
    public_pages,
    words_of,
)
from nlweb_ask.index.snapshot import Snapshot
from nlweb_ask.models import Document
from nlweb_ask.plugins import Candidate, IndexUnavailable, Question, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Integers = NDArray[np.integer[Any]]

# Each begins where its own length ends, since some engines can only turn whole pages.
BLOCKS: Final = ((0, 100), (100, 200), (200, 400), (400, 800), (800, 1600))
# What only the engine's own rules find begins at half of what the least other page has.
FOUND_OTHERWISE: Final = 0.5
HALVED_AFTER: Final = 100


class Hit(NamedTuple):
    """What an engine knows of a page; its language and its parts are looked up here."""

    source: str
    object_id: str


# Called with the first hit wanted and the one after the last; none = there are no more.
Engine = Callable[[int, int], Sequence[Hit]]


def literal_words(question: Question, scope: Scope) -> list[str]:
    """Return the words to ask an engine for, each once, in lower case.

    They hold letters, marks and digits only: nothing that any engine reads as syntax.
    Stop words are left out, and mistyped words come with what may be meant.
    """
    corrected = question.corrected_text
    asked = [question]
    if corrected:
        asked.append(replace(question, decontextualized_query=corrected))
    texts = (word.text for each in asked for word in words_of(each, scope))
    return list(dict.fromkeys(word for text in texts for word in _plain(text)))


def _plain(text: str) -> Sequence[str]:
    signs = (
        sign if unicodedata.category(sign)[0] in "LMN" else " " for sign in text.lower()
    )
    return "".join(signs).split()


def rescored(
    question: Question, scope: Scope, engine: Engine, limit: int
) -> list[Candidate]:
    """Return the pages of the scope that `engine` finds, best first by our scores.

    A later block is never put before an earlier one. A page that the engine finds by
    rules of its own, such as synonyms, comes after those of its block that have a word
    of the question. What is not indexed here, or holds too little of the question, is
    left out.

    Raises:
        IndexUnavailable: When our index cannot be read.
    """
    words = words_of(question, scope)
    if not words or limit < 1:
        return []
    scorer = _Scorer.of(words, scope)
    if not scorer.eligible.any():
        return []
    found: dict[Any, Candidate] = {}
    ceiling = math.inf
    for hits in _blocks(engine):
        block = [each for each in scorer.best(hits) if each.reference not in found]
        found |= {each.reference: _capped(each, ceiling) for each in block}
        if len(found) >= limit:
            break
        ceiling = min((each.score for each in found.values()), default=math.inf)
    return list(found.values())[:limit]


def _blocks(engine: Engine) -> Iterator[Sequence[Hit]]:
    for start, stop in BLOCKS:
        hits = engine(start, stop)
        if not hits:
            return
        yield hits


def _capped(candidate: Candidate, ceiling: float) -> Candidate:
    if candidate.score <= ceiling:
        return candidate
    share = ceiling / candidate.score
    return replace(candidate, score=ceiling, whole=candidate.whole * share)


@dataclass(frozen=True, slots=True)
class _Scorer:
    """Scores the pages of some hits for the words of one question."""

    site_id: int
    snapshot: Snapshot
    postings: Mapping[str, TermPostings]
    coverage: Coverage
    eligible: Bools

    @classmethod
    def of(cls, words: Sequence[Word], scope: Scope) -> _Scorer:
        keys = {term: term_key(term) for term in distinct_terms(words)}
        snapshot, postings = read(scope.site_id, list(keys.values()))
        found = {term: postings[key] for term, key in keys.items()}
        pages = {term: public_pages(snapshot, found[term]) for term in found}
        chosen = [(word, chosen_terms(word, pages)) for word in words]
        return cls(
            scope.site_id,
            snapshot,
            {term: found[term] for _word, terms in chosen for term in terms},
            Coverage(snapshot, found, chosen, pages),
            _eligible(snapshot, scope),
        )

    def best(self, hits: Sequence[Hit]) -> list[Candidate]:
        """Return the pages of the scope among `hits`, best first."""
        numbers = self._numbers(hits)
        if not numbers:
            return []
        pages, passages = self._scores(numbers)
        candidates = [_candidate(self.snapshot, n, pages, passages) for n in numbers]
        enough = self.coverage.enough(numbers)
        ours = [
            each
            for each, holds in zip(candidates, enough, strict=True)
            if holds and each.score > 0
        ]
        others = [each for each in candidates if each.score <= 0]
        least = min((each.score for each in ours), default=1.0)
        ours.sort(key=lambda each: (-each.score, each.reference))
        return [*ours, *_below(others, least)]

    def _numbers(self, hits: Sequence[Hit]) -> list[int]:
        """Return the numbers of the pages of `hits`, in their order."""
        import numpy as np

        places = _documents(hits, self.site_id)
        mine = np.isin(self.snapshot.documents, list(places)) & self.eligible
        numbers = [int(number) for number in np.flatnonzero(mine)]
        documents = self.snapshot.documents
        return sorted(numbers, key=lambda n: (places[int(documents[n])], n))

    def _scores(self, numbers: Sequence[int]) -> tuple[Floats, Floats]:
        """Return the scores of all pages and passages, 0 where they were not asked for.

        They are those of `nlweb_ask.index.search`, once rounded.
        """
        import numpy as np

        wanted = np.zeros(len(self.snapshot.documents), bool)
        wanted[numbers] = True
        pages = np.zeros(len(wanted))
        passages = np.zeros(len(self.snapshot.passage_lengths))
        wanted_passages = wanted[self.snapshot.passage_page]
        for term, found in self.postings.items():
            weight = EXACT_WEIGHT if term[0] == EXACT_MARK else 1.0
            for field, parts in _by_field(found).items():
                in_passages = field in PASSAGE_FIELDS
                _add(
                    self.snapshot,
                    field,
                    parts,
                    weight,
                    wanted_passages if in_passages else wanted,
                    passages if in_passages else pages,
                )
        return pages, passages


def _eligible(snapshot: Snapshot, scope: Scope) -> Bools:
    """Return which pages are alive, in the scope's partition and within its filters."""
    import numpy as np

    newest = snapshot.newest_versions
    fits = [in_scope(label, scope, newest) for label in snapshot.label_table]
    partition = snapshot.public if scope.partition == "public" else ~snapshot.public
    eligible: Bools = snapshot.alive & partition & np.array(fits, bool)[snapshot.labels]
    return eligible


def _documents(hits: Sequence[Hit], site_id: int) -> dict[int, int]:
    """Return the ids of the documents that we have of `hits`, with their places."""
    places = {hit: place for place, hit in reversed(list(enumerate(hits)))}
    by_source: dict[str, list[str]] = {}
    for hit in places:
        by_source.setdefault(hit.source, []).append(hit.object_id)
    documents = Document.objects.using(read_alias()).filter(site_id=site_id)
    found: dict[int, int] = {}
    try:
        for source, object_ids in by_source.items():
            rows = documents.filter(source=source, object_id__in=object_ids)
            for pk, object_id in rows.values_list("pk", "object_id"):
                place = places.get(Hit(source, object_id))
                if place is not None:  # a collation may hold ids equal that are not
                    found[pk] = place
    except DatabaseError as error:
        msg = "The search index could not be read."
        raise IndexUnavailable(msg) from error
    return found


def _by_field(found: TermPostings) -> dict[Field, list[FieldPostings]]:
    fields: dict[Field, list[FieldPostings]] = {}
    for field in Field:
        parts = [part for part_field, part in found if part_field is field]
        if parts:
            fields[field] = parts
    return fields


def _add(
    snapshot: Snapshot,
    field: Field,
    parts: Sequence[FieldPostings],
    weight: float,
    wanted: Bools,
    scores: Floats,
) -> None:
    """Add one term's share in one field to the pages or passages that are wanted."""
    import numpy as np

    numbers: Integers = np.concatenate([part.numbers for part in parts])
    frequencies = np.concatenate([part.frequencies for part in parts]).astype("f8")
    lengths, counted = _columns(snapshot, field)
    total, mean = snapshot.field_statistics[field]
    holding = int(counted[numbers].sum())
    idf = math.log(1.0 + (total - holding + 0.5) / (holding + 0.5))
    kept = wanted[numbers]
    numbers, frequencies = numbers[kept], frequencies[kept]
    norm = K1 * (1.0 - B + B * (lengths[numbers] / mean))
    share = idf * (frequencies * (K1 + 1.0) / (frequencies + norm))
    np.add.at(scores, numbers, weight * WEIGHTS[field] * share)


def _columns(snapshot: Snapshot, field: Field) -> tuple[Integers, Bools]:
    if field in PASSAGE_FIELDS:
        column = PASSAGE_FIELDS.index(field)
        return snapshot.passage_lengths[:, column], snapshot.counted_passages
    return snapshot.page_lengths[:, PAGE_FIELDS.index(field)], snapshot.counted


def _candidate(
    snapshot: Snapshot, number: int, pages: Floats, passages: Floats
) -> Candidate:
    label = snapshot.label_table[int(snapshot.labels[number])]
    own = passages[int(snapshot.first[number]) : int(snapshot.first[number + 1])]
    has_words = bool(len(own) and own.any())
    best = float(own.max()) if has_words else 0.0
    return Candidate(
        source=label.source,
        object_id=snapshot.keys[number].object_id,
        language=label.language,
        part=snapshot.keys[number].part,
        score=round(float(pages[number]) + best, SCORE_DIGITS),
        passage=int(own.argmax()) if has_words else None,
        whole=round(float(pages[number]), SCORE_DIGITS),
    )


def _below(others: Iterable[Candidate], least: float) -> list[Candidate]:
    """Give pages scores below `least`, falling in their order."""
    return [
        replace(each, score=least * FOUND_OTHERWISE / (1.0 + place / HALVED_AFTER))
        for place, each in enumerate(others)
    ]


def language_tags(scope: Scope) -> Sequence[str]:
    """Return the languages that an answer may be in; the site's public ones for any."""
    return scope.languages or current(scope.site_id).languages
