"""What a process keeps of a site's index: who is where, alive and public, and how long.

A snapshot is a segment's columns and the changes since, put end to end in one number
space. It is never changed: a new change makes a new snapshot on the same base.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from nlweb_ask.index.analysis import Word
from nlweb_ask.index.postings import (
    FIELDS,
    PAGE_FIELDS,
    PASSAGE_FIELDS,
    Columns,
    Field,
    FieldPostings,
    Label,
    PageKeys,
    Pages,
    Triples,
    read_page,
)
from nlweb_ask.index.runs import Run
from nlweb_ask.index.versions import newest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nlweb_ask.models import Change

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Integers = NDArray[np.integer[Any]]

# Lucene's.
K1: Final = 1.2
B: Final = 0.75


@dataclass(frozen=True, slots=True)
class Marker:
    """What of the index's state moves with every write.

    Two equal markers mean the same set of changes: the sum of random tokens tells
    apart what count and greatest id do not (a late commit, an id given out again).
    """

    epoch: int
    count: int
    newest: int
    tokens: int


@dataclass(frozen=True, slots=True)
class ReadChange:
    """A change row, read: its postings are by term, in the page's own numbers."""

    id: int
    token: int
    kind: int
    document_id: int
    pages: Pages | None
    postings: Mapping[int, Mapping[Field, FieldPostings]]


def read_change(change: Change) -> ReadChange:
    """Read a row; withdrawn and moved documents have no pages."""
    pages, postings = None, {}
    if change.page is not None:
        columns, triples = read_page(change.page)
        pages, postings = columns.pages, by_term(triples)
    return ReadChange(
        change.pk, change.token, change.kind, change.document_id, pages, postings
    )


def by_term(triples: Triples) -> dict[int, dict[Field, FieldPostings]]:
    """Group postings that are sorted by term, field and number."""
    import numpy as np

    groups: dict[int, dict[Field, FieldPostings]] = {}
    if not len(triples.terms):
        return groups
    new_term = np.diff(triples.terms) != 0
    new_field = np.diff(triples.fields.astype(np.int16)) != 0
    bounds = [0, *(np.flatnonzero(new_term | new_field) + 1), len(triples.terms)]
    for begin, end in pairwise(bounds):
        fields = groups.setdefault(int(triples.terms[begin]), {})
        fields[Field(int(triples.fields[begin]))] = FieldPostings(
            triples.numbers[begin:end], triples.frequencies[begin:end]
        )
    return groups


@dataclass(frozen=True, slots=True)
class Offsets:
    """Where a segment's or a change's numbers begin in the snapshot's number space."""

    page: int
    passage: int

    def of(self, field_: Field) -> int:
        return self.passage if field_ in PASSAGE_FIELDS else self.page


