"""Read a request in any dialect into the one model of a question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from nlweb_ask.protocol import fields, values
from nlweb_ask.protocol.errors import (
    InvalidAction,
    InvalidParameter,
    InvalidRequest,
    MissingField,
    UnsupportedVersion,
)
from nlweb_ask.protocol.fields import Fields
from nlweb_ask.protocol.negotiation import STREAMING_VERSIONS, wants_stream
from nlweb_ask.protocol.question import (
    DEFAULT_FORMAT,
    NEWEST_VERSION,
    Limits,
    PromiseAction,
    Question,
    Version,
)
from nlweb_ask.protocol.raw import RawRequest, json_members, members_of, refusing_in
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
# Names of conversations up to here are not counted as a part of the session.
MAX_CONVERSATION_ID: Final = 256  # bytes as JSON in UTF-8
MAX_RESULTS: Final = 100
MAX_CANDIDATES: Final = 1000
MAX_SCORE: Final = 100.0
MAX_OFFSET: Final = 1_000_000  # so that sums with it fit the integers of any database


def read_question(
    raw: RawRequest, *, allow_legacy: bool = True, body_limit: int = BODY_LIMIT
) -> Question:
    """Return the question that `raw` asks.

    Raises:
        Refusal: The request cannot be understood; `version` and `query_id` are set as
            far as they are known, so that it can be refused in its own dialect.
    """
    members, is_flat = members_of(raw, body_limit)
    version = "0.1" if is_flat else version_of(members)
    with refusing_in(version, members):
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
    members = Fields(json_members(raw.body, body_limit))
    version = stated_version(members) or NEWEST_VERSION
    with refusing_in(version, members):
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
        msg = "The query has no text." if "." in path else "The query is missing."
        raise MissingField(msg)
    if not isinstance(value, str):
        msg = f"{path} must be a string."
        raise InvalidRequest(msg)
    words = values.bounded_text(value, parameter=path)
    if words is None:
        subject = "text of the query" if "." in path else "query"
        msg = f"The {subject} is blank."
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
    said = values.identifier(context.get("conversation_id"))
    conversation = said or _conversation(members, version)
    if conversation is not None:
        context["conversation_id"] = conversation
    _check_session_size(context)
    if conversation is None:
        # What is no name is answered with a new one in its place.
        context.pop("conversation_id", None)
    return context


def _conversation(members: Fields, version: Version) -> str | None:
    """Return the conversation that is named outside of the session."""
    named = values.identifier(members.get("meta.conversation_id"))
    if named is None and version == "0.1":
        return values.query_id(members.get("query_id"))
    return named


def _session_object(value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return value
    msg = "meta.session_context must be an object."
    raise InvalidRequest(msg)


def _check_session_size(context: Mapping[str, Any]) -> None:
    """Refuse a large session, but none that was answered: an answer names a conversation."""
    counted = {
        name: value
        for name, value in context.items()
        if name != "conversation_id" or _size(value) > MAX_CONVERSATION_ID
    }
    if _size(counted) > MAX_SESSION_CONTEXT:
        parameter = "meta.session_context"
        msg = f"{parameter} is larger than {MAX_SESSION_CONTEXT} bytes."
        expected = f"at most {MAX_SESSION_CONTEXT} bytes of JSON"
        details = {"parameter": parameter, "expected_format": expected}
        raise InvalidParameter(msg, details=details)


def _size(value: Any) -> int:
    return len(_compact(value).encode())


# `json.dumps` would make an encoder each time.
_compact: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


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
