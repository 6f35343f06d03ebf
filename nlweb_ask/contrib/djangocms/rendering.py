"""The placeholders of a page as a visitor reads them who has not signed in."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any
from wsgiref.util import setup_testing_defaults

from django.contrib.auth.models import AnonymousUser
from django.core.handlers.wsgi import WSGIRequest
from django.utils import translation


def rendered(content: Any, slots: Collection[str], url: str) -> list[str]:
    """Return the HTML of each of these placeholders of a row of `PageContent`.

    In the order of `slots`. Nothing is taken from the CMS's cache, or put into it.
    """
    from cms.models import Placeholder
    from sekizai.context import SekizaiContext

    in_slots = {row.slot: row for row in Placeholder.objects.get_for_obj(content)}
    request = anonymous_request(content, url)
    renderer = request.toolbar.content_renderer
    with translation.override(content.language), nobody_signed_in():
        return [
            renderer.render_placeholder(
                in_slots[slot],
                SekizaiContext({"request": request}),
                language=content.language,
                page=content,
                use_cache=False,
            )
            for slot in slots
            if slot in in_slots
        ]


def anonymous_request(content: Any, url: str) -> Any:
    """Return a request for this page as a visitor without a session would send it."""
    from cms.toolbar.toolbar import EmptyToolbar

    site = content.page.site
    environ: dict[str, Any] = {"PATH_INFO": url, "HTTP_HOST": site.domain}
    setup_testing_defaults(environ)
    request: Any = WSGIRequest(environ)
    request.user = AnonymousUser()
    request.session = {}
    request.site = site
    request.LANGUAGE_CODE = content.language
    request.current_page = content.page
    request.toolbar = EmptyToolbar(request)
    return request


@contextmanager
def nobody_signed_in() -> Iterator[None]:
    """Hide whoever edits: the CMS keeps the user of the request for plug-ins to read."""
    from cms.utils.permissions import reset_current_user, set_current_user

    token = set_current_user(AnonymousUser())
    try:
        yield
    finally:
        reset_current_user(token)
