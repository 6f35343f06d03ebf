"""How do pages stand now? Asked of the live objects, once a source.

An `update()`, raw SQL or an edited file sends no signal. Before words of a page are
shown, its stamp is compared with the one it was indexed under.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from nlweb_ask.index.store import StoredDocument
from nlweb_ask.plugins import PluginFailed, Reference, Stamped, sources
from nlweb_ask.sources.parts import stamp_of_page

Stamps = Mapping[tuple[str, str], str]  # by source and object id, or the id of a part


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
    return was_told(document, stamps) or _fits(document, stamps.get(reference[:2]))


def was_told(document: StoredDocument, stamps: Stamps) -> bool:
    """Say whether the very stamp of a document was told with who may see it."""
    return _fits(document, stamps.get(told_as(document.reference)))


def told_as(reference: Reference) -> tuple[str, str]:
    """Return the key of a stamp that was told with who may see a page, or a part."""
    return reference.source, reference.asked_as


def _fits(document: StoredDocument, stamp: str | None) -> bool:
    """Compare with the stored stamp; of a page, but for what is of its parts.

    A part that some may not see must not cost them a second look at its page.
    """
    if stamp is None:
        return False
    source: object = sources.get(document.reference.source)
    if not document.reference.part and getattr(source, "parts", None):
        return stamp_of_page(stamp) == stamp_of_page(document.stamp)
    return stamp == document.stamp


def by_source(references: Iterable[Reference]) -> dict[str, Collection[str]]:
    """Group object ids by source, each once, sorted."""
    grouped: dict[str, set[str]] = {}
    for reference in references:
        grouped.setdefault(reference.source, set()).add(reference.object_id)
    return {source: sorted(grouped[source]) for source in sorted(grouped)}
