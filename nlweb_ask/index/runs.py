"""The postings of a term as they are added up: pages end to end, passages end to end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nlweb_ask.index.postings import FIELDS, PAGE_FIELDS, read_counts
from nlweb_ask.index.room import Room

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.integer[Any]]

# Of counts, one for each of `FIELDS`.
PAGES: Final = slice(0, len(PAGE_FIELDS))
PASSAGES: Final = slice(len(PAGE_FIELDS), len(FIELDS))

# What a process keeps of the postings of segments, which no change touches.
ROOM_BYTES: Final = 10 * 2**20
# Of a run beside its postings: the objects that it is made of.
RUN_BYTES: Final = 1000
NAME_BYTES: Final = 600


class Run(NamedTuple):
    """A term's postings in one segment or in changes, in the numbers of a snapshot.

    `counts` has one number a field, in the order of `Field`; so the postings of each
    field are known among those of the pages (title, properties, page) or of the
    passages (heading, text), ascending and distinct within it.
    """

    counts: Sequence[int]
    pages: Integers
    passages: Integers
    page_frequencies: Integers
    passage_frequencies: Integers

    @property
    def of_page(self) -> Integers:
        """The pages that hold it anywhere."""
        return self.pages[self.counts[0] + self.counts[1] :]

    @property
    def size(self) -> int:
        """How many bytes it takes in memory when it is `small`."""
        numbers = 2 if _fits(self.pages, 2) else 4
        of_pages = len(self.pages) * (numbers + 1)
        return RUN_BYTES + of_pages + len(self.passages) * 5

    def small(self) -> Run:
        """Return the same in as few bytes as its numbers need."""
        kinds = ("<u2", "<u4", "|u1", "|u1")
        parts = [
            part.astype(kind if _fits(part, int(kind[-1])) else part.dtype)
            for part, kind in zip(self[1:], kinds, strict=True)
        ]
        return Run(self.counts, *parts)


def _fits(numbers: Integers, size: int) -> bool:
    """Tell whether numbers may be kept in so many bytes each."""
    return bool(int(numbers.max(initial=0)) < 1 << 8 * size)


TermPostings = Sequence[Run]


def read_run(blob: bytes, page: int, passage: int) -> Run:
    """Read what `postings.write_postings` wrote, numbered from `page` and `passage`."""
    import numpy as np

    counts, begin = read_counts(blob)
    total, of_pages = sum(counts), sum(counts[PAGES])
    numbers = np.frombuffer(blob, "<u4", total, begin)
    frequencies = np.frombuffer(blob, "<u2", total, begin + 4 * total)
    pages, passages = numbers[:of_pages], numbers[of_pages:]
    if page:
        pages = pages + np.uint32(page)
    if passage:
        passages = passages + np.uint32(passage)
    return Run(counts, pages, passages, frequencies[:of_pages], frequencies[of_pages:])


room: Final = Room[int, TermPostings](ROOM_BYTES)


def keep(owner: object, term: int, runs: TermPostings) -> None:
    """Keep the runs of a term in all segments of `owner`, the base of a snapshot."""
    size = NAME_BYTES + sum(run.size for run in runs)
    room.put(owner, term, size, lambda: [run.small() for run in runs])
