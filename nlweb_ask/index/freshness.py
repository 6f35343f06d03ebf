"""How do pages stand now? Asked of the live objects, once a source.

An `update()`, raw SQL or an edited file sends no signal. Before words of a page are
shown, its stamp is compared with the one it was indexed under.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from nlweb_ask.index.store import StoredDocument
from nlweb_ask.plugins import PluginFailed, Reference, Stamped, sources

Stamps = Mapping[tuple[str, str], str]  # by source and object id


def live_stamps(references: Iterable[Reference]) -> Stamps:
    """Return the stamps of these pages as they are now; one query a source.

    Raises:
        PluginFailed: When a source cannot tell.
    """
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


def is_current(document: StoredDocument, stamps: Stamps) -> bool:
    """Say whether a document is as its page is by these stamps; no, where it is gone.

    A source without stamps cannot tell otherwise.
    """
    reference = document.reference
    if not isinstance(sources.get(reference.source), Stamped):
        return True
    return stamps.get(reference[:2]) == document.stamp


def by_source(references: Iterable[Reference]) -> dict[str, Collection[str]]:
    """Group object ids by source, each once, sorted."""
    grouped: dict[str, set[str]] = {}
    for reference in references:
        grouped.setdefault(reference.source, set()).add(reference.object_id)
    return {source: sorted(grouped[source]) for source in sorted(grouped)}
