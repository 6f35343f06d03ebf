"""Read a request in any dialect into the one model of a question."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import parse_qsl

from nlweb_ask.protocol import fields, json_body, values
from nlweb_ask.protocol.errors import (
    InvalidAction,
    InvalidParameter,
    InvalidRequest,
    MissingField,
    PayloadTooLarge,
    Refusal,
    UnsupportedVersion,
)
from nlweb_ask.protocol.fields import Fields
from nlweb_ask.protocol.negotiation import STREAMING_VERSIONS, wants_stream
from nlweb_ask.protocol.question import (
    NEWEST_VERSION,
    Limits,
    PromiseAction,
    Question,
    Version,
)
from nlweb_ask.protocol.versions import stated_version, version_of

__all__ = [
    "BODY_LIMIT",
    "STREAMING_VERSIONS",
    "RawRequest",
    "read_await",
    "read_question",
    "wants_stream",
]

BODY_LIMIT: Final = 65536  # bytes
MAX_SESSION_CONTEXT: Final = 4096  # bytes as compact JSON in UTF-8
MAX_RESULTS: Final = 100
MAX_CANDIDATES: Final = 1000
MAX_SCORE: Final = 100.0
MAX_OFFSET: Final = 1_000_000  # so that sums with it fit the integers of any database
DEFAULT_FORMAT: Final = "conv_search"

_FORM: Final = "application/x-www-form-urlencoded"
_MAX_FORM_FIELDS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRequest:
    """What the reader needs of a request, whatever framework it came through."""

    method: str = "POST"
    query: Sequence[tuple[str, str]] = ()  # of the URL, decoded, in its order
    body: bytes = b""
    content_type: str = ""
    accept: str = ""
    accept_language: str = ""


def read_question(
    raw: RawRequest, *, allow_legacy: bool = True, body_limit: int = BODY_LIMIT
) -> Question:
    """Return the question that `raw` asks.

    Raises:
        Refusal: The request cannot be understood; `version` and `query_id` are set as
            far as they are known, so that it can be refused in its own dialect.
    """
    members, is_flat = _members(raw, body_limit)
    version = "0.1" if is_flat else version_of(members)
    with _refusing_in(version, members):
        if version == "0.1" and not allow_legacy:
            msg = "Requests of version 0.1 are switched off here; POST a JSON object."
            raise UnsupportedVersion(msg)
        members.check_sections(*fields.SECTIONS)
        return _question(members, version, raw.accept_language)


def read_await(raw: RawRequest, *, body_limit: int = BODY_LIMIT) -> PromiseAction:
    """Return what `raw` asks of a promise.

    Raises:
        Refusal: The request cannot be understood.
    """
    members = Fields(_json_members(raw.body, body_limit))
    version = stated_version(members) or NEWEST_VERSION
    with _refusing_in(version, members):
        members.check_sections("meta")
        token = _promise_token(members.get("promise_token"))
        return PromiseAction(
            promise_token=token, action=_action(members.get("action")), version=version
        )


def _promise_token(value: Any) -> str:
    if value is not None and not isinstance(value, str):
        msg = "promise_token must be a string."
        raise InvalidRequest(msg)
    token = values.text(value)
    if token is None:
        msg = "promise_token is missing."
        raise MissingField(msg)
    return token


def _action(value: Any) -> Any:
    if value not in ("checkin", "cancel"):
        msg = "action must be checkin or cancel."
        details = {"parameter": "action", "expected_format": "checkin or cancel"}
        raise InvalidAction(msg, details=details)
    return value


@contextmanager
def _refusing_in(version: Version, members: Fields) -> Iterator[None]:
    """Let a refusal know the dialect that it is to be written in."""
    try:
        yield
    except Refusal as refusal:
        refusal.version = version
        refusal.query_id = values.query_id(members.get("query_id"))
        raise


def _members(raw: RawRequest, body_limit: int) -> tuple[Fields, bool]:
    """Return the members of a request and whether its form alone makes it 0.1."""
    if raw.method != "POST":
        with _refusing_in("0.1", Fields({})):
            return Fields(_url_members(raw, body_limit)), True
    in_url = _url_members(raw, body_limit)
    if _is_form(raw):
        with _refusing_in("0.1", Fields(in_url)):
            return Fields(in_url | _form_members(raw.body, body_limit)), True
    if not raw.body.strip() and "query" in in_url:
        return Fields(in_url), True
    return Fields(in_url | _json_members(raw.body, body_limit)), False


def _is_form(raw: RawRequest) -> bool:
    """Say whether the body is a form: `curl -d` labels JSON as one, too."""
    declared = raw.content_type.partition(";")[0].strip().lower() == _FORM
    return declared and not raw.body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _url_members(raw: RawRequest, limit: int) -> dict[str, Any]:
    _check_size(sum(len(name) + len(value) for name, value in raw.query), limit)
    try:
        "".join(name + value for name, value in raw.query).encode()
    except UnicodeEncodeError as error:
        msg = "The query string is not UTF-8."
        raise InvalidRequest(msg) from error
    return fields.from_pairs(raw.query)


def _form_members(body: bytes, limit: int) -> dict[str, Any]:
    _check_size(len(body), limit)
    try:
        pairs = parse_qsl(
            body.decode(),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MAX_FORM_FIELDS,
        )
    except ValueError as error:
        msg = "The body is not a form of UTF-8 fields."
        raise InvalidRequest(msg) from error
    return fields.from_pairs(pairs)


def _json_members(body: bytes, limit: int) -> dict[str, Any]:
    _check_size(len(body), limit)
    text = json_body.decode(body)
    if not text.strip():
        msg = "The body is empty; it must be a JSON object with a query."
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


def _question(members: Fields, version: Version, accept_language: str) -> Question:
    session_context = _session_context(members, version)
    return Question(
        text=_text(members),
        version=version,
        legacy_stream=version == "0.1" and _has_generate_mode(members),
        ask_family=version != "0.1" and members.get("meta.api_version") is not None,
        site=members.first(fields.SITE, values.sites) or (),
        item_type=_item_type(members),
        filters=_filters(members.section("query")),
        prev=members.first(fields.PREV, values.prev) or (),
        context_text=members.first(fields.CONTEXT_TEXT, values.text),
        memory=members.first(fields.MEMORY, values.memory) or (),
        decontextualized_query=_decontextualized_query(members),
        mode=members.first(fields.MODE, values.mode),
        streaming=members.first(fields.STREAMING, values.boolean),
        response_format=_response_format(members, version),
        language=members.first(fields.LANGUAGE, values.language),
        accepted_languages=values.preferred_languages(accept_language),
        session_context=session_context,
        query_id=values.query_id(members.get("query_id")),
        conversation_id=values.identifier(session_context.get("conversation_id")),
        limits=_limits(members),
    )


def _text(members: Fields) -> str:
    path = "query.text" if isinstance(members.get("query"), Mapping) else "query"
    value = members.get(path)
    if value is None:
        msg = f"The {path} is missing."
        raise MissingField(msg)
    if not isinstance(value, str):
        msg = f"{path} must be a string."
        raise InvalidRequest(msg)
    words = values.bounded_text(value, parameter=path)
    if words is None:
        msg = f"The {path} is blank."
        raise MissingField(msg)
    return words


def _has_generate_mode(members: Fields) -> bool:
    return values.text(members.get("generate_mode")) is not None


def _item_type(members: Fields) -> str | None:
    readings = (
        values.item_type(value, parameter=path)
        for path, value in members.present(fields.ITEM_TYPE)
    )
    return next((reading for reading in readings if reading), None)


def _filters(query: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        name: value
        for name, value in query.items()
        if value is not None and name not in fields.QUERY_FIELDS
    }


def _decontextualized_query(members: Fields) -> str | None:
    read = partial(values.bounded_text, parameter="decontextualized_query")
    return members.first(fields.DECONTEXTUALIZED, read)


def _response_format(members: Fields, version: Version) -> str | None:
    if version == "0.1":
        return None
    asked = members.first(fields.RESPONSE_FORMAT, values.response_format)
    return asked or DEFAULT_FORMAT


def _session_context(members: Fields, version: Version) -> Mapping[str, Any]:
    """Return the session as it came, with a `conversation_id` when there is one."""
    context = dict(_session_object(members.get("meta.session_context")))
    if values.identifier(context.get("conversation_id")) is None:
        conversation = values.identifier(members.get("meta.conversation_id"))
        if conversation is None and version == "0.1":
            conversation = values.query_id(members.get("query_id"))
        if conversation is not None:
            context["conversation_id"] = conversation
    _check_session_size(context)
    return context


def _session_object(value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return value
    msg = "meta.session_context must be an object."
    raise InvalidRequest(msg)


def _check_session_size(context: Mapping[str, Any]) -> None:
    compact = json.dumps(context, ensure_ascii=False, separators=(",", ":"))
    if len(compact.encode()) > MAX_SESSION_CONTEXT:
        parameter = "meta.session_context"
        msg = f"{parameter} is larger than {MAX_SESSION_CONTEXT} bytes."
        expected = f"at most {MAX_SESSION_CONTEXT} bytes of JSON"
        details = {"parameter": parameter, "expected_format": expected}
        raise InvalidParameter(msg, details=details)


def _limits(members: Fields) -> Limits:
    return Limits(
        max_results=_whole(members, "query.max_results", low=1, high=MAX_RESULTS),
        num_results=_whole(members, "query.num_results", low=1, high=MAX_CANDIDATES),
        min_score=_min_score(members),
        offset=_whole(members, "meta.start_num", low=0, high=MAX_OFFSET) or 0,
    )


def _whole(members: Fields, path: str, *, low: int, high: int) -> int | None:
    read = partial(values.whole_number, low=low, high=high, parameter=path)
    return members.first((path,), read)


def _min_score(members: Fields) -> float | None:
    path = "query.min_score"
    read = partial(values.decimal_number, low=0.0, high=MAX_SCORE, parameter=path)
    return members.first((path,), read)
