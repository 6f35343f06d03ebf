"""A Django request as the protocol's reader wants it."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _
from rest_framework.parsers import BaseParser

from nlweb_ask.protocol.errors import InvalidRequest
from nlweb_ask.protocol.raw import MAX_FIELDS, RawRequest
from nlweb_ask.web.streaming import is_async


class UnreadBody(BaseParser):
    """Leaves every body to the protocol's reader.

    An authentication class may look into `request.POST`, as those of OAuth do. Without
    a parser for it DRF would refuse the request, and with one of its own it would read
    and refuse by other rules than ours.
    """

    media_type = "*/*"

    def parse(self, *_args: Any, **_kwargs: Any) -> QueryDict:
        return QueryDict()


def keep_body(request: HttpRequest, body: bytes) -> None:
    """Keep what was read, for an authentication class that verifies a signature of it."""
    if request.method == "POST":
        request._body = body  # where Django keeps what `request.body` has read


def raw_request(request: HttpRequest, body: bytes) -> RawRequest:
    # A HEAD is read like the GET that it stands for.
    method = "GET" if request.method == "HEAD" else request.method
    return RawRequest(
        method=method or "",
        query=query_pairs(request),
        body=body,
        content_type=request.headers.get("Content-Type", ""),
        accept=request.headers.get("Accept", ""),
        accept_language=request.headers.get("Accept-Language", ""),
    )


def query_pairs(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the fields of the URL in their order.

    Not `request.GET`: it puts other characters where the bytes are not UTF-8, and then
    another question would be answered than was asked. Here they become lone
    surrogates, which the reader refuses.
    """
    text: str = request.META.get("QUERY_STRING", "")
    if not is_async(request):  # WSGI hands over bytes dressed as Latin-1
        text = text.encode("latin-1", "replace").decode("utf-8", "surrogateescape")
    try:
        return parse_qsl(
            text,
            keep_blank_values=True,
            errors="surrogateescape",
            max_num_fields=MAX_FIELDS,
        )
    except ValueError as error:
        msg = _("The address has too many fields.")
        raise InvalidRequest(msg) from error
