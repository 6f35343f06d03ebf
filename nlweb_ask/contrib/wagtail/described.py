"""What a page is in schema.org's words: what it says of itself, else what can be seen."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from inspect import signature
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import DatabaseError
from django.db.models.fields.files import FieldFile

from nlweb_ask.sources.json_ld import object_made_by
from nlweb_ask.sources.schema_org import IMAGE_FIELDS
from nlweb_ask.sources.web_address import WebAddress, web_address

logger = logging.getLogger("nlweb_ask.index")


def published_by(page: Any) -> Mapping[str, Any] | None:
    """Return the object that the page makes itself, as an anonymous visitor gets it.

    Looked for in this order: `to_schema_org()` of the project's page, `ld_entity()` of
    wagtail-schema.org, the article of wagtail-seo. One that fails is left out, and what
    it raised is logged without a word of the page. Its address is none of the object's
    business: an address that it gives itself could be that of another page.
    """
    for name, make in _makers(page).items():
        try:
            made = make()
        except DatabaseError:
            raise  # the transaction may be of no use any more
        except Exception as error:  # noqa: BLE001 - the project's own code
            logger.warning(
                "no schema.org object source=wagtail object=%s by=%s error=%s",
                page.pk,
                name,
                type(error).__name__,
            )
            continue
        own = object_made_by(address_of(page), made)
        if own is not None:
            return own
    return None


def _makers(page: Any) -> dict[str, Callable[[], Any]]:
    makers: dict[str, Callable[[], Any]] = {}
    if callable(made := getattr(page, "to_schema_org", None)):
        makers["to_schema_org"] = made
    if callable(entity := getattr(page, "ld_entity", None)):
        makers["ld_entity"] = partial(_entity, page, entity)
    if hasattr(type(page), "seo_struct_article_dict"):
        makers["seo_struct_article_dict"] = lambda: page.seo_struct_article_dict
    return makers


def _entity(page: Any, entity: Callable[..., Any]) -> Any:
    """Call `ld_entity`, which some versions of it give the request and others do not."""
    takes_one = bool(signature(entity).parameters)
    return entity(anonymous_request(page)) if takes_one else entity()


def address_of(page: Any) -> WebAddress:
    """Return where the page is, on the host that Wagtail knows its site by."""
    _site, origin, path = page.get_url_parts()
    return web_address(f"{origin}{path}")


def anonymous_request(page: Any) -> Any:
    """Return a request for this page as a visitor without a session would send it."""
    from wagtail.coreutils import get_dummy_request

    path = page.get_url_parts()[2]
    request = get_dummy_request(path=path, site=page.get_site())
    request.user = AnonymousUser()
    request.session = {}
    return request


def breadcrumb(above: Iterable[Any]) -> dict[str, Any] | None:
    """Return the way from the first page of the site down to a page."""
    names = [(step.title, step.get_url()) for step in above]
    if not names:
        return None
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": place, "name": name, "item": url}
            for place, (name, url) in enumerate(names, start=1)
        ],
    }


def picture(page: Any) -> str | None:
    """Return the address of the image that the page has chosen in a familiar field.

    One with a query string is left out: storages sign addresses that way, and a
    signature is a key that expires.
    """
    for name in IMAGE_FIELDS:
        chosen = getattr(page, name, None)
        # The column of a file opens it when asked for `file`; that is not an image row.
        file = None if isinstance(chosen, FieldFile) else getattr(chosen, "file", None)
        if isinstance(file, FieldFile) and file and "?" not in file.url:
            return str(file.url)
    return None
