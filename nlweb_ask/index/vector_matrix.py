"""The vectors of a site as one matrix a process, put right when the set has moved.

As float32, 4 bytes a number: 10 MB for 10,000 passages of 256 numbers. The float16 they
are stored as would take half of it, and five times as long to search.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.db import DatabaseError, router
from django.db.models import Count, Sum

from nlweb_ask.index.embedding import STORED_AS
from nlweb_ask.index.vector_sets import SetRow
from nlweb_ask.models import PageVectors
from nlweb_ask.plugins import IndexUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Integers = NDArray[np.integer[Any]]

READ_AT_ONCE: Final = 500
NO_PASSAGE: Final = -1


class _Row(NamedTuple):
    id: int
    token: int
    document_id: int
    content_hash: str
    analyzer: int
    passages: int
    vectors: Any


@dataclass(frozen=True)
class Matrix:
    """All vectors of a set at one version, those of each document side by side.

    A row of `vectors` has length 1: what has none is not here. `first` says where the
    rows of each document begin, and the last ones end; `ordinals` which passage a row
    is of, -1 for the page's name.
    """

    set_id: int
    version: int
    ids: Integers
    tokens: Integers
    documents: Integers
    contents: Sequence[tuple[str, int]]  # hash of the words, number of the analyzer
    first: Integers
    ordinals: Integers
    vectors: Floats


# By the database and the set's id.
_matrices: dict[tuple[str, int], Matrix] = {}
_lock = threading.Lock()


def forget() -> None:
    """Drop what this process keeps; the next question reads it again."""
    with _lock:
        _matrices.clear()


def matrix_of(row: SetRow) -> Matrix:
    """Return the vectors of a set, at this version of it or a newer one.

    Raises:
        IndexUnavailable: When they cannot be read.
    """
    name = router.db_for_read(PageVectors), row.id
    kept = _matrices.get(name)
    if kept is not None and kept.version == row.version:
        return kept
    # One thread reads; the others of the process wait for it and take what it has.
    with _lock:
        kept = _matrices.get(name)
        if kept is None or kept.version != row.version:
            try:
                kept = _brought_up(name[0], row, kept)
            except DatabaseError as error:
                msg = "The vectors could not be read."
                raise IndexUnavailable(msg) from error
            _matrices[name] = kept
    return kept


def _brought_up(alias: str, row: SetRow, kept: Matrix | None) -> Matrix:
    """Read what has been written since; all that is there where that is not enough."""
    kept = kept or _empty(row)
    found = PageVectors.objects.using(alias).filter(vector_set_id=row.id)
    newest = int(kept.ids.max(initial=0))
    written = _read(found.filter(pk__gt=newest))
    matrix = _joined(kept, written, row)
    told = found.aggregate(rows=Count("pk"), tokens=Sum("token"))
    if (told["rows"], told["tokens"] or 0) == (
        len(matrix.ids),
        int(matrix.tokens.sum()),
    ):
        return matrix
    tokens = dict(found.values_list("pk", "token"))
    matrix = _only(matrix, tokens)
    missing = sorted(set(tokens) - set(matrix.ids.tolist()))
    for begin in range(0, len(missing), READ_AT_ONCE):
        some = missing[begin : begin + READ_AT_ONCE]
        matrix = _joined(matrix, _read(found.filter(pk__in=some)), row)
    return matrix


def _read(rows: Any) -> list[_Row]:
    return [
        _Row(*columns) for columns in rows.order_by("pk").values_list(*_Row._fields)
    ]


def _empty(row: SetRow) -> Matrix:
    import numpy as np

    none = np.zeros(0, "<i8")
    return Matrix(
        *(row.id, row.version, none, none, none, (), np.zeros(1, "<i8")),
        none.astype("<i4"),
        np.zeros((0, row.width), "f4"),
    )


def _joined(kept: Matrix, written: Sequence[_Row], row: SetRow) -> Matrix:
    """Put rows behind those of a matrix, in place of others of the same documents."""
    import numpy as np

    replaced = {each.document_id for each in written}
    if replaced:
        kept = _without(kept, replaced)
    pieces = [_vectors_of(each, row.width) for each in written]
    lengths = [len(ordinals) for ordinals, _vectors in pieces]
    ends = int(kept.first[-1]) + np.cumsum(lengths, dtype="<i8")
    return Matrix(
        set_id=row.id,
        version=row.version,
        ids=_more(kept.ids, [each.id for each in written]),
        tokens=_more(kept.tokens, [each.token for each in written]),
        documents=_more(kept.documents, [each.document_id for each in written]),
        contents=(
            *kept.contents,
            *((each.content_hash, each.analyzer) for each in written),
        ),
        first=_more(kept.first, ends),
        ordinals=np.concatenate([kept.ordinals, *(ordinals for ordinals, _ in pieces)]),
        vectors=np.concatenate([kept.vectors, *(vectors for _, vectors in pieces)]),
    )


def _more(column: Integers, values: Any) -> Integers:
    import numpy as np

    more: Integers = np.concatenate([column, np.asarray(values, "<i8")])
    return more


def _vectors_of(row: _Row, width: int) -> tuple[Integers, Floats]:
    """Return the vectors of a document with their ordinals, without those it has not.

    One of another width than the set's, or with what is no number, counts for nothing.
    """
    import numpy as np

    number = max(row.passages, 1)
    blob = bytes(row.vectors)
    if len(blob) != number * width * np.dtype(STORED_AS).itemsize:
        return np.zeros(0, "<i4"), np.zeros((0, width), "f4")
    vectors = np.frombuffer(blob, STORED_AS).reshape(number, width).astype("f4")
    ordinals = np.arange(number, dtype="<i4")
    if not row.passages:
        ordinals[:] = NO_PASSAGE
    there = np.isfinite(vectors).all(axis=1) & vectors.any(axis=1)
    return ordinals[there], vectors[there]


def _without(matrix: Matrix, documents: Iterable[int]) -> Matrix:
    import numpy as np

    return _kept(matrix, ~np.isin(matrix.documents, list(documents)))


def _only(matrix: Matrix, tokens: dict[int, int]) -> Matrix:
    """Leave out what is no longer there, or was written anew under the same id."""
    import numpy as np

    pairs = zip(matrix.ids.tolist(), matrix.tokens.tolist(), strict=True)
    there = [tokens.get(row_id) == token for row_id, token in pairs]
    return _kept(matrix, np.array(there, bool))


def _kept(matrix: Matrix, keep: NDArray[np.bool_]) -> Matrix:
    import numpy as np

    if keep.all():
        return matrix
    spans = np.diff(matrix.first)
    rows = keep.repeat(spans)
    return Matrix(
        set_id=matrix.set_id,
        version=matrix.version,
        ids=matrix.ids[keep],
        tokens=matrix.tokens[keep],
        documents=matrix.documents[keep],
        contents=tuple(
            content
            for content, stays in zip(matrix.contents, keep.tolist(), strict=True)
            if stays
        ),
        first=np.concatenate([[0], spans[keep].cumsum()]).astype("<i8"),
        ordinals=matrix.ordinals[rows],
        vectors=matrix.vectors[rows],
    )
