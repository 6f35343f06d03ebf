"""Which partition documents belong in: asked of their source, moved without analysis.

The flag is a cache of what `visible_ids` says of an anonymous viewer. It may withhold a
page and never allows one, so what cannot be asked about is closed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.db import models

from nlweb_ask.conf.failures import reason
from nlweb_ask.index import store
from nlweb_ask.index.apart import RAISED, apart
from nlweb_ask.index.failures import log_failure, raise_if_rolled_back, record_failure
from nlweb_ask.models import Document
from nlweb_ask.plugins import Source, sources
from nlweb_ask.sources.allowed import visible_ids
from nlweb_ask.sources.viewers import anonymous_viewer

# Documents of one transaction: few statements, and a lock that is soon free again.
AT_ONCE: Final = 500
# Objects of one transaction that are withdrawn and noted because the rule fails.
MAX_FAILURES: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What was asked about and what came of it; counts of documents."""

    asked: int = 0
    opened: int = 0
    closed: int = 0
    failed: int = 0  # withdrawn, because its source could not say who may see it

    def __add__(self, other: Moved) -> Moved:
        return Moved(
            asked=self.asked + other.asked,
            opened=self.opened + other.opened,
            closed=self.closed + other.closed,
            failed=self.failed + other.failed,
        )


def ask_again(source_name: str, object_ids: Collection[str]) -> Moved:
    """Ask who may see these objects, and move their documents accordingly."""
    source = sources.get(source_name)
    ids = sorted(set(object_ids))
    total = Moved()
    for begin in range(0, len(ids), AT_ONCE):
        chunk = ids[begin : begin + AT_ONCE]
        wanted = set(chunk)
        rows = store.read_rows(_documents(source_name).filter(object_id__in=chunk))
        # Some collations find `A` where `a` was asked for.
        total += _settle(source, [row for row in rows if row.object_id in wanted])
    return total


def ask_all_again(source_name: str) -> Moved:
    """Ask who may see the pages of a source; each chunk is a transaction of its own."""
    source = sources.get(source_name)
    total = Moved()
    last = 0
    documents = _documents(source_name)
    while rows := store.read_rows(documents.filter(pk__gt=last)[:AT_ONCE]):
        total += _settle(source, rows)
        last = rows[-1].id
    return total


def number_of_documents(
    source_name: str, object_ids: Collection[str] | None, *, up_to: int
) -> int:
    """Count the documents of these objects, or of all; no further than `up_to`."""
    rows = _documents(source_name)
    if object_ids is not None:
        rows = rows.filter(object_id__in=list(object_ids))
    return rows[:up_to].count()


def _documents(source_name: str) -> models.QuerySet[Document]:
    rows = Document.objects.using(store.write_alias()).order_by("pk")
    return rows.filter(source=source_name, indexed=True)


def _settle(source: Source, rows: Sequence[store.Row]) -> Moved:
    """Move those of these documents that lie in the wrong partition.

    Only those are locked, and asked about once more under the lock: what is read there
    cannot be older than what the writer before has read.
    """
    asked = Moved(asked=len(rows))
    wrong = _contradicted(source, rows)
    if not wrong:
        return asked
    with store.writing():
        locked = store.lock(source.name, {row.object_id for row in wrong})
        verdict = _verdict(source, locked)
        failed = [row for row in locked if row.object_id in verdict.failures]
        rest = [row for row in locked if row.object_id not in verdict.failures]
        visible = [row for row in rest if row.id in verdict.visible]
        hidden = [row for row in rest if row.id not in verdict.visible]
        opened = store.move_all(visible, public=True)
        closed = store.move_all(hidden, public=False)
        withdrawn = store.withdraw(failed)
        for object_id, why in verdict.failures.items():
            record_failure(source.name, object_id, why)
    return asked + Moved(opened=opened, closed=closed, failed=withdrawn)


def _contradicted(source: Source, rows: Sequence[store.Row]) -> list[store.Row]:
    """Return the documents whose flag the source contradicts; all where it fails."""
    wrong = []
    for site_id, of_site in _by_site(rows).items():
        try:
            visible = _visible(source, site_id, {_asked_as(row) for row in of_site})
        except RAISED as error:  # a source is the site's own code
            raise_if_rolled_back(error)
            wrong += of_site
            continue
        wrong += [row for row in of_site if row.public != (_asked_as(row) in visible)]
    return wrong


@dataclass(slots=True)
class _Verdict:
    visible: set[int] = field(default_factory=set)  # keys of documents
    failures: dict[str, str] = field(default_factory=dict)  # reasons by object


def _verdict(source: Source, rows: Sequence[store.Row]) -> _Verdict:
    verdict = _Verdict()
    for site_id, of_site in _by_site(rows).items():
        try:
            _note_visible(verdict, source, site_id, of_site)
        except RAISED as error:  # a source is the site's own code
            raise_if_rolled_back(error)
            _ask_in_halves(verdict, source, site_id, of_site)
    return verdict


def _ask_in_halves(
    verdict: _Verdict, source: Source, site_id: int, rows: Sequence[store.Row]
) -> None:
    """Find the objects that the rule fails for, so that they close no others.

    All of them are closed. Only so many are withdrawn and noted as well: a rule that
    fails for more is mended in one place, and their words need not be read again.
    """
    halves = [rows[: len(rows) // 2], rows[len(rows) // 2 :]] if rows[1:] else [rows]
    for half in halves:
        try:
            _note_visible(verdict, source, site_id, half)
        except RAISED as error:  # a source is the site's own code
            raise_if_rolled_back(error)
            if half[1:]:
                _ask_in_halves(verdict, source, site_id, half)
            else:
                _note_failure(verdict, source, half[0], error)


def _note_failure(
    verdict: _Verdict, source: Source, row: store.Row, error: BaseException
) -> None:
    noted = verdict.failures
    if row.object_id not in noted and len(noted) < MAX_FAILURES:
        log_failure("who may see it is not known", source.name, row.object_id, error)
        noted[row.object_id] = reason(error)


def _note_visible(
    verdict: _Verdict, source: Source, site_id: int, rows: Sequence[store.Row]
) -> None:
    visible = _visible(source, site_id, {_asked_as(row) for row in rows})
    verdict.visible |= {row.id for row in rows if _asked_as(row) in visible}


def _visible(source: Source, site_id: int, asked: set[str]) -> set[str]:
    with apart():
        return set(visible_ids(source, anonymous_viewer(site_id), asked))


def _by_site(rows: Iterable[store.Row]) -> dict[int, list[store.Row]]:
    by_site: dict[int, list[store.Row]] = {}
    for row in rows:
        by_site.setdefault(row.site_id, []).append(row)
    return by_site


def _asked_as(row: store.Row) -> str:
    return row.reference.asked_as
