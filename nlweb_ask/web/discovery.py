"""Where a page of the site says that the site can be asked: a link of the kind `nlweb`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.core.exceptions import DisallowedHost
from django.db import DatabaseError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import NoReverseMatch, reverse

from nlweb_ask.conf import is_switched_on
from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.sources.sites import site_id_for_host

RELATION: Final = 'rel="nlweb"'

Response = HttpResponseBase | Awaitable[HttpResponseBase]


class LinkHeaderMiddleware:
    """Adds `Link: </ask>; rel="nlweb"` to the site's pages; optional.

    It says only that there is such an address, the same to everybody, so it reads no
    session and keeps no page out of a shared cache. Whether this visitor may ask is
    said by the address itself.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Response]) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Response:
        response = self.get_response(request)
        if self.is_async:
            return _linked_later(request, cast("Awaitable[HttpResponseBase]", response))
        return _linked(request, cast("HttpResponseBase", response))


async def _linked_later(
    request: HttpRequest, awaited: Awaitable[HttpResponseBase]
) -> HttpResponseBase:
    response = await awaited
    # Another thread is worth its cost for a page only.
    return (
        await sync_to_async(_linked)(request, response)
        if _lacks(request, response)
        else response
    )


def _linked(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if _lacks(request, response) and (address := _address(request)):
        link = f"<{address}>; {RELATION}"
        before = response.get("Link")
        response["Link"] = f"{before}, {link}" if before else link
    return response


def _lacks(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Say whether `response` is a page without the link; one from a cache may have it."""
    if request.method not in ("GET", "HEAD"):
        return False  # says what was done, or may be
    kind = response.get("Content-Type", "").partition(";")[0].strip().lower()
    is_page = response.status_code == 200 and kind == "text/html"
    return is_page and RELATION not in response.get("Link", "")


def _address(request: HttpRequest) -> str:
    """Return the address of `/ask`, or "" where nothing answers there."""
    try:
        site_id = site_id_for_host(request.get_host())
        if site_id is None or not is_switched_on(site_id):
            return ""
        return reverse("nlweb_ask:ask", urlconf=getattr(request, "urlconf", None))
    except (DisallowedHost, NoReverseMatch):
        return ""
    except DatabaseError as error:
        # A page that was made without the database is not lost for want of a header.
        log_failure("link header", error)
        return ""
