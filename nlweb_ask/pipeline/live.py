"""Words of pages, as they are while the viewer may see them.

Between the answer of a source and the loading of words a page may be closed and written
anew. So words are shown for a permission that was given for just these words: by the
query that read their stamp, or by one that came after they had been loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from nlweb_ask.index.freshness import (
    Stamps,
    by_source,
    is_current,
    live_stamps,
    told_as,
    was_told,
)
from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.index.store import StoredDocument, load_documents
from nlweb_ask.pipeline.permit import Gate, as_candidate
from nlweb_ask.plugins import Reference, Viewer

Documents = Mapping[Reference, StoredDocument]


def load_live(
    site_id: int,
    viewer: Viewer,
    passages: Mapping[Reference, int | None],
    permitted: Stamps,
) -> dict[Reference, StoredDocument]:
    """Return stored documents that the viewer may see with the words of the live page.

    What changed unseen is indexed anew, loaded again and asked about again; what still
    differs after that, is gone, or may be seen no longer, is left out. One query, and
    one for each source with pages whose words are not those that were permitted.

    Args:
        site_id: The site whose documents are meant.
        viewer: Who will see them.
        passages: The ordinal of the passage to load, for each reference.
        permitted: The stamps that sources told of with what this viewer may see.

    Raises:
        PermissionFailed: When who may see a page cannot be told.
        PluginFailed: When a source cannot tell how a page stands.
    """
    stored = load_documents(site_id, passages)
    rest = {r: d for r, d in stored.items() if not was_told(d, permitted)}
    if not rest:
        return stored
    looked = _look(viewer, rest)
    shown = {r: d for r, d in stored.items() if r not in rest or r in looked.current}
    for source, object_ids in by_source(looked.outdated).items():
        refresh_objects(source, object_ids)
    again = load_documents(site_id, {r: passages[r] for r in looked.outdated})
    current = _look(viewer, again).current
    return {**shown, **{r: d for r, d in again.items() if r in current}}


@dataclass(frozen=True, slots=True)
class _Looked:
    """What the viewer may see of what was loaded before it was asked."""

    current: Set[Reference]
    outdated: Set[Reference]


def _look(viewer: Viewer, documents: Documents) -> _Looked:
    gate = Gate(viewer)
    gate.ask(map(as_candidate, documents))
    visible = {r for r in documents if gate.passes(as_candidate(r))}
    told = gate.stamps
    stamps = {**told, **live_stamps(r for r in visible if told_as(r) not in told)}
    current = {r for r in visible if is_current(documents[r], stamps)}
    return _Looked(current, visible - current)
