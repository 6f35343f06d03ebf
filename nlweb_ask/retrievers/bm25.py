"""rank-bm25 over all pages in memory: for small sites, and to test `keyword` against.

Its scores are those of `nlweb_ask.index.search`, computed anew from the stored texts.
It reads every page again whenever one has changed.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.db import DatabaseError

from nlweb_ask.index.analysis import EXACT_MARK
from nlweb_ask.index.coverage import (
    LEAST,
    SCATTERED,
    chosen_terms,
    held_weight,
    word_weight,
)
from nlweb_ask.index.postings import WEIGHTS, Field, Label
from nlweb_ask.index.question_words import Word
from nlweb_ask.index.reading import read_alias
from nlweb_ask.index.search import EXACT_WEIGHT, fingerprint, in_scope, words_of
from nlweb_ask.index.store import schema_types
from nlweb_ask.index.terms import AnalysedPage, analyse_page
from nlweb_ask.index.versions import newest
from nlweb_ask.models import Document, Passage
from nlweb_ask.plugins import Candidate, IndexUnavailable, Question, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nlweb_ask.retrievers.lucene_bm25 import LuceneBM25

    Scores = NDArray[np.float64]

logger = logging.getLogger(__name__)

# Each question looks at every passage, and every edit means a new reading in each worker.
MAX_PASSAGES: Final = 2_000
SCORE_DIGITS: Final = 9
# A page written while the pages are read makes them no picture of any one moment.
ATTEMPTS: Final = 5


@dataclass(frozen=True, slots=True)
class Page:
    """What is kept of an indexed page to say which it is."""

    source: str
    object_id: str
    language: str
    part: str
    label: Label
    public: bool


@dataclass(frozen=True, slots=True)
class Corpus:
    """All pages of one site with their terms, as they were at one moment."""

    fingerprint: Hashable
    pages: Sequence[Page]
    newest_versions: Mapping[str, str]  # by source, among public pages
    passages: Sequence[tuple[int, int]]  # (row of the page, ordinal)
    title: LuceneBM25
    properties: LuceneBM25
    page: LuceneBM25
    heading: LuceneBM25
    text: LuceneBM25


class Bm25Retriever:
    """Finds pages by their words, for sites of up to some thousand passages."""

    name = "bm25"

    def __init__(self) -> None:
        self._corpora: dict[int, Corpus] = {}
        self._lock = threading.Lock()

    def retrieve(
        self, question: Question, scope: Scope, *, limit: int
    ) -> Sequence[Candidate]:
        words = words_of(question, scope)
        if not words or limit < 1:
            return []
        return _best(self._corpus(scope.site_id), words, scope)[:limit]

    def _corpus(self, site_id: int) -> Corpus:
        with self._lock:
            corpus = self._corpora.get(site_id)
            if corpus is None or corpus.fingerprint != fingerprint(site_id):
                corpus = self._corpora[site_id] = _read(site_id)
        return corpus


def _read(site_id: int) -> Corpus:
    """Read all pages of a site.

    Raises:
        IndexUnavailable: When the tables cannot be read, or change too fast.
    """
    try:
        for _ in range(ATTEMPTS):
            before = fingerprint(site_id)
            rows = _documents(site_id)
            texts = _passages(site_id)
            if fingerprint(site_id) == before:
                return _corpus(before, rows, texts)
    except DatabaseError as error:
        msg = "The search index could not be read."
        raise IndexUnavailable(msg) from error
    msg = "The search index changed too often while it was read."
    raise IndexUnavailable(msg)


def _documents(site_id: int) -> list[Document]:
    rows = Document.objects.using(read_alias()).filter(site_id=site_id, indexed=True)
    return list(rows.order_by("pk"))


def _passages(site_id: int) -> dict[int, list[Passage]]:
    rows = Passage.objects.using(read_alias()).filter(
        document__site_id=site_id, document__indexed=True
    )
    found: dict[int, list[Passage]] = {}
    for row in rows.order_by("document_id", "ordinal"):
        found.setdefault(row.document_id, []).append(row)
    return found


def _corpus(
    seen: Hashable, rows: Iterable[Document], texts: Mapping[int, Sequence[Passage]]
) -> Corpus:
    from nlweb_ask.retrievers.lucene_bm25 import LuceneBM25

    pages: list[Page] = []
    analysed: list[AnalysedPage] = []
    ordinals: list[tuple[int, int]] = []
    for number, row in enumerate(rows):
        own = texts.get(row.pk, ())
        schema = json.loads(row.schema)
        pages.append(_page(row, schema))
        analysed.append(_analysed(row, schema, own))
        ordinals += [(number, passage.ordinal) for passage in own]
    _warn_if_large(len(ordinals))
    public = [page.public for page in pages]
    public_passages = [public[number] for number, _ordinal in ordinals]
    cut = [passage for page in analysed for passage in page.passages]
    return Corpus(
        fingerprint=seen,
        pages=pages,
        newest_versions=newest(page.label for page in pages if page.public),
        passages=ordinals,
        title=LuceneBM25([page.title for page in analysed], public),
        properties=LuceneBM25([page.properties for page in analysed], public),
        page=LuceneBM25([page.page for page in analysed], public),
        heading=LuceneBM25([heading for heading, _text in cut], public_passages),
        text=LuceneBM25([text for _heading, text in cut], public_passages),
    )


def _warn_if_large(passages: int) -> None:
    if passages > MAX_PASSAGES:
        logger.warning(
            "The bm25 retriever holds %d passages in memory; beyond %d use keyword.",
            passages,
            MAX_PASSAGES,
        )


def _page(row: Document, schema: Mapping[str, Any]) -> Page:
    label = Label(row.source, row.language, schema_types(schema), row.version)
    return Page(
        row.source, row.object_id, row.language, row.part, label, public=row.public
    )


def _analysed(
    row: Document, schema: Mapping[str, Any], passages: Sequence[Passage]
) -> AnalysedPage:
    return analyse_page(
        name=row.name,
        abstract=row.abstract,
        schema_object=schema,
        passages=[(passage.heading, passage.text) for passage in passages],
        language=row.language,
    )


def _best(corpus: Corpus, words: Sequence[Word], scope: Scope) -> list[Candidate]:
    import numpy as np

    chosen = [chosen_terms(word, corpus.page.holding) for word in words]
    terms = list(dict.fromkeys(term for of_word in chosen for term in of_word))
    best, ordinals = _best_passages(corpus, terms)
    whole = (
        WEIGHTS[Field.TITLE] * _scores(corpus.title, terms)
        + WEIGHTS[Field.PROPERTIES] * _scores(corpus.properties, terms)
        + WEIGHTS[Field.PAGE] * _scores(corpus.page, terms)
    )
    rounded = [
        np.round(column, SCORE_DIGITS).tolist() for column in (best + whole, whole)
    ]
    enough = _enough(corpus, words, chosen)
    found = [
        Candidate(
            source=page.source,
            object_id=page.object_id,
            language=page.language,
            part=page.part,
            score=score,
            whole=share,
            passage=ordinal,
        )
        for page, score, share, ordinal, covered in zip(
            corpus.pages, *rounded, ordinals, enough, strict=True
        )
        if score > 0 and covered and _in_scope(page, scope, corpus.newest_versions)
    ]
    return sorted(found, key=lambda hit: (-hit.score, *_identity(hit)))


def _scores(field: LuceneBM25, terms: Sequence[str]) -> Scores:
    exact = [term for term in terms if term[0] == EXACT_MARK]
    plain = [term for term in terms if term[0] != EXACT_MARK]
    return field.get_scores(plain) + EXACT_WEIGHT * field.get_scores(exact)


def _enough(
    corpus: Corpus, words: Sequence[Word], chosen: Sequence[Sequence[str]]
) -> list[bool]:
    """Tell of each page whether it holds enough of the question (`index.coverage`)."""
    total = corpus.page.counted_size
    weights = [word_weight(terms, corpus.page.holding, total) for terms in chosen]
    weighed = [
        (terms, held_weight(word, weight))
        for word, terms, weight in zip(words, chosen, weights, strict=True)
    ]
    held = []
    for row in range(len(corpus.pages)):
        named = sum(weight for terms, weight in weighed if _names(corpus, row, terms))
        anywhere = sum(w for terms, w in weighed if corpus.page.holds(row, terms))
        held.append(max(named, SCATTERED * anywhere))
    for passage, (row, _ordinal) in enumerate(corpus.passages):
        here = sum(
            weight
            for terms, weight in weighed
            if _names(corpus, row, terms)
            or corpus.heading.holds(passage, terms)
            or corpus.text.holds(passage, terms)
        )
        held[row] = max(held[row], here)
    return [weight >= LEAST * sum(weights) for weight in held]


def _names(corpus: Corpus, row: int, terms: Sequence[str]) -> bool:
    return corpus.title.holds(row, terms) or corpus.properties.holds(row, terms)


def _identity(hit: Candidate) -> tuple[str, str, str, str]:
    return hit.source, hit.object_id, hit.language, hit.part


def _in_scope(page: Page, scope: Scope, newest_of: Mapping[str, str]) -> bool:
    in_partition = page.public == (scope.partition == "public")
    return in_partition and in_scope(page.label, scope, newest_of)


def _best_passages(
    corpus: Corpus, terms: Sequence[str]
) -> tuple[Scores, list[int | None]]:
    """Return each page's highest passage score, 0 for none, and that one's ordinal."""
    import numpy as np

    heading = WEIGHTS[Field.HEADING] * _scores(corpus.heading, terms)
    scores = heading + WEIGHTS[Field.TEXT] * _scores(corpus.text, terms)
    best = np.zeros(len(corpus.pages))
    ordinals: list[int | None] = [None] * len(corpus.pages)
    for (number, ordinal), score in zip(corpus.passages, scores, strict=True):
        if score > best[number]:
            best[number] = score
            ordinals[number] = ordinal
    return best, ordinals
