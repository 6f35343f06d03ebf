"""What a page is in schema.org's words: what it says of itself, else what can be seen."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth.models import AnonymousUser

from nlweb_ask.contrib.wagtail.roots import Root

logger = logging.getLogger("nlweb_ask.index")


def published_by(page: Any) -> Mapping[str, Any] | None:
    """Return the object that the page makes itself, as an anonymous visitor gets it.

    Looked for in this order: `to_schema_org()` of the project's page, `ld_entity()` of
    wagtail-schema.org, the article of wagtail-seo. One that fails is left out, and what
    it raised is logged without a word of the page.
    """
    for name, make in _makers(page).items():
        try:
            made = make()
        except Exception as error:  # noqa: BLE001 - the project's own code
            logger.warning(
                "no schema.org object source=wagtail object=%s by=%s error=%s",
                page.pk,
                name,
                type(error).__name__,
            )
            continue
        if isinstance(made, Mapping) and made.get("@type"):
            return made
    return None


def _makers(page: Any) -> dict[str, Callable[[], Any]]:
    makers: dict[str, Callable[[], Any]] = {}
    if callable(made := getattr(page, "to_schema_org", None)):
        makers["to_schema_org"] = made
    if callable(entity := getattr(page, "ld_entity", None)):
        makers["ld_entity"] = lambda: entity(anonymous_request(page))
    if hasattr(page, "seo_struct_article_dict"):
        makers["seo_struct_article_dict"] = lambda: page.seo_struct_article_dict
    return makers


def anonymous_request(page: Any) -> Any:
    """Return a request for this page as a visitor without a session would send it."""
    from wagtail.coreutils import get_dummy_request

    request = get_dummy_request(path=page.url or "/", site=page.get_site())
    request.user = AnonymousUser()
    request.session = {}
    return request


def breadcrumb(page: Any, root: Root) -> dict[str, Any] | None:
    """Return the pages from the root of the site down to this one, those that are live.

    Whoever may see a page may see what stands above it: restrictions are inherited.
    """
    above = page.get_ancestors().live().filter(path__startswith=root.path)
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
