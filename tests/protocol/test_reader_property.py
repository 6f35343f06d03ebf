"""Whatever is sent: a question, or a refusal that can be written down."""

from __future__ import annotations

import json
import os
import unicodedata

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
    max_leaves=20,
)
bodies = st.binary() | anything.map(lambda value: json.dumps(value).encode())
# Mostly the shape of a request, with anything in its places.
requests_in_shape = st.dictionaries(
    st.sampled_from(NAMES),
    anything | st.dictionaries(st.sampled_from(NAMES), anything, max_size=6),
    max_size=8,
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
    assert dumps({"echo": question.session_context, "filters": question.filters})
    assert wants_stream(question, raw.accept) in (True, False)


@many
@given(bodies | requests_in_shape)
def test_any_await_request_is_read_or_refused(body):
    action = outcome(read_await, RawRequest(body=body))

    if isinstance(action, Refusal):
        assert can_be_written(action)
    else:
        assert action.promise_token.strip() == action.promise_token != ""


# Legal requests, as their schemas have them

words = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1)
texts = st.text(st.characters(codec="utf-8"), max_size=50)
strings = st.none() | texts | st.lists(texts, max_size=4)
whole = st.none() | st.integers() | st.integers().map(str)
free = st.none() | texts | st.integers() | st.lists(texts, max_size=2)


def section(required=None, **optional):
    return st.fixed_dictionaries(required or {}, optional=optional)


query_sections = section(
    {"text": words},
    site=strings,
    itemType=strings,
    type=strings,
    decontextualized_query=st.none() | texts,
    num_results=whole,
    max_results=whole,
    min_score=whole,
    location=free,
    price=free,
)
earlier = texts | st.dictionaries(st.just("query"), texts)
contexts = section(
    prev=st.none() | texts | st.lists(earlier, max_size=15),
    text=st.none() | texts,
    memory=strings,
)
switches = st.none() | st.booleans() | st.integers() | texts
preferences = section(
    **{"accept-language": st.none() | texts, "user-agent": st.none() | texts},
    streaming=switches,
    response_format=strings,
    mode=st.none() | texts,
)
sessions = st.dictionaries(texts, free, max_size=3)
metas = section(
    version=st.none() | texts | st.floats(allow_nan=False, allow_infinity=False),
    api_version=st.none() | texts,
    session_context=st.none() | sessions,
    start_num=whole,
)
structured = section(
    {"query": query_sections},
    context=st.none() | texts | contexts,
    prefer=st.none() | preferences,
    return_response=st.none() | preferences,
    meta=st.none() | metas,
    x_future=free,
)
flat = section(
    {"query": words},
    site=strings,
    prev=st.none() | texts | st.lists(earlier, max_size=15),
    decontextualized_query=st.none() | texts,
    streaming=switches,
    query_id=st.none() | texts | st.integers(),
    mode=st.none() | texts,
    generate_mode=st.none() | texts,
)


@many
@given(body=structured | flat)
def test_legal_body_is_never_refused(body):
    question = read_question(RawRequest(body=json.dumps(body).encode()))

    asked = body["query"]
    text = asked if isinstance(asked, str) else asked["text"]
    assert question.text == text.strip()
    assert (question.version == "0.1") is isinstance(asked, str)


@many
@given(text=words, rest=st.lists(st.tuples(texts, texts), max_size=6))
def test_legal_query_string_is_never_refused(text, rest):
    others = [pair for pair in rest if pair[0] != "query"]

    question = read_question(RawRequest(method="GET", query=[("query", text), *others]))

    assert (question.text, question.version) == (text.strip(), "0.1")
