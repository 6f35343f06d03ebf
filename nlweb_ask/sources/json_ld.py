"""What a web page says of itself in schema.org's words, inside its HTML.

It is the author's text and nothing more: read within limits, and used only where it is
about the page that it stands in.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from nlweb_ask.sources.jsonable import NotJsonable, jsonable
from nlweb_ask.sources.web_address import NoWebAddress, WebAddress

MAX_BLOCK: Final = 100_000  # characters of one script element
MAX_OBJECTS: Final = 200
CONTEXT: Final = "schema.org"
# They stand in every page of a site, and are about the whole of it.
OF_THE_SITE: Final = frozenset(
    {
        *("BreadcrumbList", "Organization", "SearchAction", "SiteNavigationElement"),
        *("WebSite", "WPFooter", "WPHeader", "WPSideBar"),
    }
)
ADDRESSES: Final = ("mainEntityOfPage", "url", "@id")


def object_about(
    page: WebAddress, title: str, blocks: Iterable[str]
) -> dict[str, Any] | None:
    """Return the object that is about this page, or None where none surely is.

    One that names the page's address is; so is the only one that has no address at all
    and is named as the page is. A WebPage stands back behind what is on the page.
    """
    objects = [found for block in blocks for found in _objects(block)][:MAX_OBJECTS]
    named = [found for found in objects if _is_address_of(found, page)]
    homeless = [f for f in objects if not any(f.get(key) for key in ADDRESSES)]
    if not named and len(homeless) == 1 and _is_called(homeless[0], title):
        named = homeless
    named.sort(key=_is_web_page)
    return _plain(named[0]) if named else None


def _objects(block: str) -> Iterator[Mapping[str, Any]]:
    """Yield the typed objects on top of a block, those of lists and graphs among them."""
    if len(block) > MAX_BLOCK:
        return
    try:
        read = json.loads(block)
    except (ValueError, RecursionError):
        return  # one block that is broken says nothing of the others
    for each in read if isinstance(read, list) else [read]:
        if isinstance(each, Mapping) and CONTEXT in str(each.get("@context", "")):
            graph = each.get("@graph")
            yield from filter(_is_typed, graph if isinstance(graph, list) else [each])


def _is_typed(found: object) -> bool:
    if not isinstance(found, Mapping):
        return False
    types = _types(found)
    return bool(types) and not OF_THE_SITE.intersection(types)


def _types(found: Mapping[str, Any]) -> list[str]:
    declared = found.get("@type")
    types = declared if isinstance(declared, list) else [declared]
    return [name for name in types if isinstance(name, str) and name]


def _is_web_page(found: Mapping[str, Any]) -> bool:
    return all(name.endswith("Page") for name in _types(found))


def _is_address_of(found: Mapping[str, Any], page: WebAddress) -> bool:
    for key in ADDRESSES:
        value = found.get(key)
        link = value.get("@id") if isinstance(value, Mapping) else value
        if isinstance(link, str) and link:
            try:
                return page.is_page(page.join(link))
            except NoWebAddress:
                continue
    return False


def _is_called(found: Mapping[str, Any], title: str) -> bool:
    names = (found.get("headline"), found.get("name"))
    return title in {" ".join(n.split()) for n in names if isinstance(n, str)}


def _plain(found: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return it without its own ids: they are not to take the place of the page's."""
    kept = {
        key: value
        for key, value in found.items()
        if key not in {"@context", *ADDRESSES}
    }
    try:
        return {"@context": "https://schema.org", **jsonable(kept)}
    except NotJsonable:
        return None
