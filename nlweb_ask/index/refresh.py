"""Keeping the index as the site is: one object after its save, a whole source by sweep.

An object that cannot be read or whose permission hook fails is withdrawn and the
failure recorded; the site's own save goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from django.db import DatabaseError, connections

from nlweb_ask.conf.failures import reason
from nlweb_ask.index import store
from nlweb_ask.index.admission import fit
from nlweb_ask.index.failures import (
    clear_failures,
    log_failure,
    raise_if_rolled_back,
    record_failure,
)
from nlweb_ask.index.partitions import ask_again
from nlweb_ask.models import Document
from nlweb_ask.plugins import (
    Fetching,
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
SQLITE_BATCH: Final = 100
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
    source = sources.get(source_name)
    total = Refreshed()
    collision: store.Collision | None = None
    for _ in range(CLAIM_ATTEMPTS):
        try:
            if isinstance(source, Fetching):
                source.fetch_for_load(object_ids)
            with store.writing():
                step, rows_made = _refresh(source, list(object_ids), stamps or {})
        except store.Collision as error:
            collision = error
            continue
        except Exception as error:  # noqa: BLE001 - a source is the site's own code
            raise_if_rolled_back(error)
            return _withdraw_failed(source, list(object_ids), error)
        collision = None
        total += replace(step, seen=0)
        if not rows_made or not _others_may_have_passed():
            break
    if collision is not None:
        return _withdraw_failed(source, list(object_ids), collision)
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
        return store.withdraw(store.lock(source_name, object_ids))


def withdraw_after_delete(source_name: str, object_id: str) -> None:
    """Withdraw an object that the site has deleted; the deletion goes on whatever."""
    try:
        withdraw_objects(source_name, [object_id])
    except DatabaseError as error:
        raise_if_rolled_back(error)
        log_failure("not withdrawn", source_name, object_id, error)


def _refresh(
    source: Source, object_ids: Sequence[str], stamps: dict[str, str]
) -> tuple[Refreshed, int]:
    """Write these objects; return the counts, and how many rows had to be made."""
    # Lock first, read then: what a writer reads under the lock cannot be older than
    # what the writer before it wrote.
    store.lock(source.name, object_ids)
    # Before the words: a stamp that is older than these costs a second look, a newer
    # one would hide that they are old.
    stamps = stamps | _live_stamps(source, object_ids)
    documents = _by_site(fit(source.load(object_ids), object_ids))
    rows_made = 0
    for site_id, of_site in documents.items():
        references = [store.reference_of(d, source.name) for d in of_site]
        rows_made += store.claim(site_id, references)
    rows = {row.key: row for row in store.lock(source.name, object_ids)}
    total = Refreshed(seen=len(object_ids))
    for site_id, of_site in documents.items():
        total += _put_all(source, site_id, of_site, rows, stamps)
    withdrawn = store.withdraw(rows.values())
    clear_failures(source.name, object_ids)
    return total + Refreshed(withdrawn=withdrawn), rows_made


def _live_stamps(source: Source, object_ids: Collection[str]) -> dict[str, str]:
    return dict(source.stamps(object_ids)) if isinstance(source, Stamped) else {}


def _put_all(
    source: Source,
    site_id: int,
    documents: Sequence[SourceDocument],
    rows: dict[str, Document],
    stamps: dict[str, str],
) -> Refreshed:
    """Put the documents of one site, each into its row, and take that out of `rows`."""
    visible = _public_ids(source, site_id, documents)
    total = Refreshed()
    for document in documents:
        reference = store.reference_of(document, source.name)
        row = rows.pop(store.identity_key(site_id, reference))
        was_public = row.public
        public = reference.asked_as in visible
        stamp = stamps.get(document.object_id, "")
        written = store.put(row, document, public=public, stamp=stamp)
        moved = not written and was_public != public
        total += Refreshed(written=int(written), moved=int(moved))
    return total


def _by_site(documents: Iterable[SourceDocument]) -> dict[int, list[SourceDocument]]:
    by_site: dict[int, list[SourceDocument]] = {}
    for document in documents:
        for site_id in document.sites or (default_site_id(),):
            by_site.setdefault(site_id, []).append(document)
    return by_site


def _public_ids(
    source: Source, site_id: int, documents: Sequence[SourceDocument]
) -> set[str]:
    viewer = anonymous_viewer(site_id)
    asked: dict[bool, set[str]] = {False: set(), True: set()}
    for document in documents:
        reference = store.reference_of(document, source.name)
        asked[bool(document.part)].add(reference.asked_as)
    visible = set(visible_ids(source, viewer, asked[False]))
    if not asked[True]:
        return visible
    try:
        return visible | set(visible_ids(source, viewer, asked[True]))
    except DatabaseError:
        raise  # the transaction may be lost with it
    except Exception as error:  # noqa: BLE001 - a source is the site's own code
        # A part is kept from visitors then, and takes no page with it.
        parts = ",".join(sorted(asked[True]))
        log_failure("part not shown to visitors", source.name, parts, error)
        return visible


def _withdraw_failed(
    source: Source, object_ids: Sequence[str], error: Exception
) -> Refreshed:
    """Withdraw what could not be indexed, one object at a time where several failed."""
    if len(object_ids) > 1:
        total = Refreshed()
        for object_id in object_ids:
            total += refresh_objects(source.name, [object_id])
        return total
    log_failure("not indexed", source.name, ",".join(object_ids), error)
    withdrawn = 0
    try:
        with store.writing():
            withdrawn = store.withdraw(store.lock(source.name, object_ids))
            for object_id in object_ids:
                record_failure(source.name, object_id, reason(error))
    except DatabaseError as second:
        raise_if_rolled_back(second)
        log_failure("index not written", source.name, ",".join(object_ids), second)
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
    refs = {ref.object_id: ref for ref in source.iter_refs()}
    on_begin(refs.keys())
    total = Refreshed()
    courtesy = _Courtesy()
    for chunk in _chunks(list(refs.values())):
        step = _sweep_chunk(source, chunk, changed_only=changed_only)
        total += step
        on_step(step)
        courtesy.give_way()
    return total + _look_again(source, _vanished(source_name, set(refs)))


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
    unchanged = _unchanged(source.name, stamps) if changed_only else set()
    step = Refreshed()
    if unchanged:
        step += move_partitions(source.name, unchanged)
    rest = [object_id for object_id in stamps if object_id not in unchanged]
    if rest:
        step += refresh_objects(source.name, rest, stamps)
    return step


def _unchanged(source_name: str, stamps: dict[str, str]) -> set[str]:
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


def _vanished(source_name: str, offered: set[str]) -> list[str]:
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
    rows = Document.objects.using(store.write_alias()).order_by()
    stored = set(rows.values_list("source", flat=True).distinct())
    return sum(
        _withdraw_all(source_name, _vanished(source_name, set()))
        for source_name in sorted(stored - set(sources.names()))
    )
