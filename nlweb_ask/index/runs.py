"""The postings of a term as they are added up: pages end to end, passages end to end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nlweb_ask.index.postings import FIELDS, PAGE_FIELDS, PASSAGE_FIELDS, read_counts
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
# Of numbers that are kept in two bytes, those that went round as often stand together.
ROUND: Final = 1 << 16
ROUND_BYTES: Final = 200


class Round(NamedTuple):
    """Which of the numbers of a run count from `base`."""

    begin: int
    end: int
    base: int


class Run(NamedTuple):
    """A term's postings in one segment or in changes, in the numbers of a snapshot.

    `counts` has one number a field, in the order of `Field`; so the postings of each
    field are known among those of the pages (title, properties, page) or of the
    passages (heading, text), ascending and distinct within it. `passages` count from
    the bases of `rounds`, as `whole` reads them.
    """

    counts: Sequence[int]
    pages: Integers
    passages: Integers
    page_frequencies: Integers
    passage_frequencies: Integers
    rounds: Sequence[Round] = ()

    @property
    def of_page(self) -> Integers:
        """The pages that hold it anywhere."""
        return self.pages[self.counts[0] + self.counts[1] :]

    @property
    def size(self) -> int:
        """How many bytes it takes in memory when it is `small`."""
        of_pages = len(self.pages) * (3 if _fits(self.pages, 2) else 5)
        rounds = _most_rounds(self.passages)
        of_passages = len(self.passages) * (5 if rounds is None else 3)
        return RUN_BYTES + of_pages + of_passages + ROUND_BYTES * (rounds or 0)

    def small(self) -> Run:
        """Return the same in as few bytes as its numbers need."""
        passages, rounds = _in_rounds(self.passages)
        parts = (
            _as(self.pages, "<u2"),
            passages,
            _as(self.page_frequencies, "|u1"),
            _as(self.passage_frequencies, "|u1"),
        )
        return Run(self.counts, *parts, rounds)


def whole(
    parts: Sequence[Integers], rounds: Sequence[Sequence[Round]] = ()
) -> Integers:
    """Return numbers of several runs end to end, in the type that numpy looks up by.

    Any other type would be converted at every look. `rounds` are those of each part, or
    none of all.
    """
    import numpy as np

    if not parts:
        return np.zeros(0, np.intp)
    numbers = np.concatenate(parts, dtype=np.intp, casting="unsafe")
    start = 0
    for part, its in zip(parts, rounds, strict=False):
        for begin, end, base in its:
            numbers[start + begin : start + end] += base
        start += len(part)
    return numbers


def _most_rounds(numbers: Integers) -> int | None:
    """Return how many rounds there may be; nothing where four bytes each take less."""
    highest = int(numbers.max(initial=0))
    if highest < ROUND:
        return 0
    most = len(PASSAGE_FIELDS) * (highest // ROUND + 1)
    return most if ROUND_BYTES * most < 2 * len(numbers) else None


def _in_rounds(numbers: Integers) -> tuple[Integers, Sequence[Round]]:
    import numpy as np

    most = _most_rounds(numbers)
    if not most:
        return numbers.astype("<u2" if most == 0 else "<u4"), ()
    rounds = numbers // ROUND
    begins = [0, *(np.flatnonzero(np.diff(rounds)) + 1).tolist()]
    told = map(
        Round,
        begins,
        [*begins[1:], len(numbers)],
        (ROUND * rounds.take(begins).astype(int)).tolist(),
    )
    return numbers.astype("<u2"), [each for each in told if each.base]


def _as(numbers: Integers, kind: str) -> Integers:
    return numbers.astype(kind if _fits(numbers, int(kind[-1])) else numbers.dtype)


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
