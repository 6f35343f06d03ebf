"""What a page says of itself in schema.org's words, inside its HTML or by its own code.

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


def object_made_by(page: WebAddress, made: object) -> dict[str, Any] | None:
    """Return what the page's own code says that it is, or None where that is nothing.

    `made` is an object, a list or a graph of them, or one of these as JSON text. One that
    is broken or too long is left out and the others count: of these one with the
    address of the page, else one that is not about the whole site.
    """
    objects = [found for found in _made(made)[:MAX_OBJECTS] if _fits(found)]
    objects.sort(key=lambda found: _distance(found, page))
    return _plain(objects[0]) if objects else None


def _made(made: object) -> list[Any]:
    if isinstance(made, str):
        read = _read(made)
        return [] if isinstance(read, str) else _made(read)
    if isinstance(made, list | tuple):
        return list(made)
    graph = made.get("@graph") if isinstance(made, Mapping) else None
    return list(graph) if isinstance(graph, list | tuple) else [made]


def _fits(found: object) -> bool:
    if not isinstance(found, Mapping) or not _types(found):
        return False
    plain = _plain(found)
    return plain is not None and len(json.dumps(plain)) <= MAX_BLOCK


def _distance(found: Mapping[str, Any], page: WebAddress) -> tuple[bool, bool, bool]:
    of_the_site = bool(OF_THE_SITE.intersection(_types(found)))
    return of_the_site, not _is_address_of(found, page), _is_web_page(found)


def _objects(block: str) -> Iterator[Mapping[str, Any]]:
    """Yield the typed objects on top of a block, those of lists and graphs among them."""
    read = _read(block)
    for each in read if isinstance(read, list) else [read]:
        if isinstance(each, Mapping) and CONTEXT in str(each.get("@context", "")):
            graph = each.get("@graph")
            yield from filter(_is_typed, graph if isinstance(graph, list) else [each])


def _read(block: str) -> Any:
    """Return what a block says; None for one that is broken, or too long to be read."""
    if len(block) > MAX_BLOCK:
        return None
    try:
        return json.loads(block)
    except (ValueError, RecursionError):
        return None  # one block that is broken says nothing of the others


def _is_typed(found: object) -> bool:
    if not isinstance(found, Mapping):
        return False
    types = _types(found)
    return bool(types) and not OF_THE_SITE.intersection(types)


def _types(found: Mapping[str, Any]) -> list[str]:
    declared = found.get("@type")
    types = declared if isinstance(declared, list | tuple) else [declared]
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
        if key not in {"@context", "@type", *ADDRESSES}
    }
    types = _types(found)
    whole = {"@type": types[0] if len(types) == 1 else types, **kept}
    try:
        return {"@context": "https://schema.org", **jsonable(whole)}
    except NotJsonable:
        return None
