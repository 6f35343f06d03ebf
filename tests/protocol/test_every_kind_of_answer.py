"""Every kind of answer in every dialect, as document and as stream, holds its schema."""

from __future__ import annotations

import json

import pytest

from tests.protocol.fixture_files import kind_of
from tests.protocol.replays_over_http import check_answer, meta_of, results_of
from tests.protocol.site_of_the_fixtures import (
    BREAKS_OFF,
    EXITS,
    LAZY_SENTENCE,
    WRONG_SENTENCE,
)

pytestmark = pytest.mark.django_db(transaction=True)

ANSWER = "schemas/response-answer.json"

# The members that mark a dialect, and the schemas of its answers and messages.
DIALECTS = {
    "0.1": ({}, "schemas/response-answer-0.1.json"),
    "0.1-generate_mode": ({}, "schemas/response-answer-0.1.json"),
    "0.5": ({"meta": {"version": "0.5"}}, "schemas/response-answer-0.5.json"),
    "0.54": ({"meta": {"version": "0.54"}}, ANSWER),
    "0.54-api_version": ({"meta": {"api_version": "0.54"}}, ANSWER),
    "0.55": ({"meta": {"version": "0.55"}}, ANSWER),
    "chatgpt_app": (
        {"prefer": {"response_format": "chatgpt_app"}},
        "schemas/response-answer-chatgpt.json",
    ),
}
KINDS = {
    "list": ("lentil soup", "list"),
    "summary": ("lentil soup", "summarize"),
    "generated": ("lentil soup", "generate"),
    "nothing-found": ("xylophone", "list"),
    "nothing-to-write-of": ("xylophone", "generate"),
    "elicitation": ("I need something for dinner", "list"),
    "promise": ("soup that takes long", "list"),
    "failure": ("soup that fails", "list"),
    "broken-off": (BREAKS_OFF, "generate"),
    "wrong-sentence": (WRONG_SENTENCE, "generate"),
    "wrong-summary": (WRONG_SENTENCE, "summarize"),
    "lazy-sentence": (LAZY_SENTENCE, "generate"),
    "lazy-summary": (LAZY_SENTENCE, "summarize"),
    "program-ended": (EXITS, "generate"),
}
WRITTEN = {"summary", "generated", "lazy-sentence", "lazy-summary"}
ENDINGS = {
    "elicitation": "elicitation",
    "promise": "promise",
    "failure": "failure",
    "broken-off": "failure",
    "wrong-sentence": "failure",
    "wrong-summary": "failure",
    "program-ended": "failure",
}
BROKEN = {"broken-off", "wrong-sentence", "wrong-summary", "program-ended"}

TERMINALS = {"complete"}


def body(dialect, text, mode, *, streaming):
    if dialect == "0.1":
        return {"query": text, "mode": mode, "streaming": streaming}
    if dialect == "0.1-generate_mode":
        return {"query": text, "generate_mode": mode, "streaming": streaming}
    marks, _ = DIALECTS[dialect]
    preferences = {"mode": mode, "streaming": streaming} | marks.get("prefer", {})
    return marks | {"query": {"text": text}, "prefer": preferences}


def response_type(dialect, kind):
    """0.1 has no elicitations and makes no promises."""
    ending = ENDINGS.get(kind, "answer")
    flat = {"elicitation": "answer", "promise": "failure"}
    return flat.get(ending, ending) if dialect.startswith("0.1") else ending


def schema_of(dialect, kind, *, streaming):
    if streaming:
        return (
            "schemas/sse-0.1-message.json"
            if dialect.startswith("0.1")
            else "schemas/sse-named-event.json"
        )
    ending = response_type(dialect, kind)
    answer = DIALECTS[dialect][1]
    return answer if ending == "answer" else f"schemas/response-{ending}.json"


def text_of(answer):
    """Return the text written, wherever a dialect has it."""
    if isinstance(answer, dict):
        content = [item.get("text", "") for item in answer.get("content", [])]
        rows = [row.get("schema_object", {}) for row in answer.get("results", [])]
        return "".join(content + [row.get("text", "") for row in rows])
    items = [data.get("item", data) for _, data in answer]
    return "".join(item.get("text", "") for item in items)


@pytest.mark.parametrize("streaming", [False, True], ids=["document", "stream"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_answer_holds_the_schema_of_its_kind(fixtures_site, dialect, kind, streaming):
    text, mode = KINDS[kind]
    asked = body(dialect, text, mode, streaming=streaming)

    response = fixtures_site.client.post(
        "/ask", json.dumps(asked), content_type="application/json"
    )

    expected = response_type(dialect, kind)
    promised = expected == "promise" and not streaming
    assert response.status_code == (202 if promised else 200)
    answer = check_answer(response, schema_of(dialect, kind, streaming=streaming))
    said = meta_of(answer).get("response_type", "answer")
    # The stream of 0.1 says `nlws` in any case, and tells a failure in a message.
    if said == "nlws":
        has_error = "error" in {kind_of(message) for message in answer}
        said = "failure" if has_error else "answer"
    assert said == expected
    assert bool(results_of(answer)) == (
        kind in {"list", *WRITTEN, *BROKEN}
        or (
            dialect.startswith("0.1") and kind in {"nothing-to-write-of", "elicitation"}
        )
    )
    if kind in WRITTEN:
        assert text_of(answer).endswith("That is all.")
    if streaming:
        assert len([name for name in map(kind_of, answer) if name in TERMINALS]) == 1
    assert "regret" not in json.dumps(answer)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_summary_is_in_the_metadata_of_structured_answers(fixtures_site, dialect):
    for mode in ("summarize", "generate", "list"):
        asked = body(dialect, "lentil soup", mode, streaming=False)
        answer = fixtures_site.client.post(
            "/ask", json.dumps(asked), content_type="application/json"
        ).json()

        summary = answer.get("_meta", {}).get("summary")
        has_one = mode == "summarize" and not dialect.startswith("0.1")
        assert bool(summary) is has_one
        if has_one:
            assert summary == answer["content"][0]["text"]
