"""What may leave the site: the pages that a plug-in may show to a language model.

Public ones only, as asked live on behalf of an anonymous visitor, unless their source
lends out all its pages. Whoever asks may see more than that, and finds it in the results.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from nlweb_ask.pipeline.permit import Gate, as_candidate
from nlweb_ask.plugins import Result, Viewer, lends_restricted_pages, sources
from nlweb_ask.sources.viewers import anonymous_viewer


def lent(results: Sequence[Result], viewer: Viewer) -> list[Result]:
    """Return those of the results that a language model may be shown, in their order.

    One query a source; none for a visitor who may see nothing but public pages.

    Args:
        results: Pages that `viewer` may see.
        viewer: Who asks.

    Raises:
        PermissionFailed: When who may see a page cannot be told.
    """
    if viewer.is_anonymous and not viewer.session_marks:
        return [*results]
    gate = Gate(anonymous_viewer(viewer.site_id))
    gate.ask(
        as_candidate(result.reference) for result in results if not _is_open(result)
    )
    return [
        result
        for result in results
        if _is_open(result) or gate.passes(as_candidate(result.reference))
    ]


def _is_open(result: Result) -> bool:
    """Tell whether the source lends out pages that not everybody may see."""
    return lends_restricted_pages(sources.get(result.reference.source))


def in_their_places(
    results: Sequence[Result], shown: Collection[Result], chosen: Sequence[Result]
) -> list[Result]:
    """Put what was chosen of the shown results where these stood; the others stay.

    Args:
        results: All of them, best first.
        shown: Some of them.
        chosen: Some of those, in their new order; the rest is dropped.
    """
    seen = {result.reference for result in shown}
    ordered: Iterator[Result] = iter(chosen)
    placed = (
        next(ordered, None) if result.reference in seen else result
        for result in results
    )
    return [result for result in placed if result is not None]
