"""Whatever is sent: a question, or a refusal that can be written down."""

from __future__ import annotations

import json
import os
import unicodedata
from dataclasses import replace
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nlweb_ask.protocol.errors import Refusal
from nlweb_ask.protocol.question import MODES
from nlweb_ask.protocol.reader import (
    RawRequest,
    read_await,
    read_question,
    wants_stream,
)
from nlweb_ask.protocol.writers import dumps, failure_document
from tests.protocol import legal_requests as legal

pytestmark = pytest.mark.property

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "400"))

many = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

CONTENT_TYPES = ["application/json", "application/x-www-form-urlencoded", "", "x;;="]
NAMES = [
    "query",
    "text",
    "site",
    "itemType",
    "type",
    "prev",
    "context",
    "memory",
    "prefer",
    "return_response",
    "meta",
    "mode",
    "generate_mode",
    "streaming",
    "response_format",
    "format",
    "accept-language",
    "lang",
    "version",
    "api_version",
    "session_context",
    "conversation_id",
    "query_id",
    "num_results",
    "max_results",
    "min_score",
    "start_num",
    "decontextualized_query",
    "promise_token",
    "action",
]

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["list, summarize", "0.54", "[1", '["a"]', "all", "cancel"])
)
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(), inner, max_size=6)
    ),
    max_leaves=8,
)
bodies = st.binary() | anything.map(lambda value: json.dumps(value).encode())
# Mostly the shape of a request, with anything in its places.
requests_in_shape = st.dictionaries(
    st.sampled_from(NAMES),
    anything | st.dictionaries(st.sampled_from(NAMES), anything, max_size=6),
    max_size=8,
).map(lambda value: json.dumps(value).encode())
promises_in_shape = st.fixed_dictionaries(
    {}, optional={"promise_token": anything, "action": anything, "meta": anything}
).map(lambda value: json.dumps(value).encode())
pairs = st.lists(st.tuples(st.sampled_from(NAMES) | st.text(), st.text()), max_size=6)
raw_requests = st.builds(
    RawRequest,
    method=st.sampled_from(["GET", "POST", "HEAD", ""]),
    query=pairs,
    body=bodies | requests_in_shape,
    content_type=st.sampled_from(CONTENT_TYPES) | st.text(),
    accept=st.text(),
    accept_language=st.text(),
)


def outcome(read, raw):
    """What was read, or the refusal."""
    try:
        return read(raw)
    except Refusal as refusal:
        return refusal


def can_be_written(refusal):
    return 400 <= refusal.status < 500 and dumps(failure_document(refusal))


def assert_within_bounds(limits):
    assert limits.max_results is None or 1 <= limits.max_results <= 100
    assert limits.num_results is None or 1 <= limits.num_results <= 1000
    assert limits.min_score is None or 0 <= limits.min_score <= 100
    assert 0 <= limits.offset <= 1_000_000


@many
@given(raw_requests)
@example(RawRequest(body=b"[" * 16_384))
@example(RawRequest(body=b'{"query":"a","prev":"' + b"[" * 16_000 + b'"}'))
def test_any_request_is_read_or_refused(raw):
    question = outcome(read_question, raw)

    if isinstance(question, Refusal):
        assert can_be_written(question)
        return
    assert question.text.strip() == question.text != ""
    assert "\x00" not in question.text
    assert len(unicodedata.normalize("NFKC", question.search_text)) <= 1000
    assert question.mode in (None, *MODES)
    assert len(question.prev) <= 10
    assert_within_bounds(question.limits)
    assert dumps({"echo": question.session_context, "filters": question.filters})
    assert wants_stream(question, raw.accept) in (True, False)


@many
@given(bodies | promises_in_shape)
def test_any_await_request_is_read_or_refused(body):
    action = outcome(read_await, RawRequest(body=body))

    if isinstance(action, Refusal):
        assert can_be_written(action)
    else:
        assert action.promise_token.strip() == action.promise_token != ""


@many
@given(body=legal.bodies)
def test_legal_body_is_never_refused(body):
    question = read_question(RawRequest(body=json.dumps(body).encode()))

    asked = body["query"]
    text = asked if isinstance(asked, str) else asked["text"]
    assert question.text == text.strip()
    assert (question.version == "0.1") is isinstance(asked, str)


@many
@given(pairs=legal.pairs)
def test_legal_query_string_and_legal_form_are_never_refused(pairs):
    in_url = read_question(RawRequest(method="GET", query=pairs))
    in_body = read_question(
        RawRequest(body=urlencode(pairs).encode(), content_type=legal.FORM)
    )

    assert (in_url.text, in_url.version) == (pairs[0][1].strip(), "0.1")
    assert in_body == in_url


@many
@given(body=legal.promises)
def test_legal_await_request_is_never_refused(body):
    action = read_await(RawRequest(body=json.dumps(body).encode()))

    assert action.promise_token == body["promise_token"].strip()
    assert action.action == body["action"]


@many
@given(body=legal.structured_bodies, junk=st.sampled_from(NAMES) | st.text())
def test_null_counts_as_absent_and_unknown_keys_as_nothing(body, junk):
    known = {"query", "context", "prefer", "return_response", "meta"}
    with_nulls = body | {name: None for name in known if name not in body}
    unknown = {f"x-{junk}": junk, "prefer": (body.get("prefer") or {}) | {"x": junk}}

    readings = [
        read_question(RawRequest(body=json.dumps(written).encode()))
        for written in (body, with_nulls | unknown)
    ]

    # `return_response` without `prefer` is what tells 0.5 from 0.55.
    same = [replace(reading, version="0.55") for reading in readings]
    assert same[0] == same[1]
