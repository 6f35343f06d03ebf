"""Parts of a page that are for fewer people than the page.

Each part is a document of its own, found and shown by itself to whoever may see it; the
parts that a viewer may see make one result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from nlweb_ask.plugins.errors import SourceFault
from nlweb_ask.plugins.types import Section, SourceDocument

MARK = "#"  # between the id of a page and the name of its part


class AmbiguousKey(SourceFault, ValueError):
    """A key could be taken for that of a part of another page."""


def divided(
    object_ids: Collection[str], parts: Collection[str]
) -> tuple[Collection[str], dict[str, list[str]]]:
    """Return the ids of pages, and by the name of a part those whose part is meant."""
    if not parts:
        return object_ids, {}
    pages: list[str] = []
    of_parts: dict[str, list[str]] = {}
    for object_id in object_ids:
        page, mark, part = object_id.rpartition(MARK)
        if mark and part in parts:
            of_parts.setdefault(part, []).append(page)
        else:
            pages.append(object_id)
    return pages, of_parts


def stamp_of_page(stamp: str) -> str:
    """Return of a stamp what moves with the page alone: behind the mark is its parts'."""
    return stamp.partition(MARK)[0]


def documents_of_parts(
    page: SourceDocument, parts: Mapping[str, Iterable[Section]]
) -> Iterator[SourceDocument]:
    """Yield a document for each part that has words.

    Raises:
        AmbiguousKey: When the id of the page has the sign that sets a part off.
    """
    if parts and MARK in page.object_id:
        msg = f"A page with parts needs a key without {MARK!r}."
        raise AmbiguousKey(msg)
    for part, sections in parts.items():
        said = tuple(sections)
        if said:
            yield replace(page, part=part, sections=said)
