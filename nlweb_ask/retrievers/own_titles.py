"""How far the vectors of a site can be trusted, told by its own titles.

Each title of some public pages is asked for among the bodies of the same pages, by
vectors and by words. Hidden pages take no part, so that they weigh nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.db.models import Exists, OuterRef
from django.utils import timezone

from nlweb_ask.ai.embedders import Chosen
from nlweb_ask.index.question_words import distinct_terms, question_words
from nlweb_ask.index.terms import analyse_page
from nlweb_ask.index.vector_sets import (
    LEAST_PAGES,
    alias,
    chosen,
    is_of,
)
from nlweb_ask.models import FIRST_WEIGHT, Document, Passage, VectorSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.floating[Any]]

# Pages that are asked for, and the first passages of each that are looked through.
PAGES: Final = 200
PASSAGES: Final = 3
FULL_WEIGHT: Final = 1.0
# One title in so many may say nothing of what its page is about.
STRAY: Final = 10
# A test holds until the public pages are so many times more or fewer.
HOLDS_UP_TO: Final = 2.0
TEXTS_AT_ONCE: Final = 64


@dataclass(frozen=True, slots=True)
class Tested:
    """What a test found: mean reciprocal ranks, 1.0 where each title finds its page."""

    pages: int
    by_vectors: float = 0.0
    by_words: float = 0.0
    least: float = 0.0  # the cosine that nine titles of ten have with their own pages

    @property
    def was_made(self) -> bool:
        """Whether there were enough pages to tell anything."""
        return self.pages >= LEAST_PAGES

    @property
    def weight(self) -> float:
        """1.0 where the vectors find as much as words do, else 0.3."""
        is_shown = self.was_made and self.by_vectors >= self.by_words
        return FULL_WEIGHT if is_shown else FIRST_WEIGHT


@dataclass(frozen=True, slots=True)
class _Page:
    name: str
    language: str
    bodies: Sequence[str]


def is_due(site_id: int) -> bool:
    """Tell whether the vectors of a site have not been tested on pages like these."""
    vector_set = _set_of(site_id)
    if vector_set is None:
        return False
    there = _public(site_id)[:PAGES].count()
    tested = vector_set.tested_pages
    return (
        vector_set.tested_at is None
        or tested < LEAST_PAGES <= there
        or not there <= max(tested, LEAST_PAGES) * HOLDS_UP_TO
        or not tested <= max(there, LEAST_PAGES) * HOLDS_UP_TO
    )


def weigh_by_titles(site_id: int) -> Tested | None:
    """Test the vectors of a site and keep what they weigh from now on.

    Returns:
        Nothing where there are none.

    Raises:
        ModelUnavailable: When the model cannot be asked; the weight stays.
    """
    used, vector_set = chosen(site_id), _set_of(site_id)
    if used is None or vector_set is None:
        return None
    tested = _tested(used, site_id, _pages(site_id))
    VectorSet.objects.using(alias()).filter(pk=vector_set.pk).update(
        weight=tested.weight,
        least=tested.least,
        tested_pages=tested.pages,
        by_vectors=tested.by_vectors,
        by_words=tested.by_words,
        tested_at=timezone.now(),
    )
    return tested


def _set_of(site_id: int) -> VectorSet | None:
    used = chosen(site_id)
    if used is None:
        return None
    rows = VectorSet.objects.using(alias()).filter(site_id=site_id).order_by("-pk")
    return next((row for row in rows if is_of(row, used)), None)


def _public(site_id: int) -> Any:
    """Return what can be asked for: public documents with a title and a text.

    In an order of their own, the same in every database.
    """
    rows = Document.objects.using(alias()).filter(
        site_id=site_id, public=True, indexed=True
    )
    bodies = Passage.objects.using(alias()).filter(
        document_id=OuterRef("pk"), ordinal__lt=PASSAGES
    )
    has_body = Exists(bodies.exclude(text=""))
    return rows.filter(has_body).exclude(name="").order_by("key")


def _pages(site_id: int) -> list[_Page]:
    documents = list(_public(site_id).only("name", "language")[:PAGES])
    bodies: dict[int, list[str]] = {document.pk: [] for document in documents}
    passages = Passage.objects.using(alias()).filter(
        document_id__in=list(bodies), ordinal__lt=PASSAGES
    )
    for document, text in passages.order_by("document_id", "ordinal").values_list(
        "document_id", "text"
    ):
        if text.strip():
            bodies[document].append(text)
    return [
        _Page(document.name, document.language, bodies[document.pk])
        for document in documents
        if bodies[document.pk]
    ]


def _tested(used: Chosen, site_id: int, pages: Sequence[_Page]) -> Tested:
    if len(pages) < LEAST_PAGES:
        return Tested(len(pages))
    cosines = _by_vectors(used, site_id, pages)
    own = sorted(cosines.diagonal().tolist())
    return Tested(
        pages=len(pages),
        by_vectors=_mean_reciprocal_rank(cosines),
        by_words=_mean_reciprocal_rank(_by_words(pages)),
        least=round(max(own[len(own) // STRAY], 0.0), 4),
    )


def _mean_reciprocal_rank(scores: Scores) -> float:
    """Return how high each title's own page stands, ties at their end.

    `scores` has a row a title and a column a page, in the same order.
    """
    own = scores.diagonal()[:, None]
    ranks = (scores >= own).sum(axis=1)
    return float(round((1.0 / ranks).mean(), 4))


def _by_vectors(used: Chosen, site_id: int, pages: Sequence[_Page]) -> Scores:
    import numpy as np

    titles = _embedded(used, site_id, [page.name for page in pages])
    bodies = [body for page in pages for body in page.bodies]
    starts = np.cumsum([0, *(len(page.bodies) for page in pages)])[:-1]
    cosines = titles @ _embedded(used, site_id, bodies).T
    best: Scores = np.maximum.reduceat(cosines, starts, axis=1)
    return best


def _embedded(used: Chosen, site_id: int, texts: Sequence[str]) -> NDArray[Any]:
    import numpy as np

    return np.concatenate(
        [
            used.embed(texts[begin : begin + TEXTS_AT_ONCE], site_id=site_id)
            for begin in range(0, len(texts), TEXTS_AT_ONCE)
        ]
    )


def _by_words(pages: Sequence[_Page]) -> Scores:
    import numpy as np

    from nlweb_ask.retrievers.lucene_bm25 import LuceneBM25

    words = LuceneBM25([_terms(page) for page in pages], [True] * len(pages))
    return np.array([words.get_scores(_asked(page)) for page in pages])


def _terms(page: _Page) -> Sequence[str]:
    return analyse_page(
        name="",
        abstract="",
        schema_object={},
        passages=[("", body) for body in page.bodies],
        language=page.language,
    ).page


def _asked(page: _Page) -> list[str]:
    return distinct_terms(question_words(page.name, (page.language,), ""))
