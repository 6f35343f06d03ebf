"""What a process keeps of a site's index: who is where, alive and public, and how long.

A snapshot is a segment's columns and the changes since, put end to end in one number
space. It is never changed: a new change makes a new snapshot on the same base.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nlweb_ask.index.postings import (
    FIELDS,
    PAGE_FIELDS,
    PASSAGE_FIELDS,
    Field,
    FieldPostings,
    Label,
    PageKeys,
    Pages,
    Triples,
    read_page,
)
from nlweb_ask.index.postings import Columns as Segment
from nlweb_ask.index.question_words import Word
from nlweb_ask.index.room import Room
from nlweb_ask.index.runs import PAGES, Run
from nlweb_ask.index.versions import newest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float32]
    Integers = NDArray[np.integer[Any]]

# Lucene's.
K1: Final = 1.2
B: Final = 0.75
# What a process keeps of what the postings of terms add to scores.
SHARES_BYTES: Final = 8 * 2**20
# So many pages, with four passages each, are added before the columns are copied.
SPARE: Final = 256
# The postings of so many changes are asked one by one.
MAX_BLOCKS: Final = 4


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
    """A change row, read: a page that was put has its postings in its own numbers."""

    id: int
    token: int
    kind: int
    document_id: int
    page: tuple[Pages, Triples] | None


def read_change(
    change_id: int, token: int, kind: int, document_id: int, page: bytes | None
) -> ReadChange:
    """Read a row; withdrawn and moved documents have no page."""
    if page is None:
        return ReadChange(change_id, token, kind, document_id, None)
    columns, triples = read_page(page)
    return ReadChange(change_id, token, kind, document_id, (columns.pages, triples))


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


@dataclass(frozen=True, slots=True)
class Counts:
    """Of the live public pages: how many there are, and how long they are together.

    Whole numbers, so that they come out the same whatever the index went through.
    """

    pages: int
    passages: int
    lengths: tuple[int, ...]  # a field each
    labels: Integers  # how many pages have each label of the table


@dataclass(frozen=True)
class Snapshot:
    """Every page of a site in one number space, with the dead ones marked.

    `offsets` has one entry a segment, by its id. `change_postings` are the postings of
    pages that no merge has taken in, by term, in the snapshot's numbers, and `moved` the
    numbers of these pages by their documents.
    """

    marker: Marker
    changes: Mapping[int, ReadChange]
    base: Base
    columns: Columns
    size: tuple[int, int]  # pages, passages
    alive: Bools
    public: Bools
    label_table: Mapping[Label, int]
    keys: Keys
    change_postings: ChangePostings
    moved: Mapping[int, int]
    counts: Counts
    # Words of questions put right by this index; empty = as it should be.
    spelled: dict[Word, str] = field(default_factory=dict, compare=False, repr=False)
    # Which pages pass the filters of a question.
    eligible: dict[Any, Bools] = field(default_factory=dict, compare=False, repr=False)
    # Which pages the vectors of a set are of (`nearest`).
    places: dict[Any, Integers] = field(default_factory=dict, compare=False, repr=False)
    # How rare terms are (`scoring`).
    rarities: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    # What the postings of terms add to scores (`scoring`).
    shares: Room[str, Any] = field(
        default_factory=lambda: Room(SHARES_BYTES), compare=False, repr=False
    )

    @cached_property
    def documents(self) -> Integers:
        return self.columns.documents[: self.size[0]]

    @cached_property
    def labels(self) -> Integers:
        """Of each page, its place in the table of labels."""
        return self.columns.labels[: self.size[0]]

    @cached_property
    def page_lengths(self) -> Integers:
        return self.columns.page_lengths[: self.size[0]]

    @cached_property
    def first(self) -> Integers:
        """Where the passages of each page begin, and the last ones end."""
        return self.columns.first[: self.size[0] + 1]

    @cached_property
    def passage_lengths(self) -> Integers:
        return self.columns.passage_lengths[: self.size[1]]

    @cached_property
    def passage_page(self) -> Integers:
        """The page each passage belongs to."""
        return self.columns.passage_page[: self.size[1]]

    @cached_property
    def every_label(self) -> Sequence[Label]:
        return list(self.label_table)

    @property
    def offsets(self) -> Mapping[int, Offsets]:
        return self.base.offsets

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
        for name, length in zip(FIELDS, self.counts.lengths, strict=True):
            is_of_page = name in PAGE_FIELDS
            number = self.counts.pages if is_of_page else self.counts.passages
            mean = length / number if number else 0.0
            statistics[name] = (number, mean or 1.0)
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

        norms = np.empty(lengths.size, "f4")
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
        numbers = self.counts.labels.tolist()
        return tuple(
            label
            for label, number in zip(self.every_label, numbers, strict=True)
            if number
        )

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


class Keys:
    """The keys of the pages of segments, and behind them those of changes, one each."""

    __slots__ = ("_changed", "_merged")

    def __init__(self, merged: PageKeys, changed: Sequence[PageKeys] = ()) -> None:
        self._merged = merged
        self._changed = changed

    def with_more(self, changed: Iterable[PageKeys]) -> Keys:
        return Keys(self._merged, (*self._changed, *changed))

    def names(self, number: int) -> tuple[str, str]:
        """Return the object id and the part of a page."""
        behind = number - len(self._merged)
        return (
            self._merged.names(number) if behind < 0 else self._changed[behind].names(0)
        )

    def of_parts(self) -> Bools:
        """Tell of each key whether it is that of a part of a page."""
        import numpy as np

        runs = (self._merged, *self._changed)
        return np.concatenate([run.of_parts() for run in runs])


class Columns:
    """The columns of all pages, with room behind them for those of later changes.

    What has been written is never changed, so that each snapshot has its own beginning of
    them. Only what stands at the very end is written on; anything else gets a copy.
    """

    def __init__(self, pages: Pages) -> None:
        import numpy as np

        spans = np.diff(pages.first)
        number, passages = len(pages.documents), len(pages.passage_lengths)
        self._used = number, passages
        self._lock = threading.Lock()
        more, more_passages = number + SPARE, passages + 4 * SPARE
        self.documents = _with_room(pages.documents, more)
        self.labels = _with_room(pages.labels, more)
        self.page_lengths = _with_room(pages.page_lengths, more)
        self.first = _with_room(pages.first, more + 1)
        self.passage_lengths = _with_room(pages.passage_lengths, more_passages)
        owners = np.arange(number, dtype="<u4").repeat(spans)
        self.passage_page = _with_room(owners, more_passages)

    def added(
        self, size: tuple[int, int], pages: Sequence[Pages], labels: Sequence[int]
    ) -> tuple[Columns, tuple[int, int]]:
        """Write single pages, with their labels, behind the first ones.

        Args:
            size: How many pages and passages stand before them.
            pages: One page each.
            labels: Their places in the table of labels.

        Returns:
            The columns that have them, and how many pages and passages these have.
        """
        number, passages = size
        end = number + len(pages), passages + sum(len(p.passage_lengths) for p in pages)
        with self._lock:
            has_room = end[0] <= len(self.documents) and end[1] <= len(
                self.passage_page
            )
            columns = self if self._used == size and has_room else self._copy(size, end)
            for page, label in zip(pages, labels, strict=True):
                until = passages + len(page.passage_lengths)
                columns.documents[number] = page.documents[0]
                columns.labels[number] = label
                columns.page_lengths[number] = page.page_lengths[0]
                columns.passage_lengths[passages:until] = page.passage_lengths
                columns.passage_page[passages:until] = number
                number, passages = number + 1, until
                columns.first[number] = passages
            columns._used = end
        return columns, end

    def _copy(self, size: tuple[int, int], end: tuple[int, int]) -> Columns:
        copy = Columns.__new__(Columns)
        copy._lock = threading.Lock()
        of_pages, of_passages = end[0] + SPARE, end[1] + 4 * SPARE
        for name, number, room in (
            ("documents", size[0], of_pages),
            ("labels", size[0], of_pages),
            ("page_lengths", size[0], of_pages),
            ("first", size[0] + 1, of_pages + 1),
            ("passage_lengths", size[1], of_passages),
            ("passage_page", size[1], of_passages),
        ):
            setattr(copy, name, _with_room(getattr(self, name)[:number], room))
        return copy


def _with_room(values: Integers, rows: int) -> Integers:
    import numpy as np

    column = np.empty((rows, *values.shape[1:]), values.dtype)
    column[: len(values)] = values
    return column


@dataclass(frozen=True)
class Base:
    """The segments of one epoch, read once and shared by that epoch's snapshots.

    `pages` are kept for those who write segments; questions ask `snapshot`.
    """

    epoch: int
    offsets: Mapping[int, Offsets]
    pages: Pages
    alive: Bools
    position: Positions = field(repr=False)
    columns: Columns | None = field(default=None, repr=False)
    # By this what is kept of its postings is told from that of any other.
    owner: object = field(default_factory=object, compare=False, repr=False)


def read_base(epoch: int, segments: Iterable[tuple[int, Segment]]) -> Base:
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


def kept_base(epoch: int, segments: Iterable[tuple[int, Segment]]) -> Base:
    """Return what `read_base` does, for a process to keep: its columns are there once."""
    base = read_base(epoch, segments)
    columns = Columns(base.pages)
    pages, number = base.pages, len(base.pages.documents)
    once = replace(
        pages,
        documents=columns.documents[:number],
        labels=columns.labels[:number],
        page_lengths=columns.page_lengths[:number],
        first=columns.first[: number + 1],
        passage_lengths=columns.passage_lengths[: len(pages.passage_lengths)],
    )
    return replace(base, pages=once, columns=columns)


def _resolve(pages: Pages, columns: Sequence[Segment]) -> tuple[Bools, dict[int, int]]:
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
    return moved_on(_of_base(base), marker, ordered)


def _of_base(base: Base) -> Snapshot:
    """Return what there is without any change."""
    import numpy as np

    pages = base.pages
    counted = base.alive & pages.public
    counted_passages = counted.repeat(np.diff(pages.first))
    lengths = (
        *pages.page_lengths[counted].sum(axis=0, dtype="i8").tolist(),
        *pages.passage_lengths[counted_passages].sum(axis=0, dtype="i8").tolist(),
    )
    labels = np.bincount(pages.labels[counted], minlength=len(pages.label_table))
    return Snapshot(
        marker=Marker(base.epoch, 0, 0, 0),
        changes={},
        base=base,
        columns=base.columns or Columns(pages),
        size=(len(pages.documents), len(pages.passage_lengths)),
        alive=base.alive,
        public=pages.public,
        label_table={label: place for place, label in enumerate(pages.label_table)},
        keys=Keys(PageKeys.joined([pages.keys])),
        change_postings=ChangePostings(),
        moved={},
        counts=Counts(int(counted.sum()), int(counted_passages.sum()), lengths, labels),
    )


def moved_on(
    snapshot: Snapshot, marker: Marker, changes: Sequence[ReadChange]
) -> Snapshot:
    """Make the next snapshot on the same base.

    Args:
        snapshot: With all changes before these.
        marker: Of the state with them.
        changes: Ascending by id. It costs as much as they are large, and two bytes a
            page.
    """
    import numpy as np

    put = [change.page for change in changes if change.page]
    pages = [page for page, _ in put]
    table, labels = _labelled(snapshot.label_table, pages)
    columns, size = snapshot.columns.added(snapshot.size, pages, labels)
    shown = [page.public for page in pages]
    following = _Following(
        snapshot.base,
        dict(snapshot.moved),
        np.concatenate([snapshot.alive, np.zeros(len(pages), bool)]),
        np.concatenate([snapshot.public, *shown]),
        columns,
        list(snapshot.counts.lengths),
        snapshot.counts.pages,
        snapshot.counts.passages,
        np.concatenate(
            [
                snapshot.counts.labels,
                np.zeros(len(table) - len(snapshot.label_table), "i8"),
            ]
        ),
    )
    number, blocks = snapshot.size[0], []
    for change in changes:
        following.take(change, number)
        if change.page:
            offsets = Offsets(number, int(columns.first[number]))
            blocks.append(_Block.of(change.page[1], offsets))
            number += 1
    counts = Counts(
        following.pages, following.passages, tuple(following.lengths), following.labels
    )
    return Snapshot(
        marker=marker,
        changes={**snapshot.changes, **{change.id: change for change in changes}},
        base=snapshot.base,
        columns=columns,
        size=size,
        alive=following.alive,
        public=following.public,
        label_table=table,
        keys=snapshot.keys.with_more(PageKeys.joined([page.keys]) for page in pages),
        change_postings=snapshot.change_postings.with_more(blocks),
        moved=following.moved,
        counts=counts,
    )


def _labelled(
    table: Mapping[Label, int], pages: Sequence[Pages]
) -> tuple[Mapping[Label, int], list[int]]:
    """Return the table with the labels of single pages, and the place of each."""
    labels = [page.label_table[int(page.labels[0])] for page in pages]
    new = [label for label in dict.fromkeys(labels) if label not in table]
    if new:
        table = {**table, **{label: len(table) + n for n, label in enumerate(new)}}
    return table, [table[label] for label in labels]


@dataclass(slots=True)
class _Following:
    """Which pages are alive and public while changes are taken in, and their counts."""

    base: Base
    moved: dict[int, int]
    alive: Bools
    public: Bools
    columns: Columns
    lengths: list[int]
    pages: int
    passages: int
    labels: Integers

    def take(self, change: ReadChange, number: int) -> None:
        """Take in a change; a page that it puts has the number `number`."""
        from nlweb_ask.models import Change

        document = change.document_id
        place = self.moved.get(document)
        if place is None:
            place = self.base.position.get(document)
        if change.kind == Change.Kind.PUT:
            if place is not None:
                self._set(place, self.alive, to=False)
            self.moved[document] = number
            self._set(number, self.alive, to=True)
        elif place is None:
            return
        elif change.kind == Change.Kind.WITHDRAWN:
            self._set(place, self.alive, to=False)
        else:
            self._set(place, self.public, to=change.kind == Change.Kind.OPENED)

    def _set(self, number: int, flags: Bools, *, to: bool) -> None:
        counted = bool(self.alive[number] and self.public[number])
        flags[number] = to
        counts = bool(self.alive[number] and self.public[number])
        if counts != counted:
            self._count(number, 1 if counts else -1)

    def _count(self, number: int, sign: int) -> None:
        columns = self.columns
        first, end = columns.first[number : number + 2].tolist()
        lengths = (
            *columns.page_lengths[number].tolist(),
            *columns.passage_lengths[first:end].sum(axis=0, dtype="i8").tolist(),
        )
        for place, length in enumerate(lengths):
            self.lengths[place] += sign * length
        self.pages += sign
        self.passages += sign * (end - first)
        self.labels[columns.labels[number]] += sign


class _Block(NamedTuple):
    """Postings of changed pages by term, each term's in the order of the changes."""

    terms: Integers
    fields: Integers
    numbers: Integers
    frequencies: Integers

    @classmethod
    def of(cls, triples: Triples, offsets: Offsets) -> _Block:
        import numpy as np

        shifts = np.array([offsets.of(name) for name in FIELDS], "<u4")
        numbers = triples.numbers + shifts.take(triples.fields)
        return cls(triples.terms, triples.fields, numbers, triples.frequencies)

    @classmethod
    def joined(cls, blocks: Sequence[_Block]) -> _Block:
        import numpy as np

        whole = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
        order = whole[0].argsort(kind="stable")
        return cls(*(part.take(order) for part in whole))

    def run(self, begin: int, end: int) -> Run:
        """Return the postings of one term."""
        import numpy as np

        fields = self.fields[begin:end]
        order = fields.argsort(kind="stable") + begin
        counts = np.bincount(fields, minlength=len(FIELDS)).tolist()
        of_pages = sum(counts[PAGES])
        numbers, frequencies = self.numbers.take(order), self.frequencies.take(order)
        return Run(
            counts,
            numbers[:of_pages],
            numbers[of_pages:],
            frequencies[:of_pages],
            frequencies[of_pages:],
        )


class ChangePostings:
    """The postings of pages that no merge has taken in, in the snapshot's numbers.

    Each term is put together when it is asked for: a change is taken in by every worker,
    and most of its terms by no question before the next.
    """

    def __init__(self, blocks: Sequence[_Block] = ()) -> None:
        self._blocks = blocks

    def with_more(self, blocks: Sequence[_Block]) -> ChangePostings:
        """Return these and more, put together from time to time."""
        both = [*self._blocks, *blocks]
        return ChangePostings(
            both if len(both) <= MAX_BLOCKS else [_Block.joined(both)]
        )

    def of(self, terms: Sequence[int]) -> dict[int, list[Run]]:
        """Return the runs of those terms that have any."""
        import numpy as np

        found: dict[int, list[Run]] = {}
        wanted = np.array(terms, "<i8")
        for block in self._blocks:
            begins = block.terms.searchsorted(wanted)
            ends = block.terms.searchsorted(wanted, "right")
            for place in (ends > begins).nonzero()[0].tolist():
                run = block.run(int(begins[place]), int(ends[place]))
                found.setdefault(terms[place], []).append(run)
        return found
