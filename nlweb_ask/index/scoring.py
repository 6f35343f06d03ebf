"""Adding up: from the postings of a question's terms to what pages and passages score.

Each posting is passed over few times and in long arrays, not term by term: of a question
with many words most of the time went into the calls.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nlweb_ask.index.analysis import EXACT_MARK
from nlweb_ask.index.postings import FIELDS, PAGE_FIELDS, PASSAGE_FIELDS, WEIGHTS, Field
from nlweb_ask.index.room import Room
from nlweb_ask.index.runs import PAGES, PASSAGES, Round, Run, TermPostings, whole
from nlweb_ask.index.snapshot import K1, Snapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Shorts = NDArray[np.float32]
    Integers = NDArray[np.integer[Any]]
    Bools = NDArray[np.bool_]

# A word with its accents as typed counts this much beside the word without them.
EXACT_WEIGHT: Final = 0.25
# Of so many terms it is kept how rare they are, until the index changes.
MAX_RARITIES: Final = 4096
# Beside the numbers: the objects that they are in.
SHARES_OBJECTS: Final = 400

_PLAIN: Final = tuple(WEIGHTS[field] for field in FIELDS)
_EXACT: Final = tuple(EXACT_WEIGHT * weight for weight in _PLAIN)


class Rarity(NamedTuple):
    """How rare a term is in public: `idf` has one number a field."""

    pages: int  # that hold it
    idf: Sequence[float]


def rarities(
    snapshot: Snapshot, found: Mapping[str, TermPostings]
) -> Mapping[str, Rarity]:
    """Return how rare terms are, counted once for each state of the index."""
    rare = known_rarities(snapshot, found)
    if len(rare) < len(found):
        known = snapshot.rarities
        counted = _counted(
            snapshot, {term: found[term] for term in found if term not in rare}
        )
        if len(known) + len(counted) > MAX_RARITIES:
            known.clear()
        known.update(counted)
        rare |= counted
    return rare


def known_rarities(snapshot: Snapshot, terms: Iterable[str]) -> dict[str, Rarity]:
    """Return how rare those of the terms are that were counted before."""
    known: dict[str, Rarity] = snapshot.rarities
    # Another thread may begin it anew meanwhile.
    told = ((term, known.get(term)) for term in terms)
    return {term: rarity for term, rarity in told if rarity is not None}


def _counted(
    snapshot: Snapshot, found: Mapping[str, TermPostings]
) -> dict[str, Rarity]:
    held = {term: [0] * len(FIELDS) for term in found}
    each = [(held[term], run) for term, runs in found.items() for run in runs]
    runs = [run for _, run in each]
    for of_kind, flags, postings in (
        (PAGES, snapshot.counted, _Postings.of_pages(runs)),
        (PASSAGES, snapshot.counted_passages, _Postings.of_passages(runs)),
    ):
        sums = iter(_sums(flags, postings.whole(), postings.counts))
        for counts, _run in each:
            for field in range(*of_kind.indices(len(FIELDS))):
                counts[field] += next(sums)
    totals = [snapshot.field_statistics[field][0] for field in FIELDS]
    return {
        term: Rarity(counts[Field.PAGE], tuple(map(_idf, totals, counts)))
        for term, counts in held.items()
    }


def _idf(total: int, held: int) -> float:
    return math.log(1.0 + (total - held + 0.5) / (held + 0.5))


def _sums(flags: Bools, numbers: Integers, sizes: Sequence[int]) -> Sequence[int]:
    """Return how many of the numbers are flagged, of each `sizes` in turn."""
    import numpy as np

    if not len(numbers):
        return [0] * len(sizes)
    # `take` is several times as fast as an index in brackets.
    flagged = flags.view("u1").take(numbers)
    until = np.zeros(len(flagged) + 1, "i8")
    np.cumsum(flagged, out=until[1:])
    ends = np.cumsum([0, *sizes])
    sums: list[int] = np.diff(until.take(ends)).tolist()
    return sums


def holding_pages(
    snapshot: Snapshot, found: Mapping[str, TermPostings]
) -> dict[str, int]:
    """Return how many live public pages hold each term, of which nothing is kept."""
    each = [(term, run) for term, runs in found.items() for run in runs]
    parts = [run.of_page for _, run in each]
    holding = dict.fromkeys(found, 0)
    sums = _sums(snapshot.counted, whole(parts), list(map(len, parts)))
    for (term, _run), held in zip(each, sums, strict=True):
        holding[term] += held
    return holding


class Added(NamedTuple):
    """What pages or passages score, and the postings that it was added up of.

    `numbers` are those of all postings, end to end; `ends` say where each field of each
    run ends; `term_of` has an entry a run, the place of its term among `terms` terms.
    """

    scores: Floats
    numbers: Integers
    ends: Integers
    term_of: Integers
    terms: int
    fields: int

    def holds(self, wanted: Integers) -> Bools:
        """Tell which of the terms some pages or passages hold, field by field.

        Args:
            wanted: Their numbers, ascending and distinct.

        Returns:
            (fields, terms, wanted): one look at every posting costs less than many
            searches in the postings of each term.
        """
        import numpy as np

        holds = np.zeros((self.fields, self.terms, len(wanted)), bool)
        is_wanted = np.zeros(len(self.scores), bool)
        is_wanted[wanted] = True
        hits = is_wanted.take(self.numbers).nonzero()[0]
        run, field = np.divmod(self.ends.searchsorted(hits, "right"), self.fields)
        place = wanted.searchsorted(self.numbers.take(hits))
        holds[field, self.term_of.take(run), place] = True
        return holds


class Shares(NamedTuple):
    """What each posting of a term adds to its page or passage, of all runs end to end.

    In single precision, for half the memory to pass through: added up in double, so that
    the order in which the same shares are added does not tell pages apart.
    """

    pages: Shorts
    passages: Shorts

    @property
    def size(self) -> int:
        """How many bytes they take in memory."""
        return SHARES_OBJECTS + self.pages.nbytes + self.passages.nbytes

    def by_itself(self) -> Shares:
        """Return a copy: a part of what several terms share keeps all of it in memory."""
        return Shares(self.pages.copy(), self.passages.copy())


def scores(
    snapshot: Snapshot,
    found: Mapping[str, TermPostings],
    rare: Mapping[str, Rarity],
) -> tuple[Added, Added]:
    """Return what each page and each passage scores by the terms of `found`.

    Added in the order of the terms, and of a term in the order of the fields, so that
    the sums are the same to the last bit whatever the index went through.
    """
    shares = _shares(snapshot, found, rare)
    runs = [run for runs in found.values() for run in runs]
    owners = [place for place, runs in enumerate(found.values()) for _ in runs]
    pages = _Postings.of_pages(runs)
    passages = _Postings.of_passages(runs)
    return (
        pages.added_up(
            [share.pages for share in shares],
            *(len(snapshot.documents), owners, len(found)),
        ),
        passages.added_up(
            [share.passages for share in shares],
            *(len(snapshot.passage_lengths), owners, len(found)),
        ),
    )


def _shares(
    snapshot: Snapshot,
    found: Mapping[str, TermPostings],
    rare: Mapping[str, Rarity],
) -> Sequence[Shares]:
    """Return the shares of each term, worked out once for each state of the index.

    What is common in pages is common in questions, and takes most of the time: so a
    process keeps what it can of this.
    """
    room: Room[str, Shares] = snapshot.shares
    known = room.get(None, found)
    new = {term: runs for term, runs in found.items() if term not in known}
    if new:
        made = _worked_out(snapshot, new, rare)
        for term, share in made.items():
            room.put(None, term, share.size, share.by_itself)
        known |= made
    return [known[term] for term in found]


def _worked_out(
    snapshot: Snapshot,
    found: Mapping[str, TermPostings],
    rare: Mapping[str, Rarity],
) -> dict[str, Shares]:
    """Work out all shares in one go: of many rare terms most time went into the calls."""
    runs = [run for runs in found.values() for run in runs]
    each = [(term, rare[term].idf) for term, runs in found.items() for _ in runs]
    of_kind = [
        postings.shares(norms, [_factors(*pair)[kind] for pair in each])
        for postings, norms, kind in (
            (_Postings.of_pages(runs), snapshot.page_norms, PAGES),
            (_Postings.of_passages(runs), snapshot.passage_norms, PASSAGES),
        )
    ]
    made, begins = {}, (0, 0)
    for term, its in found.items():
        ends = (
            begins[0] + sum(len(run.pages) for run in its),
            begins[1] + sum(len(run.passages) for run in its),
        )
        parts = zip(of_kind, begins, ends, strict=True)
        made[term] = Shares(*(share[begin:end] for share, begin, end in parts))
        begins = ends
    return made


def _factors(term: str, idf: Sequence[float]) -> Sequence[float]:
    """Return what the frequencies of a term count, field by field."""
    weights = _EXACT if term[0] == EXACT_MARK else _PLAIN
    return [(K1 + 1.0) * idf * weight for idf, weight in zip(idf, weights, strict=True)]


class _Postings(NamedTuple):
    """Postings of several terms, all of pages or all of passages, run by run.

    `counts` has an entry for each of the `fields` of each run.
    """

    fields: int
    numbers: list[Integers]
    frequencies: list[Integers]
    counts: list[int]
    rounds: Sequence[Sequence[Round]] = ()

    @classmethod
    def of_pages(cls, runs: Sequence[Run]) -> _Postings:
        return cls(
            len(PAGE_FIELDS),
            [run.pages for run in runs],
            [run.page_frequencies for run in runs],
            [count for run in runs for count in run.counts[PAGES]],
        )

    @classmethod
    def of_passages(cls, runs: Sequence[Run]) -> _Postings:
        return cls(
            len(PASSAGE_FIELDS),
            [run.passages for run in runs],
            [run.passage_frequencies for run in runs],
            [count for run in runs for count in run.counts[PASSAGES]],
            [run.rounds for run in runs],
        )

    def whole(self) -> Integers:
        return whole(self.numbers, self.rounds)

    def shares(self, norms: Shorts, factors: Sequence[Sequence[float]]) -> Shorts:
        """Return what each posting adds.

        `norms` are field by field, `factors` those of each run.
        """
        import numpy as np

        if not self.numbers or not len(norms):
            return np.zeros(0, "f4")
        numbers = self.whole()
        shares = np.concatenate(self.frequencies, dtype="f4")
        sizes = np.array(self.counts)
        begins = np.arange(self.fields) * (len(norms) // self.fields)
        numbers += np.tile(begins, len(factors)).repeat(sizes)
        norm = norms.take(numbers)
        norm += shares
        shares /= norm
        shares *= np.array(factors, "f4").ravel().repeat(sizes)
        return shares

    def added_up(
        self, shares: Sequence[Shorts], size: int, term_of: Sequence[int], terms: int
    ) -> Added:
        """Return the scores of `size` pages or passages."""
        import numpy as np

        added = np.zeros(size)
        if not self.numbers or not size:
            none = np.zeros(0, np.intp)
            return Added(added, none, none, none, terms, self.fields)
        numbers = self.whole()
        np.add.at(added, numbers, np.concatenate(shares, dtype="f8"))
        ends, owners = np.array(self.counts).cumsum(), np.array(term_of, np.intp)
        return Added(added, numbers, ends, owners, terms, self.fields)


def best_of(passages: Floats, first: Integers, numbers: Integers) -> Floats:
    """Return the score of the best passage of some pages, 0 without one.

    `first` says where the passages of each page begin.
    """
    import numpy as np

    best = np.zeros(len(numbers))
    begins = first.take(numbers).astype(np.intp)
    spans = first.take(numbers + 1) - begins
    own = spans.nonzero()[0]
    if not len(own):
        return best
    begins, spans = begins.take(own), spans.take(own)
    ends = spans.cumsum()
    places = np.arange(ends[-1]) + (begins - ends + spans).repeat(spans)
    best[own] = np.maximum.reduceat(passages.take(places), ends - spans)
    return best
