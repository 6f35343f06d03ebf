"""Reading the index: one statement that sees the postings and the state they belong to.

Postings only change when a merge moves the epoch, and a merge is one transaction. So
rows read at the snapshot's own epoch fit it, whatever changes came in meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import Any, Final

from django.db import DatabaseError, connections, router
from django.dispatch import Signal

from nlweb_ask.index import runs
from nlweb_ask.index.postings import read_columns
from nlweb_ask.index.runs import Run, TermPostings, read_run
from nlweb_ask.index.snapshot import (
    Base,
    Marker,
    ReadChange,
    Snapshot,
    derive,
    kept_base,
    moved_on,
    read_change,
)
from nlweb_ask.models import Change, IndexState, Posting, Segment
from nlweb_ask.plugins import IndexUnavailable

ATTEMPTS: Final = 20

# A statement with a few fixed numbers of placeholders stays in the statement cache.
PLACEHOLDERS: Final = (8, 16, 32, 64, 128, 256, 512)

# What was written has been committed; sent in the thread that did it.
index_written = Signal()

_snapshots: dict[tuple[str, int], Snapshot] = {}
_lock = threading.Lock()


@dataclass(slots=True)
class Moment:
    """What one question has read of a site's index, and made of it.

    `made` is forgotten with the snapshot, `analysed` and `vectors` are of the question
    alone.
    """

    snapshot: Snapshot | None = None
    postings: dict[int, TermPostings] = field(default_factory=dict)
    made: dict[Hashable, Any] = field(default_factory=dict)
    analysed: dict[Hashable, Any] = field(default_factory=dict)
    vectors: dict[Hashable, Any] = field(default_factory=dict)

    def begin(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.postings.clear()
        self.made.clear()


_moments: ContextVar[dict[int, Moment] | None] = ContextVar(
    "nlweb_ask_moments", default=None
)


@contextmanager
def one_moment() -> Iterator[None]:
    """Let all reads inside see the index as the first one does, and read nothing twice.

    For as long as one question looks for pages: what is written meanwhile is not seen,
    unless a merge makes it impossible to read on.
    """
    if _moments.get() is not None:
        yield
        return
    token = _moments.set({})
    try:
        yield
    finally:
        _moments.reset(token)


def moment_of(site_id: int) -> Moment:
    """Return what this question has read so far; outside of one, nothing."""
    moments = _moments.get()
    if moments is None:
        return Moment()
    if site_id not in moments:
        moments[site_id] = Moment()
    return moments[site_id]


def read_alias() -> str:
    return router.db_for_read(Posting)


def current(site_id: int) -> Snapshot:
    """Return the snapshot of the index as this connection sees it now."""
    snapshot, _ = read(site_id, ())
    return snapshot


def likely(site_id: int) -> Snapshot:
    """Return the snapshot that the next read will most likely give.

    It is the last one that this process has read. To tell what to read, where what is told
    by it must hold of what is then read, and how common words are.
    """
    kept = moment_of(site_id).snapshot or _snapshots.get((read_alias(), site_id))
    return kept if kept is not None else current(site_id)


def fingerprint(site_id: int) -> Marker:
    """Return a value that is equal only while the site's index is the same."""
    marker, *_ = _select(read_alias(), site_id, ())
    return marker


def read(
    site_id: int, terms: Sequence[int], *, keep: bool = True
) -> tuple[Snapshot, Mapping[int, TermPostings]]:
    """Return a snapshot and the postings of `terms` in its number space.

    Args:
        site_id: The site.
        terms: Keys of terms.
        keep: Whether others are likely to ask for them, so that the process keeps what
            it read, as far as there is room.

    Raises:
        IndexUnavailable: When the tables cannot be read, or merges follow each other
            faster than they can be read.
    """
    moment = moment_of(site_id)
    missing = [term for term in terms if term not in moment.postings]
    if moment.snapshot is not None and not missing:
        return moment.snapshot, moment.postings
    try:
        for _ in range(ATTEMPTS):
            snapshot = _read_into(moment, site_id, missing, keep=keep)
            missing = [term for term in terms if term not in moment.postings]
            if snapshot is not None and not missing:
                return snapshot, moment.postings
    except DatabaseError as error:
        msg = "The search index could not be read."
        raise IndexUnavailable(msg) from error
    msg = "The search index was merged too often while it was read."
    raise IndexUnavailable(msg)


