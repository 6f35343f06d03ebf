from __future__ import annotations

import json

import pytest


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
