"""A source whose pages are a dictionary, for tests that write and hide many of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.plugins import Section, SourceDocument, SourceRef, Viewer, sources


@dataclass
class PageInMemory:
    name: str
    text: str = ""
    readers: str = "everyone"  # everyone, members or staff
    language: str = "en"
    type: str = "Article"
    version: str = ""
    parts: dict[str, str] = field(default_factory=dict)


class SiteInMemory:
    """A plain plug-in: `pages` is all there is, by object id."""

    name = "memory"
    pages: dict[str, PageInMemory] = {}
    asked: list[tuple[str, ...]] = []

    def iter_refs(self) -> Iterator[SourceRef]:
        return (SourceRef(object_id) for object_id in sorted(self.pages))

    def load(self, object_ids: Collection[str]) -> Iterable[SourceDocument]:
        for object_id in object_ids:
            page = self.pages.get(object_id)
            if page is not None:
                yield document(object_id, page)

    def visible_ids(self, viewer: Viewer, object_ids: Collection[str]) -> set[str]:
        self.asked.append(tuple(object_ids))
        return {
            object_id
            for object_id in object_ids
            if object_id in self.pages
            and may_read(viewer, self.pages[object_id].readers)
        }


def may_read(viewer: Viewer, readers: str) -> bool:
    if readers == "everyone":
        return True
    if readers == "members":
        return viewer.user.is_authenticated
    return viewer.user.is_staff


def document(object_id: str, page: PageInMemory) -> SourceDocument:
    sections = tuple(
        Section(heading=heading, anchor=heading.lower(), text=text)
        for heading, text in {"": page.text, **page.parts}.items()
    )
    return SourceDocument(
        object_id=object_id,
        url=f"/pages/{object_id}/",
        name=page.name,
        language=page.language,
        schema_object={"@type": page.type, "name": page.name},
        sections=sections,
        version=page.version,
    )


@contextmanager
def site_in_memory(kind: type[SiteInMemory] = SiteInMemory) -> Iterator[SiteInMemory]:
    """Register an empty site, and forget it again."""
    sources.register(kind)
    SiteInMemory.pages = {}
    SiteInMemory.asked = []
    try:
        yield sources.get("memory")
    finally:
        sources.unregister("memory")


def save(object_id: str, name: str, text: str = "", **more: str) -> None:
    """Write a page of the site and index it, as a save would."""
    SiteInMemory.pages[object_id] = PageInMemory(name, text, **more)
    refresh_objects("memory", [object_id])


def delete(object_id: str) -> None:
    SiteInMemory.pages.pop(object_id, None)
    refresh_objects("memory", [object_id])
