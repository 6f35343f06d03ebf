"""A request as it arrives, and its members out of URL, form or JSON, all bounded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl

from nlweb_ask.protocol import fields, json_body, values
from nlweb_ask.protocol.errors import (
    InvalidRequest,
    MissingField,
    PayloadTooLarge,
    Refusal,
)
from nlweb_ask.protocol.fields import Fields
from nlweb_ask.protocol.multipart import MULTIPART, text_fields
from nlweb_ask.protocol.question import Version

MAX_FIELDS: Final = 1000  # of a form or of a URL

_FORM: Final = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRequest:
    """What the reader needs of a request, whatever framework it came through."""

    method: str = "POST"
    query: Sequence[tuple[str, str]] = ()  # of the URL, decoded, in its order
    body: bytes = b""
    content_type: str = ""
    accept: str = ""
    accept_language: str = ""


@contextmanager
def refusing_in(version: Version, members: Fields) -> Iterator[None]:
    """Let a refusal know the dialect that it is to be written in."""
    try:
        yield
    except Refusal as refusal:
        refusal.version = version
        refusal.query_id = values.query_id(members.get("query_id"))
        raise


def members_of(raw: RawRequest, body_limit: int) -> tuple[Fields, bool]:
    """Return the members of a request and whether its form alone makes it 0.1."""
    if raw.method != "POST":
        with refusing_in("0.1", Fields({})):
            return Fields(_url_members(raw, body_limit)), True
    in_url = _url_members(raw, body_limit)
    if _is_form(raw):
        with refusing_in("0.1", Fields(in_url)):
            return Fields(in_url | _form_members(raw, body_limit)), True
    if not raw.body.strip() and "query" in in_url:
        return Fields(in_url), True
    return Fields(in_url | json_members(raw.body, body_limit)), False


def _is_form(raw: RawRequest) -> bool:
    """Say whether the body is a form: `curl -d` labels JSON as one, too."""
    declared = _media_type(raw) in {_FORM, MULTIPART}
    return declared and not raw.body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _media_type(raw: RawRequest) -> str:
    return raw.content_type.partition(";")[0].strip().lower()


def _url_members(raw: RawRequest, limit: int) -> dict[str, Any]:
    _check_size(sum(len(name) + len(value) for name, value in raw.query), limit)
    try:
        "".join(name + value for name, value in raw.query).encode()
    except UnicodeEncodeError as error:
        msg = "The query string is not UTF-8."
        raise InvalidRequest(msg) from error
    return fields.from_pairs(raw.query)


def _form_members(raw: RawRequest, limit: int) -> dict[str, Any]:
    _check_size(len(raw.body), limit)
    if _media_type(raw) == MULTIPART:
        pairs = text_fields(raw.body, raw.content_type, MAX_FIELDS)
    else:
        pairs = _encoded_pairs(raw.body)
    return fields.from_pairs(pairs)


def _encoded_pairs(body: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(
            body.decode(),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MAX_FIELDS,
        )
    except ValueError as error:
        msg = "The body is not a form of UTF-8 fields."
        raise InvalidRequest(msg) from error


def json_members(body: bytes, limit: int) -> dict[str, Any]:
    _check_size(len(body), limit)
    text = json_body.decode(body)
    if not text.strip():
        msg = "The body is empty; it must be a JSON object."
        raise MissingField(msg)
    document = json_body.parse(text)
    if not isinstance(document, dict):
        msg = "The body must be a JSON object."
        raise InvalidRequest(msg)
    return {name: value for name, value in document.items() if value is not None}


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        msg = f"The request is larger than {limit} bytes."
        raise PayloadTooLarge(msg)
