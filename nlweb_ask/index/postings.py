"""How postings and the pages that hold them are laid out in bytes.

Every number is little-endian. A *page number* counts the pages of one segment or change
from 0, a *passage number* its passages; neither means anything outside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain
from struct import Struct, pack
from typing import TYPE_CHECKING, Any, Final, NamedTuple, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.integer[Any]]


class Field(IntEnum):
    """Where in a page a term stands; each field has lengths and an IDF of its own."""

    TITLE = 0
    PROPERTIES = 1
    PAGE = 2
    HEADING = 3
    TEXT = 4


# Going through the class itself is slow.
FIELDS: Final = tuple(Field)
PAGE_FIELDS: Final = (Field.TITLE, Field.PROPERTIES, Field.PAGE)
PASSAGE_FIELDS: Final = (Field.HEADING, Field.TEXT)

# Measured on four collections (see docs/explanation/search-index.md): a title is worth
# three quarters of the text, a heading a quarter, and the whole page as much as its best
# passage.
WEIGHTS: Final[Mapping[Field, float]] = {
    Field.TITLE: 0.75,
    Field.PROPERTIES: 0.5,
    Field.PAGE: 1.0,
    Field.HEADING: 0.25,
    Field.TEXT: 1.0,
}

MAX_FREQUENCY: Final = 65_535
_COUNTS: Final = Struct(f"<{len(FIELDS)}I")


class Label(NamedTuple):
    """What a scope can filter by; pages that agree in it share one."""

    source: str
    language: str
    types: tuple[str, ...]
    version: str


class PageKey(NamedTuple):
    """The rest of a page's identity."""

    object_id: str
    part: str
    group: str


class PageKeys(Sequence[PageKey]):
    """Keys of many pages in one piece of memory: as tuples they are eight times as large."""

    __slots__ = ("_at", "_ends", "_words")

    def __init__(self, words: bytes, ends: Integers) -> None:
        """Take the UTF-8 of all keys' texts end to end, and where each text ends."""
        self._words = words
        self._ends = ends  # (3 * pages + 1,), from 0
        self._at = memoryview(ends)  # type: ignore[arg-type] # single numbers sooner

    @classmethod
    def of(cls, keys: Iterable[PageKey]) -> PageKeys:
        import numpy as np

        texts = [text.encode("utf-8", "surrogatepass") for key in keys for text in key]
        lengths = np.fromiter(map(len, texts), "<u4", len(texts))
        ends = np.concatenate([np.zeros(1, "<u4"), np.cumsum(lengths, dtype="<u4")])
        return cls(b"".join(texts), ends)

    @classmethod
    def joined(cls, runs: Iterable[Sequence[PageKey]]) -> PageKeys:
        """Put runs of keys end to end without taking them apart."""
        import numpy as np

        words, ends, length = [], [np.zeros(1, "<u4")], 0
        for run in runs:
            keys = run if isinstance(run, PageKeys) else cls.of(run)
            words.append(keys._words)
            ends.append(keys._ends[1:] + np.uint32(length))
            length += len(keys._words)
        return cls(b"".join(words), np.concatenate(ends))

    def of_parts(self) -> NDArray[np.bool_]:
        """Tell of each key whether it is that of a part of a page."""
        fields = len(PageKey._fields)
        part = PageKey._fields.index("part")
        begins = self._ends[part::fields][: len(self)]
        ends = self._ends[part + 1 :: fields]
        found: NDArray[np.bool_] = ends > begins
        return found

    def names(self, number: int) -> tuple[str, str]:
        """Return the object id and the part of one page."""
        words, at, first = self._words, self._at, number * len(PageKey._fields)
        object_id, part, group = at[first], at[first + 1], at[first + 2]
        return (
            words[object_id:part].decode("utf-8", "surrogatepass"),
            words[part:group].decode("utf-8", "surrogatepass") if group > part else "",
        )

    def __len__(self) -> int:
        return len(self._ends) // len(PageKey._fields)

    @overload
    def __getitem__(self, number: int) -> PageKey: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[PageKey]: ...
    def __getitem__(self, number: int | slice) -> PageKey | Sequence[PageKey]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if not 0 <= number < len(self):
            raise IndexError(number)
        words, at, first = self._words, self._at, number * len(PageKey._fields)
        object_id, part, group, end = (
            at[first],
            at[first + 1],
            at[first + 2],
            at[first + 3],
        )
        return PageKey(
            words[object_id:part].decode("utf-8", "surrogatepass"),
            words[part:group].decode("utf-8", "surrogatepass"),
            words[group:end].decode("utf-8", "surrogatepass"),
        )