def _read_into(
    moment: Moment, site_id: int, terms: Sequence[int], *, keep: bool
) -> Snapshot | None:
    """Add postings to those of a moment; it begins anew where they do not fit.

    What the process keeps of the snapshot that is most likely is not read again; if the
    index turns out to be another one, it is left out, and so still missing.

    Returns:
        Its snapshot; nothing when a merge came between the rows and the snapshot.
    """
    alias = read_alias()
    guess = moment.snapshot or _snapshots.get((alias, site_id))
    kept = {}
    if keep and guess is not None:
        kept = runs.room.get(guess.base.owner, terms)
    unread = [term for term in terms if term not in kept]
    # A question that has seen its moment takes no changes in.
    after = None if guess is None or moment.snapshot else guess.marker.newest
    marker, rows, changes = _select(alias, site_id, unread, after)
    snapshot = moment.snapshot
    if snapshot is None or snapshot.marker.epoch != marker.epoch:
        following = _moved_on(guess, marker, changes) if guess is not None else None
        snapshot = _snapshot(alias, site_id, marker, following)
        if snapshot.marker.epoch != marker.epoch:
            return None
        moment.begin(snapshot)
    found = _in_snapshot(snapshot, unread, rows)
    if keep:
        for term in unread:
            runs.keep(snapshot.base.owner, term, found[term])
    if guess is not None and guess.base is snapshot.base:
        found |= kept
    changed = snapshot.change_postings.of(list(found))
    moment.postings |= found
    moment.postings |= {term: [*found[term], *runs] for term, runs in changed.items()}
    return snapshot


def forget() -> None:
    """Drop what this process keeps; the next question reads it again."""
    with _lock:
        _snapshots.clear()
    runs.room.clear()


def _snapshot(
    alias: str, site_id: int, seen: Marker, following: Snapshot | None
) -> Snapshot:
    """Return a snapshot at least as new as `seen`, from memory where it is equal.

    `following` is the one of `seen` where it has been told already.
    """
    kept = _snapshots.get((alias, site_id))
    if kept is not None and kept.marker == seen:
        return kept
    snapshot = following or _read_snapshot(alias, site_id, kept)
    # Rows of an open transaction may be rolled back and their ids given out again, so
    # they stay out of what other questions see.
    if not _wrote_in_transaction(alias):
        with _lock:
            _snapshots[alias, site_id] = snapshot
        if kept is not None and kept.base is not snapshot.base:
            runs.room.forget(kept.base.owner)
    return snapshot


def _moved_on(
    kept: Snapshot, seen: Marker, changes: Sequence[ReadChange]
) -> Snapshot | None:
    """Take in what was written since, as the statement that gave `seen` told it.

    Returns:
        Nothing where that is not the whole difference: a merge, a change that was
        committed after one with a greater id, or one that is gone.
    """
    before = kept.marker
    expected = Marker(
        epoch=before.epoch,
        count=before.count + len(changes),
        newest=max((change.id for change in changes), default=before.newest),
        tokens=before.tokens + sum(change.token for change in changes),
    )
    if seen != expected:
        return None
    return moved_on(kept, seen, changes) if changes else kept


def _read_snapshot(alias: str, site_id: int, kept: Snapshot | None) -> Snapshot:
    """Read segments and changes of one epoch.

    The epoch is read before and after, since not every database shows several
    statements one moment.
    """
    for _ in range(ATTEMPTS):
        epoch = _epoch(alias, site_id)
        base = kept.base if kept and kept.base.epoch == epoch else None
        base = base or _read_base(alias, site_id, epoch)
        changes = _changes(alias, site_id, kept.changes if kept else {})
        if _epoch(alias, site_id) == epoch:
            return derive(base, _marker(epoch, changes), changes)
    msg = "The search index was merged too often while it was read."
    raise IndexUnavailable(msg)


def _marker(epoch: int, changes: Mapping[int, ReadChange]) -> Marker:
    return Marker(
        epoch=epoch,
        count=len(changes),
        newest=max(changes, default=0),
        tokens=sum(change.token for change in changes.values()),
    )


def _read_base(alias: str, site_id: int, epoch: int) -> Base:
    rows = Segment.objects.using(alias).filter(site_id=site_id)
    return kept_base(
        epoch,
        [
            (segment_id, read_columns(blob))
            for segment_id, blob in rows.values_list("id", "columns")
        ],
    )


def _epoch(alias: str, site_id: int) -> int:
    states = IndexState.objects.using(alias).filter(site_id=site_id)
    return states.values_list("epoch", flat=True).first() or 0


