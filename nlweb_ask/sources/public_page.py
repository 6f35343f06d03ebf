"""Read a page that was fetched as an anonymous visitor, if it is one for everybody.

A page that asks for a password, tells search engines to stay away, or says that another
address is its own, is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from nlweb_ask.plugins.types import Section
from nlweb_ask.sources.fetching import Fetched, Refused
from nlweb_ask.sources.html import html_sections, html_text
from nlweb_ask.sources.html_cost import UnreadableHtml, refuse_costly
from nlweb_ask.sources.json_ld import object_about
from nlweb_ask.sources.robots import keeps_out
from nlweb_ask.sources.titles import below_title
from nlweb_ask.sources.web_address import NoWebAddress, WebAddress

# What robots are told that speaks against an answer with words of the page.
LANGUAGE: Final = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", re.IGNORECASE)
MAX_LANGUAGE: Final = 16  # what the column of a language holds
CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
META_CHARSET: Final = 1_024  # bytes in which a page says how it is encoded
# Those that browsers know by these names; Python has others that do not end.
CHARSETS: Final = re.compile(
    r"utf-?8|us-ascii|iso-8859-\d{1,2}|windows-\d{3,4}|koi8-[ru]|shift_jis"
    r"|euc-(jp|kr)|iso-2022-jp|gbk|gb2312|gb18030|big5",
    re.IGNORECASE,
)
LATIN: Final = re.compile(r"us-ascii|iso-8859-1", re.IGNORECASE)
# Around what a page says, the same on every page of a site.
AROUND: Final = ("nav", "footer", "form", "aside")


@dataclass(frozen=True, slots=True)
class PublicPage:
    """What the page says to whoever comes along."""

    name: str
    description: str
    language: str  # in lower case; empty = it does not say
    sections: tuple[Section, ...]
    said: dict[str, Any] | None  # its own schema.org object


def read_page(fetched: Fetched, listed: WebAddress) -> PublicPage:
    """Return what the page listed at an address says.

    Raises:
        Refused: When it is not for everybody, is at another address, or is no HTML.
    """
    if not listed.is_page(fetched.address):
        msg = "It redirects to another page."
        raise Refused(msg)
    kind = fetched.content_type.partition(";")[0].strip().lower()
    if kind != "text/html":
        msg = f"It is {kind[:40] or 'of no type'}, and not text/html."
        raise Refused(msg)
    html = _decoded(fetched)
    try:
        refuse_costly(html)
        page = LexborHTMLParser(html)
        _refuse_hidden(page, fetched)
        return _read(page, listed)
    except UnreadableHtml as error:
        raise Refused(str(error)) from error


def _decoded(fetched: Fetched) -> str:
    opening = fetched.body[:META_CHARSET].decode("ascii", "replace")
    declared = CHARSET.search(fetched.content_type) or CHARSET.search(opening)
    charset = declared[1] if declared else "utf-8"
    if not CHARSETS.fullmatch(charset):
        msg = f"It is encoded as {charset[:20]!r}."
        raise Refused(msg)
    # As browsers do.
    charset = "windows-1252" if LATIN.fullmatch(charset) else charset
    return fetched.body.decode(charset, "replace").removeprefix("\ufeff")


def _refuse_hidden(page: LexborHTMLParser, fetched: Fetched) -> None:
    if any(map(keeps_out, [*fetched.robots, *_robots(page)])):
        msg = "It tells search engines to stay away."
        raise Refused(msg)
    if any(map(_asks_for_password, page.css("input"))):
        msg = "It asks for a password."
        raise Refused(msg)
    waits = [*fetched.refresh, *_metas(page, "http-equiv", "refresh")]
    if any("url" in wait.lower() for wait in waits):
        msg = "It leads on to another page."
        raise Refused(msg)
    if not all(_is_own(link, fetched.address) for link in _canonicals(page)):
        msg = "It says that another address is its own."
        raise Refused(msg)


def _metas(page: LexborHTMLParser, attribute: str, name: str) -> Iterator[str]:
    for meta in page.css(f"meta[{attribute}]"):
        if (meta.attributes.get(attribute) or "").strip().lower() == name:
            yield meta.attributes.get("content") or ""


def _robots(page: LexborHTMLParser) -> Iterator[str]:
    """Yield what is told to all robots, or to any: for none of them it is for us."""
    for meta in page.css("meta[name]"):
        name = (meta.attributes.get("name") or "").strip().lower()
        if name == "robots" or name.endswith("bot"):
            yield meta.attributes.get("content") or ""


def _asks_for_password(field: LexborNode) -> bool:
    kind = (field.attributes.get("type") or "").strip().lower()
    filled = (field.attributes.get("autocomplete") or "").lower().split()
    return kind == "password" or "current-password" in filled


def _canonicals(page: LexborHTMLParser) -> Iterator[str]:
    for link in page.css("link[rel][href]"):
        if "canonical" in (link.attributes.get("rel") or "").lower().split():
            yield link.attributes.get("href") or ""


def _is_own(link: str, address: WebAddress) -> bool:
    try:
        return address.is_page(address.join(link))
    except NoWebAddress:
        return False


def _read(page: LexborHTMLParser, listed: WebAddress) -> PublicPage:
    main, around = _main(page)
    sections = html_sections(main.html or "", around) if main else ()
    name = _name(page, main) or listed.target
    blocks = (
        script.text(deep=True)
        for script in page.css('script[type="application/ld+json"]')
    )
    return PublicPage(
        name=name,
        description=_first(
            [
                *_metas(page, "name", "description"),
                *_metas(page, "property", "og:description"),
            ]
        ),
        language=_language(page),
        sections=below_title(sections, name),
        said=object_about(listed, name, blocks),
    )


def _main(page: LexborHTMLParser) -> tuple[LexborNode | None, tuple[str, ...]]:
    """Return what holds the page's own words, and which tags in it hold others."""
    for selector in ("main", '[role="main"]', "article"):
        found = page.css(selector)
        if len(found) == 1:
            return found[0], AROUND
    return page.body, (*AROUND, "header")


def _name(page: LexborHTMLParser, main: LexborNode | None) -> str:
    headings = (main or page.body or page.root).css("h1") if page.root else []
    titles = page.css("head > title")
    return _first(
        [
            *(html_text(f"<p>{heading.html}</p>") for heading in headings[:1]),
            *_metas(page, "property", "og:title"),
            *(title.text(deep=True) for title in titles[:1]),
        ]
    )


def _first(texts: Iterable[str]) -> str:
    in_lines = (" ".join(text.split()) for text in texts)
    return next((text for text in in_lines if text), "")


def _language(page: LexborHTMLParser) -> str:
    written = (page.root.attributes.get("lang") or "").strip() if page.root else ""
    fits = LANGUAGE.fullmatch(written) and len(written) <= MAX_LANGUAGE
    return written.lower() if fits else ""
