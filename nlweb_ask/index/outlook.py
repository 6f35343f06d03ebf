"""What a sweep would write, move and withdraw; nothing is written to find it out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from nlweb_ask.index import store
from nlweb_ask.index.admission import fit
from nlweb_ask.index.apart import RAISED
from nlweb_ask.index.failures import log_failure
from nlweb_ask.index.refresh import Refreshed, unchanged, vanished
from nlweb_ask.models import Document
from nlweb_ask.plugins import Fetching, Source, SourceDocument, sources
from nlweb_ask.sources.allowed import visible_ids
from nlweb_ask.sources.sites import default_site_id
from nlweb_ask.sources.viewers import anonymous_viewer

# Objects that are read, or asked about, together.
AT_ONCE: Final = 100


def outlook(
    source_name: str,
    *,
    changed_only: bool = False,
    on_begin: Callable[[Collection[str]], None] = lambda object_ids: None,
    on_step: Callable[[Refreshed], None] = lambda step: None,
) -> Refreshed:
    """Count what a sweep of a source would do; the arguments are those of `sweep`."""
    source = sources.get(source_name)
    stamps = {ref.object_id: ref.stamp for ref in source.iter_refs()}
    on_begin(stamps.keys())
    total = Refreshed()
    for chunk in _chunks(list(stamps)):
        alike: set[str] = set()
        if changed_only:
            alike = unchanged(source_name, {each: stamps[each] for each in chunk})
        step = _in_halves(_of_unchanged, source, [i for i in chunk if i in alike])
        step += _in_halves(_of_read, source, [i for i in chunk if i not in alike])
        total += step
        on_step(step)
    gone = outlook_of(source_name, vanished(source_name, set(stamps)))
    return total + replace(gone, seen=0)


def outlook_of(source_name: str, object_ids: Sequence[str]) -> Refreshed:
    """Count what would be done with these objects."""
    source = sources.get(source_name)
    total = Refreshed()
    for chunk in _chunks(object_ids):
        total += _in_halves(_of_read, source, chunk)
    return total


def _chunks(object_ids: Sequence[str]) -> Iterable[Sequence[str]]:
    for begin in range(0, len(object_ids), AT_ONCE):
        yield object_ids[begin : begin + AT_ONCE]


def _in_halves(
    count: Callable[[Source, Sequence[str]], Refreshed],
    source: Source,
    object_ids: Sequence[str],
) -> Refreshed:
    """Count; objects that the source fails for would be withdrawn, each by itself."""
    if not object_ids:
        return Refreshed()
    try:
        return count(source, object_ids)
    except RAISED as error:  # a source is the site's own code
        middle = len(object_ids) // 2
        if middle:
            first = _in_halves(count, source, object_ids[:middle])
            return first + _in_halves(count, source, object_ids[middle:])
        log_failure("cannot be indexed", source.name, object_ids[0], error)
        indexed = sum(row.indexed for row in _rows(source.name, object_ids))
        return Refreshed(seen=1, failed=1, withdrawn=indexed)


def _of_read(source: Source, object_ids: Sequence[str]) -> Refreshed:
    if isinstance(source, Fetching):
        source.fetch_for_load(object_ids)
    by_site: dict[int, list[SourceDocument]] = {}
    for document in fit(source.load(object_ids), object_ids):
        for site_id in document.sites or (default_site_id(),):
            by_site.setdefault(site_id, []).append(document)
    rows = {row.key: row for row in _rows(source.name, object_ids)}
    written = moved = 0
    for site_id, documents in by_site.items():
        references = [store.reference_of(each, source.name) for each in documents]
        visible = _visible(source, site_id, {each.asked_as for each in references})
        for document, reference in zip(documents, references, strict=True):
            row = rows.pop(store.identity_key(site_id, reference), None)
            if row is None or not store.holds(row, document):
                written += 1
            else:
                moved += row.public != (reference.asked_as in visible)
    withdrawn = sum(row.indexed for row in rows.values())
    return Refreshed(
        seen=len(object_ids), written=written, moved=moved, withdrawn=withdrawn
    )


def _of_unchanged(source: Source, object_ids: Sequence[str]) -> Refreshed:
    by_site: dict[int, list[store.Row]] = {}
    for row in _rows(source.name, object_ids):
        if row.indexed:
            by_site.setdefault(row.site_id, []).append(row)
    moved = 0
    for site_id, rows in by_site.items():
        asked = {row.id: row.reference.asked_as for row in rows}
        visible = _visible(source, site_id, set(asked.values()))
        moved += sum(row.public != (asked[row.id] in visible) for row in rows)
    return Refreshed(seen=len(object_ids), moved=moved)


def _visible(source: Source, site_id: int, asked: set[str]) -> Collection[str]:
    return visible_ids(source, anonymous_viewer(site_id), asked)


def _rows(source_name: str, object_ids: Collection[str]) -> list[store.Row]:
    rows = Document.objects.using(store.write_alias())
    wanted = set(object_ids)
    found = rows.filter(source=source_name, object_id__in=list(object_ids))
    # Some collations find `A` where `a` was asked for.
    return [row for row in store.read_rows(found) if row.object_id in wanted]