def _changes(
    alias: str, site_id: int, known: Mapping[int, ReadChange]
) -> dict[int, ReadChange]:
    rows = Change.objects.using(alias).filter(site_id=site_id)
    tokens = dict(rows.values_list("id", "token"))
    kept = {
        change_id: change
        for change_id, change in known.items()
        if tokens.get(change_id) == change.token
    }
    missing = [change_id for change_id in tokens if change_id not in kept]
    for begin in range(0, len(missing), 500):
        batch = rows.filter(pk__in=missing[begin : begin + 500])
        columns = batch.values_list("id", "token", "kind", "document_id", "page")
        for pk, token, kind, document, page in columns:
            blob = None if page is None else bytes(page)
            kept[pk] = read_change(pk, token, kind, document, blob)
    return kept


def _wrote_in_transaction(alias: str) -> bool:
    connection = connections[alias]
    if not connection.in_atomic_block:
        return False
    return any(entry[1] is mark_written for entry in connection.run_on_commit)


def mark_written() -> None:
    """Say on commit that the index was written.

    Waiting there, it tells that a transaction wrote changes. Django drops it with the
    rest of `on_commit` when a transaction or savepoint is rolled back.
    """
    index_written.send_robust(sender=Change)


def _in_snapshot(
    snapshot: Snapshot,
    terms: Sequence[int],
    rows: Sequence[tuple[int, int, bytes]],
) -> dict[int, TermPostings]:
    """Shift stored postings into the snapshot's numbers, segments ascending."""
    found: dict[int, list[Run]] = {term: [] for term in terms}
    for term, segment_id, blob in sorted(rows, key=itemgetter(1)):
        offsets = snapshot.offsets[segment_id]
        found[term].append(read_run(blob, offsets.page, offsets.passage))
    return dict(found)


def _select(
    alias: str, site_id: int, terms: Sequence[int], after: int | None = None
) -> tuple[Marker, list[tuple[int, int, bytes]], list[ReadChange]]:
    """Read the marker and the postings of `terms` in one statement, so at one moment.

    With them come the changes whose ids are greater than `after`, ascending.
    """
    padded = _padded(terms)
    values = [site_id, site_id]
    values += [] if after is None else [site_id, after]
    values += [site_id, *padded] if padded else []
    with connections[alias].cursor() as cursor:
        cursor.execute(_statement(alias, len(padded), after is not None), values)
        rows = cursor.fetchall()
    marker, postings, changes = None, [], []
    for kind, first, second, third, fourth, blob in rows:
        if kind == _POSTINGS:
            postings.append((int(first), int(second), bytes(blob)))
        elif kind == _CHANGE:
            page = None if blob is None else bytes(blob)
            numbers = int(first), int(second), int(third), int(fourth)
            changes.append(read_change(*numbers, page))
        else:
            marker = Marker(int(first), int(second), int(third), int(fourth))
    if marker is None:
        msg = "The index state could not be read."
        raise DatabaseError(msg)
    return marker, postings, sorted(changes, key=attrgetter("id"))


def _padded(terms: Sequence[int]) -> list[int]:
    if not terms:
        return []
    size = next((size for size in PLACEHOLDERS if size >= len(terms)), len(terms))
    return [*terms, *[terms[-1]] * (size - len(terms))]


_POSTINGS: Final = 0
_MARKER: Final = 1
_CHANGE: Final = 2


@lru_cache(maxsize=64)
def _statement(alias: str, placeholders: int, with_changes: bool) -> str:
    quote = connections[alias].ops.quote_name
    change, state, posting = (
        quote(model._meta.db_table) for model in (Change, IndexState, Posting)
    )
    # The table names are Django's own, quoted; every value is a parameter.
    statement = (
        f"SELECT {_MARKER},"  # noqa: S608
        f" COALESCE((SELECT epoch FROM {state} WHERE site_id = %s), 0),"
        f" COUNT(*), COALESCE(MAX(id), 0), COALESCE(SUM(token), 0), NULL"
        f" FROM {change} WHERE site_id = %s"
    )
    if with_changes:
        statement += (
            f" UNION ALL SELECT {_CHANGE}, id, token, kind, document_id, page"  # noqa: S608
            f" FROM {change} WHERE site_id = %s AND id > %s"
        )
    if placeholders:
        marks = ", ".join(["%s"] * placeholders)
        statement += (
            f" UNION ALL SELECT {_POSTINGS}, term, segment_id, 0, 0, postings"  # noqa: S608
            f" FROM {posting} WHERE site_id = %s AND term IN ({marks})"
        )
    return statement
