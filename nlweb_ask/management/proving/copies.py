"""A copy of a site's index, out of which documents are taken and into which they return.

Nothing of the site's own index is locked or written while a copy is asked.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Final

from django.db import connections, models, router, transaction
from django.utils.translation import gettext as _

from nlweb_ask.index.aside import ALIAS, Aside, index_aside
from nlweb_ask.index.merge import merge
from nlweb_ask.models import Change, Document, IndexState, Passage, Posting, Segment
from nlweb_ask.pipeline.permit import Gate, as_candidate
from nlweb_ask.plugins import IndexUnavailable, Viewer, sources

TABLES: Final = (Document, Passage, IndexState, Segment, Posting, Change)
ROWS_AT_ONCE: Final = 500
ATTEMPTS: Final = 5
TEMPORARY: Final = ""  # SQLite's name for a database that nobody else can open


class Copy:
    """The index of one site as it was copied, or a twin of it with documents left out."""

    def __init__(self, site_id: int, whole: sqlite3.Connection, aside: Aside) -> None:
        self._site_id = site_id
        self._whole = whole
        self._aside = aside

    @property
    def was_passed(self) -> bool:
        """Whether a thread of somebody else has used the site's own index meanwhile."""
        return self._aside.was_passed

    def documents(self) -> list[Document]:
        """Return what is stored of the site, in the order of its references."""
        rows = Document.objects.filter(site_id=self._site_id, indexed=True)
        return list(rows.order_by("source", "object_id", "language", "part"))

    def restore(self) -> None:
        """Be the site's index again, as it was copied."""
        self._whole.backup(_sqlite())

    def leave_out(self, documents: Sequence[Document]) -> None:
        """Be the index on which these documents were never written.

        All segments are written anew, so that nothing of them is left.
        """
        self.restore()
        every = [row.pk for row in documents]
        for begin in range(0, len(every), ROWS_AT_ONCE):
            keys = every[begin : begin + ROWS_AT_ONCE]
            Passage.objects.filter(document__in=keys).delete()
            Document.objects.filter(pk__in=keys).delete()
            Change.objects.bulk_create(self._withdrawal(key) for key in keys)
        merge(self._site_id, fold=True)

    def _withdrawal(self, key: int) -> Change:
        return Change(
            site_id=self._site_id,
            document_id=key,
            token=secrets.randbelow(2**31),
            kind=Change.Kind.WITHDRAWN,
        )


@contextmanager
def copied(
    site_id: int, tell: Callable[[int, int], None] = lambda done, expected: None
) -> Iterator[Copy]:
    """Let this process read and write a copy of a site's index instead of the index.

    It lives in temporary databases that go with the process, whatever ends it.

    Args:
        site_id: The site whose index is copied, as it is at one moment.
        tell: Called with how many rows are copied, and of how many.

    Raises:
        IndexUnavailable: When it changes too often to be copied.
    """
    alias = router.db_for_read(Document)
    with index_aside() as aside, closing(sqlite3.connect(TEMPORARY)) as whole:
        _copy(alias, site_id, tell)
        _sqlite().backup(whole)
        yield Copy(site_id, whole, aside)


def _sqlite() -> sqlite3.Connection:
    connection = connections[ALIAS]
    connection.ensure_connection()
    found: sqlite3.Connection = connection.connection
    return found


def _copy(alias: str, site_id: int, tell: Callable[[int, int], None]) -> None:
    for _attempt in range(ATTEMPTS):
        with _one_moment(alias):
            before = _state(alias, site_id)
            _copy_rows(alias, site_id, tell)
            if _state(alias, site_id) == before:
                return
        for table in reversed(TABLES):
            table._base_manager.using(ALIAS).all().delete()
    raise IndexUnavailable(_("The index changed too often while it was copied."))


def _copy_rows(alias: str, site_id: int, tell: Callable[[int, int], None]) -> None:
    of_site = [_of_site(table, site_id).using(alias) for table in TABLES]
    expected = sum(rows.count() for rows in of_site)
    done = 0
    for rows in of_site:
        for batch in _by_key(rows):
            rows.model._base_manager.using(ALIAS).bulk_create(batch)
            done += len(batch)
            tell(done, expected)


def _of_site(table: type[models.Model], site_id: int) -> models.QuerySet[Any]:
    site = "document__site_id" if table is Passage else "site_id"
    return table._base_manager.filter(**{site: site_id})


def _by_key(rows: models.QuerySet[Any]) -> Iterator[list[Any]]:
    """Read by one short statement after the other: SQLite's writers wait for a long one."""
    batch = list(rows.order_by("pk")[:ROWS_AT_ONCE])
    while batch:
        yield batch
        batch = list(rows.filter(pk__gt=batch[-1].pk).order_by("pk")[:ROWS_AT_ONCE])


def _state(alias: str, site_id: int) -> tuple[Any, ...]:
    """Return a value that is equal only while the index of the site is the same."""
    epochs = IndexState.objects.using(alias).filter(site_id=site_id)
    changes = Change.objects.using(alias).filter(site_id=site_id)
    counted = changes.aggregate(
        models.Count("pk"), models.Max("pk"), models.Sum("token")
    )
    return epochs.values_list("epoch", flat=True).first(), *counted.values()


@contextmanager
def _one_moment(alias: str) -> Iterator[None]:
    """Let all reads inside see the database as the first one does, where none wait for it.

    Not on SQLite, whose writers would wait for as long as it is read.
    """
    connection = connections[alias]
    if connection.vendor == "sqlite" or connection.in_atomic_block:
        yield
        return
    level = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
    if connection.vendor == "mysql":
        with connection.cursor() as cursor:  # of the transaction that is next
            cursor.execute(level)
    with transaction.atomic(using=alias):
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(level)
        yield


def hidden_from(viewer: Viewer, documents: Sequence[Document]) -> list[Document]:
    """Return those of the documents that this viewer may not see, asked live.

    Raises:
        PermissionFailed: When a source cannot tell.
    """
    asked = [(row, as_candidate(row)) for row in documents if row.source in sources]
    gate = Gate(viewer)
    gate.ask(candidate for _row, candidate in asked)
    visible = {row.pk for row, candidate in asked if gate.passes(candidate)}
    return [row for row in documents if row.pk not in visible]
