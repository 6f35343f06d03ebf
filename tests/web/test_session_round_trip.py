from __future__ import annotations

import json
import os
import threading
from contextlib import suppress

import pytest
from django.contrib.auth.models import AnonymousUser
from hypothesis import given, settings
from hypothesis import strategies as st

from nlweb_ask.conf import SiteConf
from nlweb_ask.pipeline.ask import AskScope
from nlweb_ask.pipeline.run import begin
from nlweb_ask.plugins.types import Viewer
from nlweb_ask.protocol.errors import Refusal
from nlweb_ask.protocol.reader import RawRequest, read_question
from tests.protocol import legal_requests as legal

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "200"))


def answered(ask, meta):
    return ask({"query": {"text": "tide"}, "meta": meta}).json()["_meta"]


@pytest.mark.parametrize(
    ("meta", "conversation"),
    [
        pytest.param({"session_context": {"conversation_id": "c"}}, "c", id="said"),
        pytest.param({"session_context": {"conversation_id": 7}}, "7", id="a-number"),
        pytest.param({"conversation_id": "d"}, "d", id="0.5"),
        pytest.param(
            {"conversation_id": "d", "session_context": {"conversation_id": "c"}},
            "c",
            id="the-session-wins",
        ),
        pytest.param(
            {"conversation_id": "d", "session_context": {"conversation_id": None}},
            "d",
            id="null-is-absent",
        ),
    ],
)
def test_conversation_keeps_its_name(ask, articles, meta, conversation):
    told = answered(ask, meta)

    assert told["conversation_id"] == conversation
    assert told["session_context"] == {"conversation_id": conversation}


@pytest.mark.parametrize(
    "meta",
    [{}, {"session_context": {"conversation_id": ["c"]}}, {"conversation_id": " "}],
    ids=["none", "unreadable", "blank"],
)
def test_conversation_without_a_name_gets_a_new_one(ask, articles, meta):
    first, second = answered(ask, meta), answered(ask, meta)

    assert first["conversation_id"] != second["conversation_id"]
    assert first["session_context"] == {"conversation_id": first["conversation_id"]}


def test_what_the_caller_keeps_in_the_session_comes_back_in_document_and_stream(
    ask, articles
):
    kept = {"conversation_id": "c", "state": {"a": [1, None, "é"]}, "": 0}
    body = {"query": {"text": "tide"}, "meta": {"session_context": kept}}

    document = ask(body).json()
    stream = b"".join(ask(body, Accept="text/event-stream").streaming_content).decode()

    complete = stream.split("event: complete\ndata: ")[1].split("\n")[0]
    assert document["_meta"]["session_context"] == kept
    assert json.loads(complete)["_meta"]["session_context"] == kept


@pytest.mark.parametrize(("length", "status"), [(4000, 200), (4096, 400)])
def test_session_over_4_kib_is_refused(ask, articles, length, status):
    meta = {"session_context": {"conversation_id": "c", "state": "x" * length}}

    response = ask({"query": {"text": "tide"}, "meta": meta})

    assert response.status_code == status
    if status == 400:
        assert response.json()["error"]["code"] == "INVALID_PARAMETER"
        assert "xxx" not in response.content.decode()


def size(context):
    return len(json.dumps(context, ensure_ascii=False, separators=(",", ":")).encode())


@pytest.mark.parametrize("of_4_kib", [4030, 4050, 4095, 4096])
def test_largest_session_comes_back_and_is_taken_again(ask, articles, of_4_kib):
    """The answer adds the name of the conversation."""
    kept = {"k": "x" * (of_4_kib - size({"k": ""}))}
    assert size(kept) == of_4_kib

    first = answered(ask, {"session_context": kept})
    again = answered(ask, {"session_context": first["session_context"]})

    assert again["session_context"] == first["session_context"]
    assert size(again["session_context"]) > 4096 or of_4_kib < 4050


def test_long_name_of_a_conversation_is_part_of_the_session(ask, articles):
    meta = {"session_context": {"conversation_id": "c" * 4096}}

    response = ask({"query": {"text": "tide"}, "meta": meta})

    assert response.json()["error"]["code"] == "INVALID_PARAMETER"


def test_session_keeps_the_order_of_its_keys(ask, articles):
    told = answered(ask, {"session_context": {"conversation_id": 7, "a": 1}})

    assert list(told["session_context"].items()) == [("conversation_id", "7"), ("a", 1)]


def test_blank_name_of_a_conversation_is_none(ask, articles):
    told = answered(ask, {"session_context": {"conversation_id": " ", "a": 1}})

    assert told["conversation_id"].strip()
    assert told["session_context"]["conversation_id"] == told["conversation_id"]


@pytest.mark.property
@settings(max_examples=EXAMPLES, deadline=None)
@given(
    context=st.dictionaries(st.text(max_size=8), legal.free, max_size=3),
    named=st.none() | st.text(max_size=300) | st.integers() | st.floats(0, 1e30),
    outside=st.none() | st.text(max_size=300),
    of_bytes=st.integers(3900, 4400),
    version=st.sampled_from(["0.1", "0.5", "0.54", "0.55"]),
)
def test_session_that_was_answered_is_read_again_and_again(
    context, named, outside, of_bytes, version
):
    """Around the limit: what the answer adds must not make it too large to come back."""
    context = {**context, "k": ""}
    if named is not None:
        context["conversation_id"] = named
    context["k"] = "x" * max(0, of_bytes - size(context))
    meta = {"session_context": context, "conversation_id": outside, "version": version}
    with suppress(Refusal):
        answered = answered_session(meta)
        for _ in range(3):
            back = json.loads(json.dumps(answered))
            again = must_read({"session_context": back, "version": version})
            assert again == answered


def must_read(meta):
    try:
        return answered_session(meta)
    except Refusal as refusal:
        pytest.fail(f"{refusal.code}: {refusal}")


def answered_session(meta):
    """Return the session of the answer to a question with this `meta`."""
    body = {"query": {"text": "tide"}, "meta": meta}
    question = read_question(RawRequest(body=json.dumps(body).encode()))
    scope = AskScope(conf=SiteConf(site_id=0), profiles=())
    viewer = Viewer(user=AnonymousUser())
    run = begin(question, viewer, scope, stop=threading.Event())
    return run.complete().session_context