@dataclass(frozen=True, slots=True)
class Pages:
    """A run of pages in memory: what is kept of them beside their postings.

    Arrays: `documents` (pages,) int64; `labels` (pages,) uint32 into `label_table`;
    `public` (pages,) bool; `page_lengths` (pages, 3) uint32, in the order of
    `PAGE_FIELDS`; `first` (pages + 1,) uint32, where the passages of a page begin;
    `passage_lengths` (passages, 2) uint32, in the order of `PASSAGE_FIELDS`.
    """

    documents: Integers
    labels: Integers
    label_table: Sequence[Label]
    keys: Sequence[PageKey]
    public: NDArray[np.bool_]
    page_lengths: Integers
    first: Integers
    passage_lengths: Integers


@dataclass(frozen=True, slots=True)
class Columns:
    """The pages of a segment and what it says about pages of earlier segments."""

    pages: Pages
    withdrawn: Integers  # (n,) int64, document ids
    opened: Integers
    closed: Integers


@dataclass(frozen=True, slots=True)
class Triples:
    """Postings as four parallel arrays: term int64, field uint8, number uint32, tf uint16."""

    terms: Integers
    fields: Integers
    numbers: Integers
    frequencies: Integers


class FieldPostings(NamedTuple):
    """Numbers (uint32, ascending, distinct) and frequencies (uint16) of one field."""

    numbers: Integers
    frequencies: Integers


_ARRAYS: Final = (
    ("documents", "<i8"),
    ("labels", "<u4"),
    ("public", "|u1"),
    ("page_lengths", "<u4"),
    ("first", "<u4"),
    ("passage_lengths", "<u4"),
    ("withdrawn", "<i8"),
    ("opened", "<i8"),
    ("closed", "<i8"),
)
_TRIPLES: Final = (
    ("terms", "<i8"),
    ("fields", "|u1"),
    ("numbers", "<u4"),
    ("frequencies", "<u2"),
)


# `json.dumps` would make an encoder for each page.
_written: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _pack(header: Mapping[str, Any], arrays: Sequence[tuple[str, Any]]) -> bytes:
    """Write a JSON header with the arrays' lengths, then the arrays' bytes."""
    import numpy as np

    parts = [np.ascontiguousarray(values, dtype=kind) for kind, values in arrays]
    head = _written({**header, "sizes": [part.size for part in parts]}).encode()
    return b"".join(
        [len(head).to_bytes(4, "little"), head, *(part.tobytes() for part in parts)]
    )


