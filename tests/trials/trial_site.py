"""The pages of a trial case as a source: found, shown and hidden as the case says."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nlweb_ask.plugins import Section, SourceDocument, SourceRef, Viewer
from nlweb_ask.sources.html import decode_entities, html_sections, looks_like_html


@dataclass(frozen=True)
class TrialPage:
    url: str
    title: str
    text: str = ""
    language: str = "en"
    readers: str = "everyone"
    version: str = ""


class TrialSite:
    """Each page is known by its address."""

    name = "trial"
    pages: dict[str, TrialPage] = {}

    def iter_refs(self) -> Iterator[SourceRef]:
        return (SourceRef(url) for url in sorted(self.pages))

    def load(self, object_ids: Collection[str]) -> Iterable[SourceDocument]:
        return (_document(self.pages[url]) for url in object_ids if url in self.pages)

    def visible_ids(self, viewer: Viewer, object_ids: Collection[str]) -> set[str]:
        return {
            url
            for url in object_ids
            if url in self.pages and _may_read(viewer, self.pages[url].readers)
        }


def _may_read(viewer: Viewer, readers: str) -> bool:
    if readers == "everyone":
        return True
    return viewer.user.is_staff if readers == "staff" else not viewer.is_anonymous


def _document(page: TrialPage) -> SourceDocument:
    is_html = looks_like_html(page.text)
    return SourceDocument(
        object_id=page.url,
        url=page.url,
        name=decode_entities(page.title),
        language=page.language,
        schema_object={
            "@type": "WebPage",
            "name": decode_entities(page.title),
            **({"version": page.version} if page.version else {}),
        },
        version=page.version,
        sections=html_sections(page.text) if is_html else (Section(text=page.text),),
    )


def page_of(item: Mapping[str, Any]) -> TrialPage:
    # Two titles say in brackets how they are stored.
    title = str(item["title"]).split(" (title stored", maxsplit=1)[0]
    return TrialPage(
        url=item["url"],
        title=title,
        text=item.get("text", ""),
        language=item.get("lang", "en"),
        readers=item.get("visible_to", "everyone"),
        version=item.get("version", ""),
    )


def lighthouses() -> dict[str, TrialPage]:
    """Nine pages that match in the order of their numbers, the first four for staff."""
    words = "lighthouse " * 9
    return {
        f"/p{number}/": TrialPage(
            f"/p{number}/",
            f"Page {number}",
            words.replace("lighthouse", "beacon", number - 1),
            readers="staff" if number < 5 else "everyone",
        )
        for number in range(1, 10)
    }
