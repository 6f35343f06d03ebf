"""Taking changes into segments, so that questions read few rows and little memory.

A merge is one transaction: the new rows, without the old ones, and the epoch moved. A
reader sees either the old rows or the new, and both are right.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, starmap
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.db import router, transaction
from django.db.models import F

from nlweb_ask.index import rows
from nlweb_ask.index.postings import (
    MAX_FREQUENCY,
    PASSAGE_FIELDS,
    Columns,
    Field,
    FieldPostings,
    Pages,
    Triples,
    read_columns,
    read_pages,
    read_postings,
    write_all_postings,
    write_columns,
    write_postings,
)
from nlweb_ask.index.snapshot import (
    Base,
    by_term,
    concatenate,
    read_base,
)
from nlweb_ask.models import Change, IndexState, Posting, Segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.integer[Any]]

logger = logging.getLogger("nlweb_ask.index")

# At 300 changes that no merge has taken in, a question cost 0.2 ms more.
MERGE_AT: Final = 256
MAX_SEGMENTS: Final = 4
MAX_DEAD_SHARE: Final = 0.25

# Well below the smallest packet that a MariaDB server takes by default.
BATCH_BYTES: Final = 2_000_000
BATCH_ROWS: Final = 500
# A step of one would give an index that was restored from a dump, and has other pages
# since, the epoch of the one that workers still hold.
MAX_STEP: Final = 2**31


def merge(site_id: int, *, fold: bool = False) -> int:
    """Take the site's changes into one new segment; return how many were taken in.

    All segments become one when there are more than four of them, when a quarter of
    their pages is dead, or when `fold` is true. Scores stay the same to the last bit.
    """
    alias = router.db_for_write(Change)
    IndexState.objects.using(alias).get_or_create(site_id=site_id)
    with transaction.atomic(using=alias):
        # The update comes first: it is the lock that one merge at a time holds, and
        # on SQLite a transaction that begins by reading could not write any more.
        states = IndexState.objects.using(alias).filter(site_id=site_id)
        states.update(epoch=F("epoch") + 1 + secrets.randbelow(MAX_STEP))
        found = Change.objects.using(alias).filter(site_id=site_id).order_by("pk")
        changes = list(starmap(_Written, found.values_list(*_Written._fields)))
        segments = _segments(alias, site_id)
        if fold or _should_fold(segments):
            _fold(alias, site_id, segments, changes)
        elif changes:
            _append(alias, site_id, changes)
        taken = [change.id for change in changes]
        # By primary key alone: rows of open transactions must not be waited for.
        rows.delete(alias, Change, "id", taken)
    logger.info("merged site=%d changes=%d", site_id, len(changes))
    return len(changes)


def _segments(alias: str, site_id: int) -> list[tuple[int, Columns]]:
    rows = Segment.objects.using(alias).filter(site_id=site_id).order_by("pk")
    return [
        (segment_id, read_columns(blob))
        for segment_id, blob in rows.values_list("id", "columns")
    ]


def _should_fold(segments: Sequence[tuple[int, Columns]]) -> bool:
    if len(segments) >= MAX_SEGMENTS:
        return True
    base = read_base(0, segments)
    pages = len(base.alive)
    return bool(pages) and (pages - int(base.alive.sum())) / pages > MAX_DEAD_SHARE


class _Written(NamedTuple):
    """A change row; the page of one that was put is as it lies in it."""

    id: int
    kind: int
    document_id: int
    page: bytes | None


@dataclass
class _Last:
    """The last word of some changes on each document."""

    put: dict[int, bytes] = field(default_factory=dict)
    public: dict[int, bool] = field(default_factory=dict)
    withdrawn: set[int] = field(default_factory=set)

    def take(self, change: _Written) -> None:
        document = change.document_id
        if change.kind == Change.Kind.WITHDRAWN:
            self.put.pop(document, None)
            self.public.pop(document, None)
            self.withdrawn.add(document)
        elif change.page is not None:
            self.put[document] = change.page
            self.public.pop(document, None)
            self.withdrawn.discard(document)
        else:
            self.public[document] = change.kind == Change.Kind.OPENED


def _last_words(changes: Iterable[_Written]) -> _Last:
    last = _Last()
    for change in changes:
        last.take(change)
    return last


def _append(alias: str, site_id: int, changes: Sequence[_Written]) -> None:
    last = _last_words(changes)
    pages, triples = _put_pages(last)
    moved = {d: p for d, p in last.public.items() if d not in last.put}
    columns = Columns(
        pages=pages,
        withdrawn=_ids(last.withdrawn),
        opened=_ids(d for d, public in moved.items() if public),
        closed=_ids(d for d, public in moved.items() if not public),
    )
    segment = Segment.objects.using(alias).create(
        site_id=site_id, columns=write_columns(columns)
    )
    _write(alias, site_id, segment.pk, write_all_postings(triples))


def _put_pages(
    last: _Last, *, page: int = 0, passage: int = 0
) -> tuple[Pages, Triples]:
    """Put the pages of the changes end to end, numbered from `page` and `passage`."""
    pages, triples, sizes = read_pages(list(last.put.values()))
    for number, document in enumerate(pages.documents.tolist()):
        if document in last.public:
            pages.public[number] = last.public[document]
    numbered = _numbered(triples, sizes, pages.first, page, passage)
    return pages, _sorted(numbered)


def _numbered(
    triples: Triples, sizes: Integers, first: Integers, page: int, passage: int
) -> Triples:
    """Give the postings of single pages, end to end, the numbers of all of them.

    `sizes` says how many each page has, `first` where its passages begin; the page before
    the first one has the number `page`, its last passage ends at `passage`.
    """
    import numpy as np

    pages = np.arange(page, page + len(sizes), dtype="<u4")
    of_page = np.repeat(pages, sizes)
    of_passages = np.repeat(first[:-1] + np.uint32(passage), sizes)
    below = triples.fields >= min(PASSAGE_FIELDS)
    shifts = np.where(below, of_passages, of_page)
    return replace(triples, numbers=triples.numbers + shifts)


_FREQUENCY_BITS: Final = 16
_FIELD_BITS: Final = 3


def _sorted(triples: Triples) -> Triples:
    """Sort by term, field and number."""
    import numpy as np

    if not len(triples.terms):
        return triples
    number_bits = int(triples.numbers.max()).bit_length()
    below = _FIELD_BITS + number_bits + _FREQUENCY_BITS
    # By term first; the rest is put in order as one number. Each page has its terms in
    # order already, and of that this sort makes use. A large site has twenty million
    # postings, so each array is let go as soon as it can be.
    order = np.argsort(triples.terms, kind="stable")
    terms = triples.terms[order]
    is_first = np.ones(len(terms), bool)
    np.not_equal(terms[1:], terms[:-1], out=is_first[1:])
    terms = terms[is_first]
    if len(terms).bit_length() + below > np.iinfo("u8").bits:
        return _sorted_apart(triples)
    packed: Any = np.cumsum(is_first, dtype="u8")
    packed -= np.uint64(1)
    packed <<= np.uint64(below)
    packed |= _below_terms(triples, number_bits)[order]
    del order
    packed.sort()
    frequencies = (packed & np.uint64(MAX_FREQUENCY)).astype("<u2")
    packed >>= np.uint64(_FREQUENCY_BITS)
    numbers = (packed & np.uint64((1 << number_bits) - 1)).astype("<u4")
    packed >>= np.uint64(number_bits)
    fields = (packed & np.uint64((1 << _FIELD_BITS) - 1)).astype("|u1")
    packed >>= np.uint64(_FIELD_BITS)
    return Triples(terms[packed], fields, numbers, frequencies)


def _below_terms(triples: Triples, number_bits: int) -> Any:
    """Return field, number and frequency of each posting as one number."""
    import numpy as np

    packed: Any = triples.fields.astype("u8")
    packed <<= np.uint64(number_bits)
    packed |= triples.numbers
    packed <<= np.uint64(_FREQUENCY_BITS)
    packed |= triples.frequencies
    return packed


def _sorted_apart(triples: Triples) -> Triples:
    import numpy as np

    order = np.lexsort((triples.numbers, triples.fields, triples.terms))
    return Triples(
        triples.terms[order],
        triples.fields[order],
        triples.numbers[order],
        triples.frequencies[order],
    )


def _ids(documents: Iterable[int]) -> Integers:
    import numpy as np

    return np.array(sorted(documents), "<i8")


def _fold(
    alias: str,
    site_id: int,
    segments: Sequence[tuple[int, Columns]],
    changes: Sequence[_Written],
) -> None:
    """Write every live page of the site into one new segment."""
    base = read_base(0, segments)
    last = _last_words(changes)
    survivors = _Survivors(base, gone=last.withdrawn | set(last.put))
    kept = survivors.pages(last.public)
    pages, triples = _put_pages(
        last, page=len(kept.documents), passage=len(kept.passage_lengths)
    )
    columns = Columns(
        concatenate([kept, pages]), withdrawn=_ids([]), opened=_ids([]), closed=_ids([])
    )
    segment = Segment.objects.using(alias).create(
        site_id=site_id, columns=write_columns(columns)
    )
    stored = _stored(alias, site_id, survivors)
    merged = (
        (term, write_postings(fields))
        for term, fields in _merged(stored, by_term(triples))
        if any(len(found.numbers) for found in fields.values())
    )
    _write(alias, site_id, segment.pk, merged)
    old = [segment_id for segment_id, _ in segments]
    Posting.objects.using(alias).filter(site_id=site_id, segment_id__in=old).delete()
    Segment.objects.using(alias).filter(pk__in=old).delete()


class _Survivors:
    """Which pages of the old segments live on, and under which numbers."""

    def __init__(self, base: Base, gone: set[int]) -> None:
        import numpy as np

        self.base = base
        removed = np.isin(base.pages.documents, _ids(gone))
        self.keep = base.alive & ~removed
        spans = np.diff(base.pages.first)
        self.keep_passages = np.repeat(self.keep, spans)
        self.spans = spans[self.keep]
        self._page_numbers = np.cumsum(self.keep) - 1
        self._passage_numbers = np.cumsum(self.keep_passages) - 1

    def pages(self, moved: Mapping[int, bool]) -> Pages:
        import numpy as np

        old, keep = self.base.pages, self.keep
        numbers = np.flatnonzero(keep)
        documents = old.documents[keep]
        public = old.public[keep]
        for number, document in enumerate(documents.tolist()):
            public[number] = moved.get(document, public[number])
        return Pages(
            documents=documents,
            labels=old.labels[keep],
            label_table=old.label_table,
            keys=[old.keys[number] for number in numbers.tolist()],
            public=public,
            page_lengths=old.page_lengths[keep],
            first=np.concatenate([np.zeros(1, "<u4"), np.cumsum(self.spans)]),
            passage_lengths=old.passage_lengths[self.keep_passages],
        )

    def renumber(self, name: Field, found: FieldPostings, shift: int) -> FieldPostings:
        passages = name in PASSAGE_FIELDS
        keep = self.keep_passages if passages else self.keep
        numbers = self._passage_numbers if passages else self._page_numbers
        old = found.numbers.astype("i8") + shift
        living = keep[old]
        return FieldPostings(numbers[old[living]], found.frequencies[living])


def _stored(
    alias: str, site_id: int, survivors: _Survivors
) -> Iterator[tuple[int, dict[Field, FieldPostings]]]:
    """Yield the stored postings of each term, renumbered, ascending by term."""
    offsets = survivors.base.offsets
    rows = (
        Posting.objects.using(alias)
        .filter(site_id=site_id, segment_id__in=list(offsets))
        .order_by("term", "segment_id")
        .values_list("term", "segment_id", "postings")
    )
    for term, group in groupby(rows.iterator(chunk_size=2000), key=itemgetter(0)):
        fields: dict[Field, list[FieldPostings]] = {}
        for _, segment_id, blob in group:
            for name, found in read_postings(blob).items():
                shift = offsets[segment_id].of(name)
                fields.setdefault(name, []).append(
                    survivors.renumber(name, found, shift)
                )
        yield term, {name: _joined(parts) for name, parts in fields.items()}


def _merged(
    stored: Iterable[tuple[int, dict[Field, FieldPostings]]],
    new: dict[int, dict[Field, FieldPostings]],
) -> Iterator[tuple[int, dict[Field, FieldPostings]]]:
    """Put the postings of new pages behind the stored ones of their terms."""
    for term, fields in stored:
        for name, found in new.pop(term, {}).items():
            fields[name] = _joined([fields[name], found]) if name in fields else found
        yield term, fields
    yield from new.items()


def _write(
    alias: str,
    site_id: int,
    segment_id: int,
    terms: Iterable[tuple[int, bytes]],
) -> None:
    batch: list[tuple[int, int, int, bytes]] = []
    size = 0
    for term, blob in terms:
        batch.append((site_id, term, segment_id, blob))
        size += len(blob)
        if size > BATCH_BYTES or len(batch) >= BATCH_ROWS:
            _insert(alias, batch)
            batch, size = [], 0
    _insert(alias, batch)


def _insert(alias: str, postings: Sequence[tuple[int, int, int, bytes]]) -> None:
    columns = ("site_id", "term", "segment_id", "postings")
    rows.insert(alias, Posting, columns, postings)


def _joined(parts: Sequence[FieldPostings]) -> FieldPostings:
    import numpy as np

    if len(parts) == 1:
        return parts[0]
    return FieldPostings(
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.frequencies for part in parts]),
    )
