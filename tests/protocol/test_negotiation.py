from __future__ import annotations

import pytest

from nlweb_ask.protocol.question import Question
from nlweb_ask.protocol.reader import wants_stream

JSON = "application/json"
STREAM = "text/event-stream"


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        pytest.param(STREAM, True, id="stream"),
        pytest.param("TEXT/Event-Stream", True, id="case"),
        pytest.param(JSON, False, id="json"),
        pytest.param("application/ld+json", False, id="json-suffix"),
        pytest.param(f"{JSON}, {STREAM}", True, id="both"),
        pytest.param(f"{STREAM};q=0.5, {JSON};q=0.6", False, id="json-preferred"),
        pytest.param(f"{STREAM};q=0.6, {JSON};q=0.6", True, id="equal-weights"),
        pytest.param(f"{STREAM}; charset=utf-8 ; Q = 0.6, {JSON};q=.5", True, id="q"),
        pytest.param(f"{STREAM};q=0, */*", False, id="stream-refused"),
        pytest.param(f"{STREAM};q=many", True, id="unreadable-weight"),
        pytest.param(f"{STREAM};q=0, {STREAM}", False, id="first-mention-counts"),
        pytest.param("," * 100_000, None, id="nothing-but-commas"),
        pytest.param(f"{JSON};q=0", None, id="json-refused"),
        pytest.param("*/*", None, id="anything"),
        pytest.param("text/html,application/xhtml+xml,*/*;q=0.8", None, id="browser"),
        pytest.param("", None, id="no-header"),
    ],
)
@pytest.mark.parametrize("version", ["0.1", "0.5", "0.54", "0.55"])
def test_accept_header_decides_and_else_the_habit_of_the_version(
    version, accept, expected
):
    question = Question(text="soup", version=version)

    habit = version == "0.1"

    assert wants_stream(question, accept) is (habit if expected is None else expected)


@pytest.mark.parametrize("streaming", [True, False])
@pytest.mark.parametrize("accept", [JSON, STREAM, "*/*", ""])
def test_what_the_caller_says_wins_over_the_header(accept, streaming):
    question = Question(text="soup", streaming=streaming)

    assert wants_stream(question, accept) is streaming


def test_habit_of_a_version_can_be_set():
    question = Question(text="soup", version="0.54")

    assert wants_stream(question, "*/*", streaming_versions={"0.54"})
