"""What a page is in schema.org's words: what it says of itself, else what can be seen."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import models
from selectolax.lexbor import LexborHTMLParser

from nlweb_ask.conf.sites import sites
from nlweb_ask.contrib.djangocms.addresses import Step
from nlweb_ask.sources.json_ld import object_about
from nlweb_ask.sources.web_address import NoWebAddress, web_address

logger = logging.getLogger("nlweb_ask.index")

# Of an object that a page makes itself they may name another page.
ADDRESSES = frozenset({"@id", "mainEntityOfPage", "url"})
JSON_LD = 'script[type="application/ld+json"]'


def published_by(content: Any, url: str, html: Sequence[str]) -> dict[str, Any] | None:
    """Return the object that the page makes itself, as everybody may read it.

    Looked for in this order: `to_schema_org()` of an extension of the page in this
    language, of an extension of the page, JSON-LD that is about this page among what its
    plug-ins print. One that fails is left out, and what it raised is logged without a
    word of the page.
    """
    for extension in _extensions(content):
        try:
            made = extension.to_schema_org()
        except Exception as error:  # noqa: BLE001 - the project's own code
            logger.warning(
                "no schema.org object source=djangocms object=%s:%s by=%s error=%s",
                content.page_id,
                content.language,
                type(extension).__name__,
                type(error).__name__,
            )
            continue
        if isinstance(made, Mapping) and made.get("@type"):
            return {key: said for key, said in made.items() if key not in ADDRESSES}
    return _printed(content, url, html)


def describing_extensions() -> list[tuple[type[models.Model], bool]]:
    """Return the extensions that describe pages, and whether each is of one language."""
    from cms.extensions import extension_pool

    kinds = [
        *((kind, True) for kind in extension_pool.page_content_extensions),
        *((kind, False) for kind in extension_pool.page_extensions),
    ]
    describing = [kind for kind in kinds if hasattr(kind[0], "to_schema_org")]
    return sorted(describing, key=lambda kind: (not kind[1], kind[0]._meta.label))


def _extensions(content: Any) -> Iterator[Any]:
    for kind, of_language in describing_extensions():
        key = content.pk if of_language else content.page_id
        yield from kind._default_manager.filter(extended_object=key)


def _printed(content: Any, url: str, html: Sequence[str]) -> dict[str, Any] | None:
    blocks = [
        script.text(deep=True)
        for each in html
        if "ld+json" in each
        for script in LexborHTMLParser(each).css(JSON_LD)
    ]
    if not blocks:
        return None
    try:
        page = web_address(sites().origin(content.page.site_id) + url)
    except NoWebAddress:
        return None
    return object_about(page, content.title, blocks)


def breadcrumb(trail: Iterable[Step]) -> dict[str, Any] | None:
    """Return the pages on the way down to a page, those that are for everybody."""
    elements = [
        {"@type": "ListItem", "position": place, "name": step.title, "item": step.url}
        for place, step in enumerate(trail, start=1)
    ]
    if not elements:
        return None
    return {"@type": "BreadcrumbList", "itemListElement": elements}


def first_image(html: Iterable[str]) -> str | None:
    """Return the address of the first picture.

    One with a query string is left out: storages sign addresses that way, and a
    signature is a key that expires.
    """
    for each in html:
        for picture in LexborHTMLParser(each).css("img[src]"):
            address = (picture.attributes.get("src") or "").strip()
            if address and "?" not in address and not address.startswith("data:"):
                return address
    return None
