"""A folder of Markdown and MDX files as a source.

`access` in the header of a file says who sees it, `default_access` of the source who
sees a file that does not say. Both are read from the file when somebody asks, so closing
a page needs no run of the index. See `front_matter` for what closes a page by itself.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from os import PathLike
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings
from django.utils.encoding import escape_uri_path

from nlweb_ask.plugins.types import Section, SourceDocument, SourceRef, Viewer
from nlweb_ask.sources.base import Source
from nlweb_ask.sources.front_matter import FrontMatter, PageClosed, read_front_matter
from nlweb_ask.sources.html_cost import UnreadableHtml
from nlweb_ask.sources.jsonable import jsonable
from nlweb_ask.sources.markdown_text import MarkdownReader
from nlweb_ask.sources.mdx import MdxError
from nlweb_ask.sources.page_access import Access, membership, read_access
from nlweb_ask.sources.page_files import (
    FileStamp,
    MissingFolder,
    PageFiles,
    UnreadablePage,
    page_files,
)
from nlweb_ask.sources.titles import below_title

logger = logging.getLogger("nlweb_ask.index")

BODY_ERRORS = (MdxError, PageClosed, UnreadableHtml, UnreadablePage)
MAX_GROUP = 64  # what the column of a group holds


@dataclass(frozen=True, slots=True)
class PageProblem:
    """What is wrong with a file; `fatal` if that keeps it out of every answer."""

    name: str  # relative to the folder
    reason: str
    fatal: bool


@dataclass(frozen=True, slots=True)
class MarkdownPage:
    """A file that can be read, without its text."""

    name: str
    stamp: FileStamp
    header: FrontMatter


class MarkdownFolderSource(Source):
    """The pages of one folder, found below one address of the site."""

    path: str | PathLike[str]
    base_url: str = "/docs/"
    default_access: str = ""  # to be declared: public, login or group:name
    visibility_hint = (
        'Add default_access = "public" to the class where a page that does not say is '
        'for everyone; else "login" or "group:name".'
    )

    schema_type: str | Sequence[str] = ("Article", "TechArticle")
    suffixes: Sequence[str] = (".md", ".mdx")
    mdx_suffixes: Sequence[str] = (".mdx",)  # some builders read .md as MDX too
    excluded: Sequence[str] = (".*", "_*", "node_modules")
    hidden_components: Collection[str] = ()
    ignored_keys: Collection[str] = ()  # header keys of other tools
    default_language: str = ""  # empty = LANGUAGE_CODE
    language_folders: Collection[str] = ()  # topmost folders named by a language
    default_version: str = ""
    index_names: Collection[str] = ("index", "readme")
    trailing_slash: bool = True
    sites: tuple[int, ...] = ()  # empty = the default site

    def __init__(self) -> None:
        self._pages: dict[str, tuple[FileStamp, MarkdownPage | PageProblem]] = {}

    @classmethod
    def declares_visibility(cls) -> bool:
        return (
            read_access(cls.default_access) is not None
            or cls.visible_ids is not MarkdownFolderSource.visible_ids
        )

    # What exists, and who may see it

    def iter_refs(self) -> Iterator[SourceRef]:
        if not self.declares_visibility():
            return
        self._files.require_folder()
        for page in self._pages_found():
            for problem in _problems(page):
                self._report(problem)
            if isinstance(page, MarkdownPage):
                yield SourceRef(page.name, page.stamp.content)

    def stamps(self, object_ids: Collection[str]) -> Mapping[str, str]:
        """Return time and size of each file that can still be read."""
        pages = {name: self._page(name) for name in object_ids}
        return {
            name: page.stamp.content
            for name, page in pages.items()
            if isinstance(page, MarkdownPage)
        }

    def visible_ids(self, viewer: Viewer, object_ids: Collection[str]) -> set[str]:
        if not self.declares_visibility():
            return set()
        rules = {name: self._access(name) for name in object_ids}
        allowed = membership(viewer, rules.values())
        return {name for name, rule in rules.items() if allowed.allows(rule)}

    def load(self, object_ids: Collection[str]) -> Iterable[SourceDocument]:
        if not self.declares_visibility():
            return
        self._files.require_folder()
        for name in object_ids:
            page = self._page(name)
            if isinstance(page, MarkdownPage):
                yield from self._documents(page)

    def iter_problems(self) -> Iterator[PageProblem]:
        """Read every file and yield what is wrong with it, in the order of the names."""
        for page in self._pages_found():
            yield from _problems(page)
            if isinstance(page, PageProblem):
                continue
            try:
                self._sections(page)
            except BODY_ERRORS as error:
                yield PageProblem(page.name, str(error), fatal=True)

    # What a page says

    def url(self, page: MarkdownPage) -> str:
        """Return the path of a page from the root of the site."""
        slug = page.header.slug.strip("/") if page.header.slug else self._path(page)
        ending = "/" if slug and self.trailing_slash else ""
        return self.base_url.rstrip("/") + "/" + escape_uri_path(slug) + ending

    def get_language(self, page: MarkdownPage) -> str:
        folder = self._language_folder(page)
        return (
            page.header.language
            or folder
            or self.default_language
            or settings.LANGUAGE_CODE
        )

    def get_name(self, page: MarkdownPage, sections: Sequence[Section]) -> str:
        """Return the title, else the first heading, else the name of the file."""
        headings = (section.heading for section in sections if section.heading)
        place = PurePosixPath(self._path(page) or page.name)
        return page.header.title or next(headings, "") or _in_words(place.stem)

    def to_schema_org(
        self, page: MarkdownPage, sections: Sequence[Section]
    ) -> dict[str, Any]:
        """Return the schema.org object that answers give; extend it with `super()`."""
        name = self.get_name(page, sections)
        types = self.schema_type
        return {
            "@context": "https://schema.org",
            "@type": types if isinstance(types, str) else list(types),
            "url": self.url(page),
            "name": name,
            "headline": name,
            "description": page.header.description or None,
            "inLanguage": self.get_language(page),
            "version": self._version(page) or None,
        }

    def _documents(self, page: MarkdownPage) -> list[SourceDocument]:
        try:
            sections = self._sections(page)
        except BODY_ERRORS as error:
            self._report(PageProblem(page.name, str(error), fatal=True))
            return []
        name = self.get_name(page, sections)
        where = f"The schema.org object of {page.name}"
        return [
            SourceDocument(
                object_id=page.name,
                url=self.url(page),
                name=name,
                language=self.get_language(page),
                schema_object=jsonable(self.to_schema_org(page, sections), where),
                sections=below_title(sections, name),
                abstract=page.header.description,
                group=self._group(page),
                version=self._version(page),
                sites=self.sites,
            )
        ]

    # Reading

    @cached_property
    def _files(self) -> PageFiles:
        return page_files(self.path, self.suffixes, self.excluded)

    @cached_property
    def _readers(self) -> dict[bool, MarkdownReader]:
        return {
            mdx: MarkdownReader(self.hidden_components, mdx=mdx)
            for mdx in (False, True)
        }

    def _sections(self, page: MarkdownPage) -> tuple[Section, ...]:
        _, body = read_front_matter(self._files.read(page.name), self.ignored_keys)
        mdx = page.name.lower().endswith(tuple(self.mdx_suffixes))
        return self._readers[mdx].sections(body)

    def _pages_found(self) -> Iterator[MarkdownPage | PageProblem]:
        try:
            self._files.require_folder()
        except MissingFolder as error:
            folder = str(self._files.folder.absolute())
            yield PageProblem(folder, str(error), fatal=True)
            return
        yield from map(self._page, self._files.names())

    def _page(self, name: str) -> MarkdownPage | PageProblem:
        """Return a page as its file is now; read anew only when the file has changed."""
        try:
            stamp = self._files.stamp(name)
        except (UnreadablePage, OSError) as error:
            self._pages.pop(name, None)
            return PageProblem(name, str(error), fatal=True)
        known = self._pages.get(name)
        if known is None or known[0] != stamp:
            known = self._pages[name] = stamp, self._read_page(name, stamp)
        return known[1]

    def _read_page(self, name: str, stamp: FileStamp) -> MarkdownPage | PageProblem:
        try:
            text = self._files.read(name)
            header, _ = read_front_matter(text, self.ignored_keys)
        except (UnreadablePage, PageClosed) as error:
            return PageProblem(name, str(error), fatal=True)
        return MarkdownPage(name, stamp, header)

    def _report(self, problem: PageProblem) -> None:
        kept = "left out" if problem.fatal else "read"
        logger.warning(
            "%s: %s was %s. %s", self.name, problem.name, kept, problem.reason
        )

    def _access(self, name: str) -> Access | None:
        page = self._page(name)
        if isinstance(page, PageProblem):
            return None
        return page.header.access or read_access(self.default_access)

    # Addresses

    def _path(self, page: MarkdownPage) -> str:
        """Return the place of a file in the folder as an address without slashes."""
        place = PurePosixPath(page.name)
        if place.stem.lower() in self.index_names:
            place = place.parent
        else:
            place = place.with_suffix("")
        return "" if place == PurePosixPath() else str(place)

    def _language_folder(self, page: MarkdownPage) -> str:
        folder, slash, _ = page.name.partition("/")
        return folder if slash and folder in self.language_folders else ""

    def _group(self, page: MarkdownPage) -> str:
        """Name what a page and its translations have in common."""
        if not self.language_folders:
            return ""
        name = page.name.removeprefix(f"{self._language_folder(page)}/")
        if len(name) <= MAX_GROUP:
            return name
        return blake2b(name.encode(), digest_size=16).hexdigest()

    def _version(self, page: MarkdownPage) -> str:
        return page.header.version or self.default_version


def _problems(page: MarkdownPage | PageProblem) -> list[PageProblem]:
    if isinstance(page, PageProblem):
        return [page]
    return [PageProblem(page.name, text, fatal=False) for text in page.header.warnings]


def _in_words(stem: str) -> str:
    words = stem.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:] if words else stem
