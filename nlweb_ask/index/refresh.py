"""Keeping the index as the site is: one object after its save, a whole source by sweep.

An object that cannot be read or whose permission hook fails is withdrawn and the
failure recorded; the site's own save goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from django.db import DatabaseError, connections

from nlweb_ask.conf.failures import reason
from nlweb_ask.index import store
from nlweb_ask.index.admission import fit
from nlweb_ask.index.apart import RAISED, apart
from nlweb_ask.index.failures import (
    clear_failures,
    forget_unregistered,
    forget_vanished,
    log_failure,
    noted_failures,
    raise_if_rolled_back,
    record_failure,
)
from nlweb_ask.index.partitions import ask_again
from nlweb_ask.models import Document
from nlweb_ask.plugins import (
    Fetching,
    Reference,
    Source,
    SourceDocument,
    SourceRef,
    Stamped,
    sources,
)
from nlweb_ask.sources.allowed import visible_ids
from nlweb_ask.sources.sites import default_site_id
from nlweb_ask.sources.viewers import anonymous_viewer

T = TypeVar("T")

# On SQLite a transaction holds the one write lock; elsewhere a transaction of one object
# never waits for a second row while it holds a first, so it cannot take part in a
# deadlock with a save of the site.
SQLITE_BATCH: Final = 250
# A writer that waits for SQLite's lock looks every tenth of a second whether it is free.
SQLITE_BUSY_SECONDS: Final = 0.5
SQLITE_PAUSE_SECONDS: Final = 0.15
CHUNK: Final = 200
CLAIM_ATTEMPTS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """What one step of a sweep found; counts of objects or of documents."""

    seen: int = 0
    written: int = 0
    moved: int = 0
    withdrawn: int = 0
    failed: int = 0

    def __add__(self, other: Refreshed) -> Refreshed:
        return Refreshed(
            seen=self.seen + other.seen,
            written=self.written + other.written,
            moved=self.moved + other.moved,
            withdrawn=self.withdrawn + other.withdrawn,
            failed=self.failed + other.failed,
        )


def refresh_objects(
    source_name: str, object_ids: Collection[str], stamps: dict[str, str] | None = None
) -> Refreshed:
    """Read these objects through their source and write what changed, in one transaction.

    An object that the source no longer offers is withdrawn. Inside a transaction of the
    site the index is written in that transaction, behind a savepoint.
    """
    total = Refreshed()
    collision: store.Collision | None = None
    for _ in range(CLAIM_ATTEMPTS):
        try:
            source = sources.get(source_name)
            if isinstance(source, Fetching):
                source.fetch_for_load(object_ids)
            with apart(besides=store.write_alias()), store.writing():
                step, rows_made = _refresh(source, list(object_ids), stamps or {})
        except store.Collision as error:
            collision = error
            continue
        except RAISED as error:  # a source is the site's own code
            raise_if_rolled_back(error)
            return _withdraw_failed(source_name, list(object_ids), error)
        collision = None
        total += replace(step, seen=0)
        if not rows_made or not _others_may_have_passed():
            break
    if collision is not None:
        return _withdraw_failed(source_name, list(object_ids), collision)
    return replace(total, seen=len(object_ids))


def _others_may_have_passed() -> bool:
    """Tell whether another writer can have found no row to lock, and passed by.

    A writer that unpublishes a page whose row is not committed yet finds nothing to
    withdraw; so what made a row looks again. Not on SQLite, which has one writer at a
    time, nor in the transaction of a save, where the page itself is locked.
    """
    connection = connections[store.write_alias()]
    return connection.vendor != "sqlite" and not connection.in_atomic_block


def withdraw_objects(source_name: str, object_ids: Collection[str]) -> int:
    """Take these objects out of the index; return how many documents were in it."""
    with store.writing():
        clear_failures(source_name, object_ids)
        return store.withdraw(store.lock(source_name, object_ids))


def _refresh(
    source: Source, object_ids: Sequence[str], stamps: dict[str, str]
) -> tuple[Refreshed, int]:
    """Write these objects; return the counts, and how many rows had to be made."""
    # Lock first, read then: what a writer reads under the lock cannot be older than
    # what the writer before it wrote.
    held = store.lock(source.name, object_ids)
    # Before the words: a stamp that is older than these costs a second look, a newer
    # one would hide that they are old.
    stamps = stamps | _live_stamps(source, object_ids)
    documents = _by_key(source, fit(source.load(object_ids), object_ids))
    claimed = {key: (one.site_id, one.reference) for key, one in documents.items()}
    rows_made = store.claim(claimed, {row.key for row in held})
    rows = {row.key: row for row in store.lock(source.name, object_ids, held)}
    puts = _puts(source, documents, rows, stamps)
    written = store.put_all(puts)
    moved = sum(
        put.row.id not in written and put.row.public != put.public for put in puts
    )
    gone = [row for key, row in rows.items() if key not in documents]
    withdrawn = store.withdraw(gone)
    clear_failures(source.name, object_ids)
    return (
        Refreshed(
            seen=len(object_ids), written=len(written), moved=moved, withdrawn=withdrawn
        ),
        rows_made,
    )


def _live_stamps(source: Source, object_ids: Collection[str]) -> dict[str, str]:
    return dict(source.stamps(object_ids)) if isinstance(source, Stamped) else {}


@dataclass(frozen=True, slots=True)
class _OfSite:
    """A document on one of the sites that show it."""

    site_id: int
    reference: Reference
    document: SourceDocument


def _by_key(source: Source, documents: Iterable[SourceDocument]) -> dict[str, _OfSite]:
    by_key = {}
    for document in documents:
        reference = store.reference_of(document, source.name)
        for site_id in document.sites or (default_site_id(),):
            key = store.identity_key(site_id, reference)
            by_key[key] = _OfSite(site_id, reference, document)
    return by_key


def _puts(
    source: Source,
    documents: Mapping[str, _OfSite],
    rows: Mapping[str, store.Row],
    stamps: Mapping[str, str],
) -> list[store.Put]:
    """Ask of every site which documents are public, and put each to its row."""
    asked: dict[int, set[Reference]] = {}
    for one in documents.values():
        asked.setdefault(one.site_id, set()).add(one.reference)
    visible = {
        site_id: _public_ids(source, site_id, references)
        for site_id, references in asked.items()
    }
    return [
        store.Put(
            rows[key],
            one.document,
            public=one.reference.asked_as in visible[one.site_id],
            stamp=stamps.get(one.document.object_id, ""),
        )
        for key, one in documents.items()
    ]


def _public_ids(
    source: Source, site_id: int, references: Iterable[Reference]
) -> set[str]:
    viewer = anonymous_viewer(site_id)
    asked: dict[bool, set[str]] = {False: set(), True: set()}
    for reference in references:
        asked[bool(reference.part)].add(reference.asked_as)
    visible = set(visible_ids(source, viewer, asked[False]))
    if not asked[True]:
        return visible
    try:
        return visible | set(visible_ids(source, viewer, asked[True]))
    except DatabaseError:
        raise  # the transaction may be lost with it
    except RAISED as error:  # a source is the site's own code
        # A part is kept from visitors then, and takes no page with it.
        parts = ",".join(sorted(asked[True]))
        log_failure("part not shown to visitors", source.name, parts, error)
        return visible


def _withdraw_failed(
    source_name: str, object_ids: Sequence[str], error: BaseException
) -> Refreshed:
    """Withdraw what could not be indexed, one object at a time where several failed."""
    if len(object_ids) > 1:
        total = Refreshed()
        for object_id in object_ids:
            total += refresh_objects(source_name, [object_id])
        return total
    log_failure("not indexed", source_name, ",".join(object_ids), error)
    withdrawn = 0
    try:
        with store.writing():
            withdrawn = store.withdraw(store.lock(source_name, object_ids))
            for object_id in object_ids:
                record_failure(source_name, object_id, reason(error))
    except DatabaseError as second:
        raise_if_rolled_back(second)
        log_failure("index not written", source_name, ",".join(object_ids), second)
    return Refreshed(seen=len(object_ids), failed=1, withdrawn=withdrawn)


def sweep(
    source_name: str,
    *,
    changed_only: bool = False,
    on_begin: Callable[[Collection[str]], None] = lambda object_ids: None,
    on_step: Callable[[Refreshed], None] = lambda step: None,
) -> Refreshed:
    """Bring the index of one source up to date with the site.

    Every step is a transaction of its own: a sweep that was broken off leaves a usable
    index, and the next one goes on where it is still out of date.

    Args:
        source_name: A registered source.
        changed_only: Trust the source's stamps and load only what they say may have
            changed; who may see a page is asked for all.
        on_begin: Called once with the ids of all that the source offers.
        on_step: Called with the counts of each step.
    """
    source = sources.get(source_name)
    noted = noted_failures(source_name)
    refs = {ref.object_id: ref for ref in source.iter_refs()}
    on_begin(refs.keys())
    total = Refreshed()
    courtesy = _Courtesy()
    for chunk in _chunks(list(refs.values())):
        step = _sweep_chunk(source, chunk, changed_only=changed_only)
        total += step
        on_step(step)
        courtesy.give_way()
    forget_vanished(noted, refs)
    return total + _look_again(source, vanished(source_name, set(refs)))


def _look_again(source: Source, object_ids: Sequence[str]) -> Refreshed:
    """Withdraw what is gone, and keep what was saved since the sweep made its list."""
    total = Refreshed()
    courtesy = _Courtesy()
    for chunk in _chunks(object_ids):
        total += replace(refresh_objects(source.name, chunk), seen=0)
        courtesy.give_way()
    return total


@dataclass
class _Courtesy:
    """Leaves SQLite's one write lock to the site's own saves now and then.

    Between transactions that follow each other at once nobody else would find it free
    for as long as the sweep lasts.
    """

    busy_since: float = field(default_factory=time.monotonic)

    def give_way(self) -> None:
        connection = connections[store.write_alias()]
        if connection.vendor != "sqlite" or connection.in_atomic_block:
            return
        if time.monotonic() - self.busy_since >= SQLITE_BUSY_SECONDS:
            time.sleep(SQLITE_PAUSE_SECONDS)
            self.busy_since = time.monotonic()


def _chunks(objects: Sequence[T]) -> Iterator[Sequence[T]]:
    """Cut into what one transaction takes."""
    vendor = connections[store.write_alias()].vendor
    size = SQLITE_BATCH if vendor == "sqlite" else 1
    for begin in range(0, len(objects), size):
        yield objects[begin : begin + size]


def _sweep_chunk(
    source: Source, chunk: Sequence[SourceRef], *, changed_only: bool
) -> Refreshed:
    stamps = {ref.object_id: ref.stamp for ref in chunk}
    alike = unchanged(source.name, stamps) if changed_only else set()
    step = Refreshed()
    if alike:
        step += move_partitions(source.name, alike)
    rest = [object_id for object_id in stamps if object_id not in alike]
    if rest:
        step += refresh_objects(source.name, rest, stamps)
    return step


def unchanged(source_name: str, stamps: dict[str, str]) -> set[str]:
    rows = Document.objects.using(store.write_alias()).filter(
        source=source_name,
        object_id__in=list(stamps),
        indexed=True,
        analyzer=store.INDEX_VERSION,
    )
    stored: dict[str, set[str]] = {}
    for object_id, stamp in rows.values_list("object_id", "stamp"):
        stored.setdefault(object_id, set()).add(stamp)
    return {
        object_id
        for object_id, stamp in stamps.items()
        if stamp and stored.get(object_id) == {stamp}
    }


def move_partitions(source_name: str, object_ids: Collection[str]) -> Refreshed:
    """Ask who may see these objects, and move their documents accordingly."""
    moved = ask_again(source_name, object_ids)
    return Refreshed(
        seen=len(object_ids),
        moved=moved.opened + moved.closed,
        withdrawn=moved.failed,
        failed=moved.failed,
    )


def vanished(source_name: str, offered: set[str]) -> list[str]:
    rows = Document.objects.using(store.write_alias()).filter(source=source_name)
    return sorted(set(rows.values_list("object_id", flat=True)) - offered)


def _withdraw_all(source_name: str, object_ids: Sequence[str]) -> int:
    courtesy = _Courtesy()
    number = 0
    for begin in range(0, len(object_ids), CHUNK):
        number += withdraw_objects(source_name, object_ids[begin : begin + CHUNK])
        courtesy.give_way()
    return number


def withdraw_unregistered() -> int:
    """Take out the documents of sources that are no longer registered."""
    forget_unregistered(sources.names())
    rows = Document.objects.using(store.write_alias()).order_by()
    stored = set(rows.values_list("source", flat=True).distinct())
    return sum(
        _withdraw_all(source_name, vanished(source_name, set()))
        for source_name in sorted(stored - set(sources.names()))
    )
