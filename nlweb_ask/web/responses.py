"""Responses of the endpoints, with the headers that every one of them carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from nlweb_ask.protocol.writers.encoding import dumps

JSON = "application/json"
EVENT_STREAM = "text/event-stream"

VARY = "Accept, Accept-Language, Cookie, Authorization, Origin, Sec-Fetch-Site"
NEVER_STORED = "private, no-store"


def json_response(document: Mapping[str, Any], *, status: int = 200) -> HttpResponse:
    return document_response(status, dumps(document))


def document_response(status: int, document: bytes) -> HttpResponse:
    return HttpResponse(document, status=status, content_type=JSON)


def stream_response(chunks: Any) -> StreamingHttpResponse:
    """Return a stream of `chunks`, a sync or an async iterator by the kind of request."""
    response = StreamingHttpResponse(chunks, content_type=EVENT_STREAM)
    response["Cache-Control"] = f"{NEVER_STORED}, no-transform"
    # Keeps Django's gzip middleware from holding events back (before 6.1).
    response["Content-Encoding"] = "identity"
    response["X-Accel-Buffering"] = "no"  # the same for nginx
    return response


def set_headers(response: HttpResponseBase, headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        response[name] = value


def seal(response: HttpResponseBase, *, open_to_all: bool) -> None:
    """Add what every response of the endpoints carries.

    With `open_to_all` pages of other sites may read it, as an anonymous visitor would.
    """
    response.headers.setdefault("Cache-Control", NEVER_STORED)
    response["Vary"] = VARY
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'"
    policy = "cross-origin" if open_to_all else "same-origin"
    response["Cross-Origin-Resource-Policy"] = policy
    if open_to_all:
        response["Access-Control-Allow-Origin"] = "*"
        # Scripts of other sites see few headers of themselves; when to come back is one
        # they need.
        response["Access-Control-Expose-Headers"] = "Retry-After"
