"""Does this request come from a page of another site?

A foreign call is answered as to the anonymous visitor, whatever cookie it carries.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.http import HttpRequest

# What a browser says of a request made by the site itself or by the person: a typed
# address, a bookmark.
OWN_FETCH_SITES = frozenset({"same-origin", "none"})
DEFAULT_PORTS = {"http": 80, "https": 443}

PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": "content-type, accept",
    "Access-Control-Max-Age": "600",
}


def is_foreign(request: HttpRequest) -> bool:
    """Say whether a page of another origin made this request.

    `Sec-Fetch-Site` comes first: browsers send no `Origin` with a cross-site image,
    script or frame. A request with neither header is no browser's, and not foreign.
    """
    fetch_site = request.headers.get("Sec-Fetch-Site")
    if fetch_site is not None and fetch_site not in OWN_FETCH_SITES:
        return True
    origin = request.headers.get("Origin")
    if origin is None:
        return False
    # Behind a proxy that ends TLS the scheme may look like http here; a browser that
    # vouches for the same origin has compared it already.
    return not _is_own_origin(request, origin, any_scheme=fetch_site is not None)


def keep_cors_ours(request: HttpRequest) -> None:
    """Keep django-cors-headers, where a site has it, from adding to this response.

    It would echo the origin and, with `CORS_ALLOW_CREDENTIALS`, let a page of another
    site read what the session may see. Its signal can only switch it on, and its
    `CORS_URLS_REGEX` is the site's own, so this sets what its middleware looks at on
    the way out; a test runs the real one.
    """
    request._cors_enabled = False  # type: ignore[attr-defined]


def _is_own_origin(request: HttpRequest, origin: str, *, any_scheme: bool) -> bool:
    theirs = _split_origin(origin)
    if theirs is None:
        return False
    scheme = theirs[0] if any_scheme else request.scheme or "http"
    return theirs == _split_origin(f"{scheme}://{request.get_host()}")


def _split_origin(origin: str) -> tuple[str, str, int] | None:
    """Return scheme, host and port of `origin`, or None for `null` and for junk."""
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        return None
    return parts.scheme, parts.hostname, port or DEFAULT_PORTS[parts.scheme]
