"""Read a sitemap, or an index of sitemaps, after sitemaps.org."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

MAX_LENGTH: Final = 2_048  # of an address, by the protocol
MAX_DEPTH: Final = 20
MAX_LISTED: Final = 50_000  # in one file, by the protocol


class UnreadableSitemap(ValueError):
    """It is no sitemap, or one that was made to do harm."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An address in a sitemap, and when its page is said to have changed last."""

    url: str
    changed: str = ""


@dataclass(slots=True)
class SitemapFile:
    """What one file lists: pages, or further sitemaps."""

    pages: list[Listed] = field(default_factory=list)
    sitemaps: list[Listed] = field(default_factory=list)


def read_sitemap(written: bytes) -> SitemapFile:
    """Return what a sitemap lists, in its order.

    Raises:
        UnreadableSitemap: It is not well-formed, has a document type (which could
            define entities), is nested deeply, or lists more than the protocol allows.
    """
    reader = _Reader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(written, True)
    except expat.ExpatError as error:
        msg = "It is no well-formed XML."
        raise UnreadableSitemap(msg) from error
    if reader.root not in {"urlset", "sitemapindex"}:
        msg = "It is no sitemap."
        raise UnreadableSitemap(msg)
    return reader.found


def _refuse_doctype(*_args: object) -> None:
    msg = "It has a document type, which no sitemap needs."
    raise UnreadableSitemap(msg)


class _Reader:
    """Follows the elements of a file and fills what was found."""

    def __init__(self) -> None:
        self.found = SitemapFile()
        self.root = ""
        self.open: list[str] = []
        self.values: dict[str, str] = {}

    def start(self, name: str, _attributes: object) -> None:
        local = name.rpartition(" ")[2]
        self.root = self.root or local
        self.open.append(local)
        if len(self.open) > MAX_DEPTH:
            msg = f"It is nested deeper than {MAX_DEPTH} elements."
            raise UnreadableSitemap(msg)
        if len(self.open) == 2:
            self.values = {}

    def text(self, text: str) -> None:
        # Below an entry itself: a picture in it has an address too.
        if len(self.open) == 3 and self.open[-1] in {"loc", "lastmod"}:
            known = self.values.get(self.open[-1], "")
            self.values[self.open[-1]] = (known + text)[: MAX_LENGTH + 1]

    def end(self, _name: str) -> None:
        entry = self.open.pop()
        kinds = {"url": self.found.pages, "sitemap": self.found.sitemaps}
        if len(self.open) != 1 or entry not in kinds:
            return
        url = self.values.get("loc", "").strip()
        if url and len(url) <= MAX_LENGTH:
            kinds[entry].append(Listed(url, self.values.get("lastmod", "").strip()))
        if len(kinds[entry]) > MAX_LISTED:
            msg = f"It lists more than {MAX_LISTED:,} addresses."
            raise UnreadableSitemap(msg)
