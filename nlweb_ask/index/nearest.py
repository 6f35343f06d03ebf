"""The pages whose passages lie nearest to a question, by the cosine of their vectors.

What a page scores is worked out from its own numbers and the question's alone: neither
how many others there are, nor where it stands among them, moves its last digit.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.db import DatabaseError, connections, router

from nlweb_ask.index.reading import current, moment_of
from nlweb_ask.index.search import (
    SCORE_DIGITS,
    eligible_pages,
    identity,
    search,
    words_read,
)
from nlweb_ask.index.snapshot import Snapshot
from nlweb_ask.index.vector_matrix import NO_PASSAGE, Matrix, matrix_of
from nlweb_ask.index.vector_sets import Asked, asked
from nlweb_ask.models import Document
from nlweb_ask.plugins import (
    Candidate,
    IndexUnavailable,
    ModelUnavailable,
    Question,
    Reference,
    Scope,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]
    Integers = NDArray[np.integer[Any]]

logger = logging.getLogger("nlweb_ask.index")

# Of cosines that were added up in single precision, in any order.
MARGIN: Final = 1e-4
# Rows that are multiplied at once: what is taken out of the matrix is copied.
BLOCK: Final = 8192
# SQLite takes some 32,000 values in one statement.
ASKED_AT_ONCE: Final = 2000


def nearest(question: Question, scope: Scope, limit: int) -> list[Candidate]:
    """Return the pages of the scope's partition that lie nearest to a question.

    Returns:
        Best first by score (a cosine above 0, rounded to 9 decimals), then by source,
        object, language and part, one candidate a document. None while the site has no
        vectors of its embedder. A document whose words have changed since is left out,
        and so is one that lies too far off: further than most titles do from their own
        pages, or than the embedder says. While neither is known, only pages are
        returned that are also found by words.

    Raises:
        ModelUnavailable: When the question cannot be embedded.
        IndexUnavailable: When the tables cannot be read.
    """
    found = asked(scope.site_id) if limit > 0 else None
    if found is None:
        return []
    direction = _direction(question, found, scope.site_id)
    if len(direction) != found.row.width:
        # Only of an embedder that does not say its width.
        logger.warning(
            "vectors not searched site=%d: embedder=%s makes %d numbers and stored are"
            " %d: write its width in the settings, and run nlweb_index",
            scope.site_id,
            found.chosen.label,
            len(direction),
            found.row.width,
        )
        return []
    if not direction.any():
        return []
    matrix = matrix_of(found.row)
    within = _found(matrix, current(scope.site_id), scope, direction)
    ranked = _ranked(within, limit)
    near: Iterator[_Hit] = takewhile(
        lambda hit: hit.candidate.score >= found.least, ranked
    )
    if found.needs_words:
        by_words = _found_by_words(question, scope)
        near = (hit for hit in near if hit.candidate.reference in by_words)
    return _fresh(near, matrix, limit)


def _found_by_words(question: Question, scope: Scope) -> Set[Reference]:
    words = words_read(question, scope)
    pages = len(current(scope.site_id).alive)
    return {candidate.reference for candidate in search(words, scope, pages)}


def _direction(question: Question, found: Asked, site_id: int) -> Floats:
    """Return the vector of a question, asked for once whatever comes of it.

    It is wanted for each partition, and again where no page is of the type asked for.
    """
    text = question.corrected_text or question.search_text
    known = moment_of(site_id).vectors
    name = ("question", text)
    if name not in known:
        if not text.strip():
            import numpy as np

            return np.zeros(found.row.width, "f4")
        known[name] = _embedded(text, found, site_id)
    made: Floats | ModelUnavailable = known[name]
    if isinstance(made, ModelUnavailable):
        raise ModelUnavailable(reason=made.reason)
    return made


def _embedded(text: str, found: Asked, site_id: int) -> Floats | ModelUnavailable:
    try:
        vectors = found.chosen.embed([text], site_id=site_id)
    except ModelUnavailable as error:
        return error
    direction: Floats = vectors[0]
    return direction


@dataclass(frozen=True, slots=True)
class _Found:
    """The documents of a matrix that may be found, and a question."""

    matrix: Matrix
    snapshot: Snapshot
    direction: Floats
    rows: Integers  # of the documents in the matrix
    pages: Integers  # of the same in the snapshot


def _found(
    matrix: Matrix, snapshot: Snapshot, scope: Scope, direction: Floats
) -> _Found:
    pages = _pages(matrix, snapshot)
    rows = (pages >= 0).nonzero()[0]
    rows = rows[eligible_pages(snapshot, scope)[pages.take(rows)]]
    return _Found(matrix, snapshot, direction, rows, pages.take(rows))


def _pages(matrix: Matrix, snapshot: Snapshot) -> Integers:
    """Return the page of each document of the matrix, -1 where it has none."""
    import numpy as np

    name = matrix.set_id, matrix.version
    kept = snapshot.places.get(name)
    if kept is None:
        alive = snapshot.alive.nonzero()[0]
        documents = snapshot.documents.take(alive)
        order = documents.argsort()
        ordered = documents.take(order)
        spots = ordered.searchsorted(matrix.documents)
        spots[spots == len(ordered)] = 0
        kept = np.full(len(matrix.documents), -1, "<i8")
        if len(ordered):
            there = ordered.take(spots) == matrix.documents
            there &= np.diff(matrix.first) > 0
            kept[there] = alive.take(order.take(spots[there]))
        snapshot.places.clear()
        snapshot.places[name] = kept
    return kept


@dataclass(frozen=True, slots=True)
class _Hit:
    row: int  # of its document in the matrix
    candidate: Candidate

    @property
    def order(self) -> tuple[Any, ...]:
        return (-self.candidate.score, *self.candidate.reference)


def _ranked(found: _Found, limit: int) -> Iterator[_Hit]:
    """Yield documents, best first: the nearest by a rough look, put in exact order."""
    rough = _rough(found)
    order = (-rough.best).argsort(kind="stable")
    begin, size = 0, limit + limit // 4 + 16
    pending: list[_Hit] = []
    while begin < len(order):
        pending += _exact(found, rough, order[begin : begin + size])
        pending.sort(key=attrgetter("order"))
        begin, size = begin + size, size * 4
        # What comes later scores no more than this.
        rest = float(rough.best[order[begin]]) + MARGIN if begin < len(order) else 0.0
        while pending and pending[0].candidate.score > max(rest, 0.0):
            yield pending.pop(0)
        if rest <= 0.0:
            return


class _Rough(NamedTuple):
    """Cosines in single precision, whose last digits depend on what stands beside them."""

    rows: Integers  # of the matrix, those of each document side by side
    starts: Integers  # where those of each document begin
    cosines: Floats
    best: Floats  # of each document


def _rough(found: _Found) -> _Rough:
    import numpy as np

    vectors = found.matrix.vectors
    rows, starts = _rows(found.matrix.first, found.rows)
    cosines = np.empty(len(rows), "f4")
    is_whole = len(rows) == len(vectors)
    for begin in range(0, len(rows), BLOCK):
        some = slice(begin, begin + BLOCK)
        block = vectors[some] if is_whole else vectors[rows[some]]
        cosines[some] = block @ found.direction
    return _Rough(rows, starts, cosines, _best(cosines, starts))


def _rows(first: Integers, documents: Integers) -> tuple[Integers, Integers]:
    """Return the rows of some documents one after another, and where each begins."""
    import numpy as np

    begins = first[documents]
    spans = first[documents + 1] - begins
    starts = spans.cumsum() - spans
    return np.arange(int(spans.sum())) + (begins - starts).repeat(spans), starts


def _best(cosines: Floats, starts: Integers) -> Floats:
    import numpy as np

    if not len(starts):
        return cosines
    best: Floats = np.maximum.reduceat(cosines, starts)
    return best


def _exact(found: _Found, rough: _Rough, spots: Integers) -> list[_Hit]:
    """Return documents with scores that no other document has a part in."""
    import numpy as np

    matrix = found.matrix
    documents, pages = found.rows.take(spots), found.pages.take(spots)
    places, starts = _rows(np.append(rough.starts, len(rough.rows)), spots)
    spans = np.diff(np.append(starts, len(places)))
    # Only of passages that may be the best of their document.
    near = rough.cosines[places] >= (rough.best[spots] - MARGIN).repeat(spans)
    starts = np.append(0, near.cumsum())[starts]
    rows = rough.rows[places[near]]
    # Each row is added up by itself, always in the same order.
    products = matrix.vectors[rows].astype("f8") * found.direction
    cosines = products.sum(axis=1).round(SCORE_DIGITS)
    best = _best(cosines, starts)
    spans = np.diff(np.append(starts, len(rows)))
    is_best = (cosines == best.repeat(spans)).nonzero()[0]
    first_best = is_best[is_best.searchsorted(starts)]
    ordinals = matrix.ordinals[rows[first_best]]
    columns = (documents, pages, best, ordinals)
    told = zip(*(column.tolist() for column in columns), strict=True)
    return [_hit(found.snapshot, *each) for each in told]


def _hit(snapshot: Snapshot, row: int, page: int, score: float, ordinal: int) -> _Hit:
    source, object_id, language, part = identity(snapshot, page)
    return _Hit(
        row,
        Candidate(
            source=source,
            object_id=object_id,
            language=language,
            part=part,
            score=score,
            passage=None if ordinal == NO_PASSAGE else ordinal,
        ),
    )


def _fresh(ranked: Iterator[_Hit], matrix: Matrix, limit: int) -> list[Candidate]:
    """Take the best whose words are those that were embedded; they are asked live."""
    found: list[Candidate] = []
    while len(found) < limit:
        hits = list(islice(ranked, min(limit - len(found), ASKED_AT_ONCE)))
        if not hits:
            break
        contents = _contents([int(matrix.documents[hit.row]) for hit in hits])
        found += [
            hit.candidate
            for hit in hits
            if contents.get(int(matrix.documents[hit.row])) == matrix.contents[hit.row]
        ]
    return found


def _contents(documents: Sequence[int]) -> dict[int, tuple[str, int]]:
    """Return what the words of indexed documents are known by, as it is now."""
    alias = router.db_for_read(Document)
    try:
        with connections[alias].cursor() as cursor:
            cursor.execute(_contents_statement(alias, len(documents)), documents)
            rows = cursor.fetchall()
    except DatabaseError as error:
        msg = "The search index could not be read."
        raise IndexUnavailable(msg) from error
    return {pk: (content_hash, analyzer) for pk, content_hash, analyzer in rows}


@lru_cache
def _contents_statement(alias: str, number: int) -> str:
    quote = connections[alias].ops.quote_name
    marks = ", ".join(["%s"] * number)
    # The names are Django's own, quoted; every value is a parameter. A document that is
    # not indexed any more has no words.
    return (
        f"SELECT id, content_hash, analyzer FROM {quote(Document._meta.db_table)}"  # noqa: S608
        f" WHERE indexed AND id IN ({marks})"
    )