@dataclass(frozen=True)
class Snapshot:
    """Every page of a site in one number space, with the dead ones marked.

    `offsets` has one entry a segment, by its id. `change_postings` are the postings of
    pages that no merge has taken in, by term, in the snapshot's numbers.
    """

    marker: Marker
    changes: Mapping[int, ReadChange]
    base: Base
    documents: Integers
    alive: Bools
    public: Bools
    labels: Integers
    label_table: Sequence[Label]
    keys: PageKeys
    page_lengths: Integers
    first: Integers
    passage_lengths: Integers
    change_postings: ChangePostings
    # Words of questions put right by this index; empty = as it should be.
    spelled: dict[Word, str] = field(default_factory=dict, compare=False, repr=False)
    # Which pages pass the filters of a question.
    eligible: dict[Any, Bools] = field(default_factory=dict, compare=False, repr=False)
    # How rare terms are (`scoring`).
    rarities: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def offsets(self) -> Mapping[int, Offsets]:
        return self.base.offsets

    @cached_property
    def passage_page(self) -> Integers:
        """The page each passage belongs to."""
        import numpy as np

        return np.repeat(np.arange(len(self.documents)), np.diff(self.first))

    @cached_property
    def counted(self) -> Bools:
        """The pages that statistics come from: alive and public."""
        return self.alive & self.public

    @cached_property
    def parts(self) -> Bools:
        """The documents that are parts of a page."""
        return self.keys.of_parts() & self.alive

    @cached_property
    def counted_passages(self) -> Bools:
        return self.counted[self.passage_page]

    @cached_property
    def field_statistics(self) -> Mapping[Field, tuple[int, float]]:
        """How many public pages or passages there are, and their mean length."""
        statistics = {}
        for fields, lengths, counted in (
            (PAGE_FIELDS, self.page_lengths, self.counted),
            (PASSAGE_FIELDS, self.passage_lengths, self.counted_passages),
        ):
            number = int(counted.sum())
            # Integer sums: the mean does not depend on the order of the pages.
            totals = lengths[counted].sum(axis=0, dtype="i8")
            for position, field_ in enumerate(fields):
                mean = int(totals[position]) / number if number else 0.0
                statistics[field_] = (number, mean or 1.0)
        return statistics

    @cached_property
    def page_norms(self) -> Floats:
        """What BM25 adds to a frequency, page after page, field after field."""
        return self._norms(PAGE_FIELDS, self.page_lengths)

    @cached_property
    def passage_norms(self) -> Floats:
        """The same, passage after passage."""
        return self._norms(PASSAGE_FIELDS, self.passage_lengths)

    def _norms(self, fields: Sequence[Field], lengths: Integers) -> Floats:
        import numpy as np

        norms = np.empty(lengths.size)
        # Lengths are few: worked out once each, and looked up.
        of_length = np.arange(int(lengths.max(initial=0)) + 1)
        for begin, name, column in zip(
            range(0, len(norms), len(lengths) or 1), fields, lengths.T, strict=False
        ):
            mean = self.field_statistics[name][1]
            table = K1 * (1.0 - B + B * (of_length / mean))
            norms[begin : begin + len(lengths)] = table.take(column)
        return norms

    @cached_property
    def public_labels(self) -> tuple[Label, ...]:
        """The labels of live public pages."""
        import numpy as np

        used = np.bincount(self.labels[self.counted], minlength=len(self.label_table))
        return tuple(self.label_table[label] for label in np.flatnonzero(used).tolist())

    @cached_property
    def newest_versions(self) -> Mapping[str, str]:
        """The newest version among the live public pages of each source."""
        return newest(self.public_labels)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of live public pages, sorted."""
        return tuple(sorted({label.language for label in self.public_labels}))


class Positions:
    """Which number a document's live page has: a dictionary in a tenth of the memory."""

    def __init__(self, found: Mapping[int, int]) -> None:
        import numpy as np

        self._documents = np.array(sorted(found), "<i8")
        self._numbers = np.array([found[each] for each in sorted(found)], "<u4")

    def get(self, document: int) -> int | None:
        place = int(self._documents.searchsorted(document))
        if place < len(self._documents) and self._documents[place] == document:
            return int(self._numbers[place])
        return None


@dataclass(frozen=True)
class Base:
    """The segments of one epoch, read once and shared by that epoch's snapshots."""

    epoch: int
    offsets: Mapping[int, Offsets]
    pages: Pages
    alive: Bools
    position: Positions = field(repr=False)
    # By this what is kept of its postings is told from that of any other.
    owner: object = field(default_factory=object, compare=False, repr=False)


def read_base(epoch: int, segments: Iterable[tuple[int, Columns]]) -> Base:
    """Put segments end to end, ascending by id; the last word on a document holds."""
    ordered = sorted(segments, key=lambda pair: pair[0])
    columns = [column for _, column in ordered]
    pages = concatenate([column.pages for column in columns])
    offsets, page, passage = {}, 0, 0
    for segment_id, column in ordered:
        offsets[segment_id] = Offsets(page, passage)
        page += len(column.pages.documents)
        passage += len(column.pages.passage_lengths)
    alive, position = _resolve(pages, columns)
    return Base(epoch, offsets, pages, alive, Positions(position))


def _resolve(pages: Pages, columns: Sequence[Columns]) -> tuple[Bools, dict[int, int]]:
    import numpy as np

    alive = np.ones(len(pages.documents), bool)
    position: dict[int, int] = {}
    number = 0
    for column in columns:
        for document in column.withdrawn.tolist():
            _kill(document, position, alive)
        for documents, public in ((column.opened, True), (column.closed, False)):
            for document in documents.tolist():
                if document in position:
                    pages.public[position[document]] = public
        for document in column.pages.documents.tolist():
            _kill(document, position, alive)
            position[document] = number
            number += 1
    return alive, position


def _kill(document: int, position: dict[int, int], alive: Bools) -> None:
    dead = position.pop(document, None)
    if dead is not None:
        alive[dead] = False