def _unpack(
    blob: bytes | memoryview, kinds: Sequence[tuple[str, str]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    import numpy as np

    blob = bytes(blob)
    end = 4 + int.from_bytes(blob[:4], "little")
    header = json.loads(blob[4:end])
    arrays = {}
    for (name, kind), size in zip(kinds, header["sizes"], strict=True):
        arrays[name] = np.frombuffer(blob, dtype=kind, count=size, offset=end)
        end += size * np.dtype(kind).itemsize
    return header, arrays


def write_columns(columns: Columns) -> bytes:
    """Return the blob that `read_columns` reads."""
    header = {
        "labels": [list(label) for label in columns.pages.label_table],
        "keys": [list(key) for key in columns.pages.keys],
    }
    return _pack(header, [(kind, _column(columns, name)) for name, kind in _ARRAYS])


def _column(columns: Columns, name: str) -> Any:
    return getattr(columns if hasattr(columns, name) else columns.pages, name)


def read_columns(blob: bytes | memoryview) -> Columns:
    """Read what `write_columns` wrote; the arrays are views that cannot be written."""
    header, arrays = _unpack(blob, _ARRAYS)
    return Columns(
        pages=_pages(header, arrays),
        withdrawn=arrays["withdrawn"],
        opened=arrays["opened"],
        closed=arrays["closed"],
    )


def _label(written: Sequence[Any]) -> Label:
    source, language, types, version = written
    return Label(source, language, tuple(types), version)


def _pages(header: Mapping[str, Any], arrays: Mapping[str, Any]) -> Pages:
    return Pages(
        documents=arrays["documents"],
        labels=arrays["labels"],
        label_table=list(map(_label, header["labels"])),
        keys=PageKeys.of(PageKey(*key) for key in header["keys"]),
        public=arrays["public"].astype(bool),
        page_lengths=arrays["page_lengths"].reshape(-1, len(PAGE_FIELDS)),
        first=arrays["first"],
        passage_lengths=arrays["passage_lengths"].reshape(-1, len(PASSAGE_FIELDS)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OnePage:
    """A page as `Pages` keeps one, before it is in any array."""

    document_id: int
    label: Label
    key: PageKey
    public: bool
    page_lengths: tuple[int, int, int]  # in the order of `PAGE_FIELDS`
    passage_lengths: Sequence[tuple[int, int]]  # in the order of `PASSAGE_FIELDS`


def write_page(page: OnePage, triples: Triples) -> bytes:
    """Return one changed page with its own postings: what a change row holds.

    The same bytes as `write_columns` gives of that page alone, without making nine
    arrays of a number or two each.
    """
    passages = len(page.passage_lengths)
    head = _written(
        {
            "labels": [page.label],
            "keys": [page.key],
            "sizes": [1, 1, 1, len(PAGE_FIELDS), 2, 2 * passages, 0, 0, 0],
        }
    ).encode()
    numbers = (*page.page_lengths, 0, passages, *chain(*page.passage_lengths))
    columns = pack(f"<qIB{len(numbers)}I", page.document_id, 0, page.public, *numbers)
    size = len(triples.terms)
    sizes = _written({"sizes": [size] * len(_TRIPLES)}).encode()
    return b"".join(
        [
            (4 + len(head) + len(columns)).to_bytes(4, "little"),
            len(head).to_bytes(4, "little"),
            head,
            columns,
            len(sizes).to_bytes(4, "little"),
            sizes,
            *(getattr(triples, name).tobytes() for name, _kind in _TRIPLES),
        ]
    )


def read_page(blob: bytes | memoryview) -> tuple[Columns, Triples]:
    """Read what `write_page` wrote."""
    blob = bytes(blob)
    end = 4 + int.from_bytes(blob[:4], "little")
    _, arrays = _unpack(blob[end:], _TRIPLES)
    return read_columns(blob[4:end]), Triples(**arrays)


# The arrays of one page in front of those of its passages, as `write_page` writes them.
_ONE_PAGE: Final = [
    ("documents", "<i8"),
    ("labels", "<u4"),
    ("public", "|u1"),
    ("page_lengths", "<u4", len(PAGE_FIELDS)),
    ("first", "<u4", 2),
]


def read_pages(blobs: Sequence[bytes | memoryview]) -> tuple[Pages, Triples, Integers]:
    """Read pages that `write_page` wrote, and put them end to end.

    Returns:
        The pages, their postings in each page's own numbers, and how many postings each
        page has.
    """
    import numpy as np

    layout = np.dtype(_ONE_PAGE)
    width = sum(np.dtype(kind).itemsize for _, kind in _TRIPLES)
    table: dict[Label, int] = {}
    labels, keys, sizes = [], [], []
    fixed, passages = [], []
    postings: tuple[list[bytes], ...] = tuple([] for _ in _TRIPLES)
    for blob in map(bytes, blobs):
        end = 4 + int.from_bytes(blob[:4], "little")
        begin = 8 + int.from_bytes(blob[4:8], "little")
        header = json.loads(blob[8:begin])
        labels.append(table.setdefault(_label(header["labels"][0]), len(table)))
        keys.append(PageKey(*header["keys"][0]))
        fixed.append(blob[begin : begin + layout.itemsize])
        passages.append(blob[begin + layout.itemsize : end])
        begin = end + 4 + int.from_bytes(blob[end : end + 4], "little")
        size = (len(blob) - begin) // width
        sizes.append(size)
        for parts, (_, kind) in zip(postings, _TRIPLES, strict=True):
            end = begin + size * int(kind[-1])
            parts.append(blob[begin:end])
            begin = end
    columns = np.frombuffer(b"".join(fixed), layout)
    pages = Pages(
        documents=columns["documents"],
        labels=np.array(labels, "<u4"),
        label_table=list(table),
        keys=PageKeys.of(keys),
        public=columns["public"].astype(bool),
        page_lengths=columns["page_lengths"],
        first=np.cumsum([0, *columns["first"][:, 1].tolist()], dtype="<u4"),
        passage_lengths=np.frombuffer(b"".join(passages), "<u4").reshape(
            -1, len(PASSAGE_FIELDS)
        ),
    )
    triples = Triples(
        *(
            np.frombuffer(b"".join(parts), kind)
            for parts, (_, kind) in zip(postings, _TRIPLES, strict=True)
        )
    )
    return pages, triples, np.array(sizes, "<i8")


def write_postings(fields: Mapping[Field, FieldPostings]) -> bytes:
    """Return the postings of one term in one segment.

    Five counts (uint32), the numbers of each field (uint32), then the frequencies of
    each field (uint16), in the order of `Field`.
    """
    import numpy as np

    present = [fields.get(field) for field in Field]
    counts = np.array([0 if p is None else len(p.numbers) for p in present], "<u4")
    numbers = [np.asarray(p.numbers, "<u4").tobytes() for p in present if p]
    frequencies = [np.asarray(p.frequencies, "<u2").tobytes() for p in present if p]
    return b"".join([counts.tobytes(), *numbers, *frequencies])


def write_all_postings(triples: Triples) -> Iterator[tuple[int, bytes]]:
    """Yield each term of sorted postings with what `write_postings` returns of it."""
    import numpy as np

    first = np.flatnonzero(np.diff(triples.terms, prepend=triples.terms[:1] - 1))
    sizes = np.diff(first, append=len(triples.terms))
    places = np.repeat(np.arange(len(first)) * len(FIELDS), sizes) + triples.fields
    counted = np.bincount(places, minlength=len(first) * len(FIELDS)).astype("<u4")
    # As they are sorted, the fields of a term stand one behind the other already.
    counts, width = counted.tobytes(), _COUNTS.size
    numbers = triples.numbers.astype("<u4").tobytes()
    frequencies = triples.frequencies.astype("<u2").tobytes()
    begins = first.tolist()
    for place, (term, begin, size) in enumerate(
        zip(triples.terms[first].tolist(), begins, sizes.tolist(), strict=True)
    ):
        end = begin + size
        yield (
            term,
            counts[place * width : (place + 1) * width]
            + numbers[4 * begin : 4 * end]
            + frequencies[2 * begin : 2 * end],
        )


def read_counts(blob: bytes | memoryview) -> tuple[tuple[int, ...], int]:
    """Return how many postings each field has, and where in the bytes they begin."""
    return _COUNTS.unpack_from(blob), _COUNTS.size


def read_postings(blob: bytes | memoryview) -> dict[Field, FieldPostings]:
    """Read what `write_postings` wrote; fields without the term are left out."""
    import numpy as np

    counts = _COUNTS.unpack_from(blob)
    total = sum(counts)
    numbers = np.frombuffer(blob, "<u4", total, _COUNTS.size)
    frequencies = np.frombuffer(blob, "<u2", total, _COUNTS.size + numbers.nbytes)
    fields: dict[Field, FieldPostings] = {}
    begin = 0
    for field, count in zip(FIELDS, counts, strict=True):
        if count:
            end = begin + count
            fields[field] = FieldPostings(numbers[begin:end], frequencies[begin:end])
            begin = end
    return fields
