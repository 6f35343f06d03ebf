"""Is what would be quoted still there? Asked of the live object, once a source.

An `update()`, raw SQL or an edited file sends no signal. Before words of a page are
shown, its stamp is compared with the one it was indexed under; where they differ, the
page is read anew first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.index.store import StoredDocument, load_documents
from nlweb_ask.plugins import PluginFailed, Reference, Stamped, sources

Stamps = Mapping[tuple[str, str], str]  # by source and object id


def load_live(
    site_id: int, passages: Mapping[Reference, int | None], known: Stamps
) -> dict[Reference, StoredDocument]:
    """Return stored documents whose words are those of the live page.

    What changed unseen is indexed anew and loaded again; what still differs after that,
    or is gone, is left out. One query, and one for each source with stamps that are
    not `known` from asking it who may see its pages.

    Raises:
        PluginFailed: When a source cannot tell.
    """
    stored = load_documents(site_id, passages)
    stamped = _stamped_sources(stored)
    live = {**known, **_live_stamps(r for r in stored if r[:2] not in known)}

    def is_current(document: StoredDocument) -> bool:
        reference = document.reference
        is_stamped = reference.source in stamped
        return not is_stamped or live.get(reference[:2]) == document.stamp

    outdated = {r for r, document in stored.items() if not is_current(document)}
    if not outdated:
        return stored
    for source, object_ids in by_source(outdated).items():
        refresh_objects(source, object_ids)
    again = load_documents(site_id, {r: passages[r] for r in outdated})
    # A known one may be older than what somebody else has stored since.
    live |= _live_stamps(again)
    current = {r: document for r, document in again.items() if is_current(document)}
    return {**{r: d for r, d in stored.items() if r not in outdated}, **current}


def _stamped_sources(references: Iterable[Reference]) -> set[str]:
    names = {reference.source for reference in references}
    return {name for name in names if isinstance(sources.get(name), Stamped)}


def _live_stamps(references: Iterable[Reference]) -> Stamps:
    stamps: dict[tuple[str, str], str] = {}
    for name, object_ids in by_source(references).items():
        source = sources.get(name)
        if not isinstance(source, Stamped):
            continue
        try:
            found = source.stamps(object_ids)
            stamps |= {(name, object_id): stamp for object_id, stamp in found.items()}
        except Exception as error:
            raise PluginFailed(name) from error
    return stamps


def by_source(references: Iterable[Reference]) -> dict[str, Collection[str]]:
    """Group object ids by source, each once, sorted."""
    grouped: dict[str, set[str]] = {}
    for reference in references:
        grouped.setdefault(reference.source, set()).add(reference.object_id)
    return {source: sorted(grouped[source]) for source in sorted(grouped)}
