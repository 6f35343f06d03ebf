"""Which documents whoever looks may see right now, for lists that show their names."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from itertools import groupby

from django.http import HttpRequest

from nlweb_ask.models import Document
from nlweb_ask.pipeline.permit import Gate, as_candidate
from nlweb_ask.plugins import PermissionFailed, Viewer
from nlweb_ask.web.viewers import anonymous_or, session_marks


def seen_by_user(request: HttpRequest, documents: Iterable[Document]) -> set[int]:
    """Return the keys of the rows whose pages the user of this request may see.

    Each source is asked once a site; one that fails, or is gone, shows nothing.
    """
    seen: set[int] = set()
    rows = sorted(documents, key=_site_and_source)
    for (site_id, _), of_source in groupby(rows, key=_site_and_source):
        seen |= _seen_by(_viewer(request, site_id), list(of_source))
    return seen


def _site_and_source(document: Document) -> tuple[int, str]:
    return document.site_id, document.source


def _viewer(request: HttpRequest, site_id: int) -> Viewer:
    return Viewer(
        user=anonymous_or(request.user),
        site_id=site_id,
        session_marks=session_marks(request),
    )


def _seen_by(viewer: Viewer, rows: list[Document]) -> set[int]:
    candidates = {row.pk: as_candidate(row) for row in rows}
    gate = Gate(viewer)
    with contextlib.suppress(PermissionFailed):
        gate.ask(candidates.values())
    return {key for key, candidate in candidates.items() if gate.passes(candidate)}