def concatenate(runs: Sequence[Pages]) -> Pages:
    """Put runs of pages end to end; none give an empty run. `public` is a copy."""
    import numpy as np

    table: dict[Label, int] = {}
    labels = [
        np.array(
            [table.setdefault(label, len(table)) for label in run.label_table], "<u4"
        )[run.labels]
        for run in runs
        if len(run.labels)
    ]
    firsts = [np.zeros(1, "<u4")]
    end = 0
    for run in runs:
        firsts.append(run.first[1:] + np.uint32(end))
        end += int(run.first[-1])
    return Pages(
        documents=_join([run.documents for run in runs], "<i8"),
        labels=_join(labels, "<u4"),
        label_table=list(table),
        keys=PageKeys.joined(run.keys for run in runs),
        public=_join([run.public for run in runs], "bool"),
        page_lengths=_join([run.page_lengths for run in runs], "<u4", len(PAGE_FIELDS)),
        first=np.concatenate(firsts),
        passage_lengths=_join(
            [run.passage_lengths for run in runs], "<u4", len(PASSAGE_FIELDS)
        ),
    )


def _join(parts: Sequence[Any], kind: str, width: int = 0) -> Any:
    import numpy as np

    empty = np.zeros((0, width) if width else 0, kind)
    return np.concatenate([empty, *parts])


def derive(base: Base, marker: Marker, changes: Mapping[int, ReadChange]) -> Snapshot:
    """Make the snapshot of `base` with `changes` on it, the greater id the later."""
    ordered = [changes[change_id] for change_id in sorted(changes)]
    put = [change for change in ordered if change.pages is not None]
    if put:
        added = [change.pages for change in put if change.pages]
        pages = concatenate([base.pages, *added])
    else:
        # All but what changes may move is the base's own.
        pages = replace(base.pages, public=base.pages.public.copy())
    alive = _with_changes(base, pages, ordered)
    return Snapshot(
        marker=marker,
        changes=dict(changes),
        base=base,
        documents=pages.documents,
        alive=alive,
        public=pages.public,
        labels=pages.labels,
        label_table=pages.label_table,
        keys=PageKeys.joined([pages.keys]),
        page_lengths=pages.page_lengths,
        first=pages.first,
        passage_lengths=pages.passage_lengths,
        change_postings=ChangePostings(base, put),
    )


def _with_changes(base: Base, pages: Pages, ordered: Sequence[ReadChange]) -> Bools:
    import numpy as np

    from nlweb_ask.models import Change

    number = len(base.alive)
    alive = np.concatenate([base.alive, np.ones(len(pages.documents) - number, bool)])
    moved: dict[int, int] = {}

    def where(document: int) -> int | None:
        return moved[document] if document in moved else base.position.get(document)

    for change in ordered:
        current = where(change.document_id)
        if change.kind == Change.Kind.PUT:
            if current is not None:
                alive[current] = False
            moved[change.document_id] = number
            number += 1
        elif current is None:
            continue
        elif change.kind == Change.Kind.WITHDRAWN:
            alive[current] = False
        else:
            pages.public[current] = change.kind == Change.Kind.OPENED
    return alive


class ChangePostings:
    """The postings of pages that no merge has taken in, in the snapshot's numbers.

    Each term is put together when it is asked for: a change is taken in by every worker,
    and most of its terms by no question before the next.
    """

    def __init__(self, base: Base, put: Iterable[ReadChange]) -> None:
        page, passage = len(base.pages.documents), len(base.pages.passage_lengths)
        self._put: list[
            tuple[Offsets, Mapping[int, Mapping[Field, FieldPostings]]]
        ] = []
        for change in put:
            self._put.append((Offsets(page, passage), change.postings))
            page += 1
            passage += len(change.pages.passage_lengths) if change.pages else 0

    def of(self, term: int) -> list[Run]:
        return [
            _run_of(postings[term], offsets)
            for offsets, postings in self._put
            if term in postings
        ]


def _run_of(fields: Mapping[Field, FieldPostings], offsets: Offsets) -> Run:
    import numpy as np

    def joined(names: Sequence[Field], shift: int) -> tuple[Integers, Integers]:
        own = [fields[name] for name in names if name in fields]
        numbers = [np.zeros(0, "<u4"), *(each.numbers for each in own)]
        frequencies = [np.zeros(0, "<u2"), *(each.frequencies for each in own)]
        return (
            np.concatenate(numbers) + np.uint32(shift),
            np.concatenate(frequencies),
        )

    pages, page_frequencies = joined(PAGE_FIELDS, offsets.page)
    passages, passage_frequencies = joined(PASSAGE_FIELDS, offsets.passage)
    counts = [len(fields[name].numbers) if name in fields else 0 for name in FIELDS]
    return Run(counts, pages, passages, page_frequencies, passage_frequencies)
