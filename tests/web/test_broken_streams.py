"""An answer that breaks off or runs out of time tells all that was found before."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field, replace

import pytest
from django.test import RequestFactory

from nlweb_ask.plugins.types import Viewer
from nlweb_ask.protocol.events import (
    Complete,
    Content,
    Elicitation,
    Failure,
    ResultFound,
    Start,
)
from nlweb_ask.protocol.question import Question
from nlweb_ask.sources.viewers import anonymous_viewer
from nlweb_ask.web.answers import Asked, WholeAnswer
from nlweb_ask.web.streaming import send_live, wait_for
from tests.asking import make_scope

# A stream that begins to be sent looks at the connections of its thread.
pytestmark = pytest.mark.django_db

START = Start(version="0.55", query_id="q1", conversation_id="c1")
FOUND = ResultFound(index=0, item={"url": "https://site.example/", "name": "Tide"})
WORDS = [Content(text="The tide "), Content(text="comes in.")]
NEVER = threading.Event()
FAILED = Failure(code="NO_RESULTS", message="Nothing could be read.")
WHOLE = Complete(
    response_type="answer",
    version="0.55",
    query_id="q1",
    conversation_id="c1",
    mode="generate",
    response_format="conv_search",
    session_context={},
    total_items=1,
    processing_time_ms=50,
)

DIALECTS = {
    "0.1": {"version": "0.1"},
    "older-widgets": {"version": "0.1", "legacy_stream": True},
    "ask-family": {"ask_family": True},
    "0.55": {},
}


@pytest.fixture(params=list(DIALECTS))
def question(request):
    return Question(text="tide", mode="generate", **DIALECTS[request.param])


@dataclass(frozen=True)
class Breaking(Asked):
    """A question whose answer tells `given`, and breaks off."""

    viewer: Viewer = field(default_factory=anonymous_viewer)
    scope: object = field(default_factory=make_scope)
    given: tuple = ()

    def events(self, stop):
        yield from self.given
        raise RuntimeError


class Hanging(Breaking):
    """A question whose answer tells `given`, and then nothing until it is stopped."""

    def events(self, stop):
        yield from self.given
        stop.wait(10)


class Exiting(Breaking):
    """A question whose answer tells `given`, and ends its program."""

    def events(self, stop):
        yield from self.given
        raise SystemExit(3)


class Told(Breaking):
    """A question whose answer is `given`."""

    def events(self, stop):
        yield from self.given


class Stopping(Breaking):
    """A question whose answer ends in haste when it is stopped, as the pipeline does."""

    def events(self, stop):
        yield from self.given
        stop.wait(10)
        yield WHOLE


def broken_off(question, *given):
    asked = Breaking(question, given=given)
    return b"".join(WholeAnswer(asked).chunks(threading.Event())).decode()


def out_of_time(rf, settings, question, *given):
    settings.NLWEB_ASK = {"STREAM_DEADLINE": 1}
    streamed = WholeAnswer(Hanging(question, given=given))
    chunks = send_live(rf.get("/ask"), streamed.chunks, streamed.farewell)
    return b"".join(chunks).decode()


def live(rf, asked):
    whole = WholeAnswer(asked)
    chunks = send_live(rf.get("/ask"), whole.chunks, whole.farewell)
    return b"".join(chunks).decode()


def document(asked):
    whole = WholeAnswer(asked)
    status, body = whole.document(*wait_for(RequestFactory().get("/ask"), whole.events))
    assert status == 200
    return json.loads(body)


def stalled(rf, settings, question, *given):
    """Read all but the last of what is given, stall, and come back for the rest."""
    settings.NLWEB_ASK = {"STALL_SECONDS": 1}
    streamed = WholeAnswer(Stopping(question, given=given))
    response = send_live(rf.get("/ask"), streamed.chunks, streamed.farewell)
    chunks = iter(response)
    read = [next(chunks) for _ in given[:-1]]
    assert response.channel.stop.wait(5)
    time.sleep(0.1)  # the answer ends in haste
    return b"".join([*read, *chunks]).decode()


def messages(stream):
    """Return the data of each event of a stream."""
    lines = [line for line in stream.splitlines() if line.startswith("data: ")]
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def has_text(stream):
    return all(words.text in stream for words in WORDS)


def test_text_is_told_before_the_failure_when_an_answer_breaks_off(question):
    stream = broken_off(question, START, FOUND, *WORDS)

    assert has_text(stream)
    assert stream.index("comes in.") < stream.index("INTERNAL_ERROR")


def test_text_is_told_before_the_failure_when_the_time_is_up(rf, settings, question):
    stream = out_of_time(rf, settings, question, START, FOUND, *WORDS)

    assert has_text(stream)
    assert stream.index("comes in.") < stream.index("TIMEOUT")


def test_nothing_is_told_twice_when_the_time_is_up(rf, settings, question):
    stream = out_of_time(rf, settings, question, START, FOUND, *WORDS)

    told = [json.dumps(message, sort_keys=True) for message in messages(stream)]
    assert len(set(told)) == len(told)


def test_rows_that_wait_for_the_answer_are_sent_when_it_breaks_off():
    question = Question(text="tide", mode="generate", **DIALECTS["older-widgets"])

    batches = [
        message["results"]
        for message in messages(broken_off(question, START, FOUND))
        if message["message_type"] == "result_batch"
    ]

    assert [[row["name"] for row in rows] for rows in batches] == [["Tide"]]


def test_answer_that_breaks_off_at_once_still_has_a_start_and_an_end(question):
    stream = broken_off(question)

    names = [message.get("message_type") for message in messages(stream)]
    if question.version == "0.1":
        assert names == ["start", "error", "complete"]
    else:
        events = [line for line in stream.splitlines() if line.startswith("event: ")]
        assert [line.removeprefix("event: ") for line in events] == [
            "start",
            "failure",
            "complete",
            "end",
        ]


def test_pages_found_before_the_end_are_counted():
    stream = broken_off(Question(text="tide", mode="generate"), START, FOUND)

    complete = messages(stream)[-2]["_meta"]
    assert (complete["response_type"], complete["total_items"]) == ("failure", 1)


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(FAILED, id="failure"),
        pytest.param(Elicitation(text="Which tide?"), id="elicitation"),
    ],
)
def test_answer_that_had_ended_is_not_ended_twice(rf, settings, ending):
    question = Question(text="tide", mode="generate")

    stream = out_of_time(rf, settings, question, START, ending)

    kind = "failure" if ending is FAILED else "elicitation"
    assert "TIMEOUT" not in stream
    assert messages(stream)[-2]["_meta"]["response_type"] == kind


def test_answer_that_was_whole_in_time_is_told_as_it_is(rf, settings, question):
    stream = out_of_time(rf, settings, question, START, FOUND, *WORDS, WHOLE)

    assert has_text(stream)
    assert "TIMEOUT" not in stream


def test_answer_that_was_stopped_does_not_look_whole(rf, settings):
    question = Question(text="tide", mode="generate")

    stream = stalled(rf, settings, question, START, FOUND, *WORDS)

    assert has_text(stream)
    assert "TIMEOUT" in stream
    assert messages(stream)[-2]["_meta"]["response_type"] == "failure"


def test_page_that_cannot_be_written_ends_the_stream_properly(question):
    unwritable = ResultFound(index=1, item={"url": "", "price": float("nan")})

    stream = broken_off(question, START, FOUND, *WORDS, unwritable)

    assert has_text(stream)
    assert "INTERNAL_ERROR" in stream
    assert messages(stream)[-1] == {} or question.version == "0.1"


def terminals(question, stream):
    """Return how often a stream ends."""
    kind = "message_type" if question.version == "0.1" else "event"
    wanted = '"message_type":"complete"' if kind == "message_type" else "event: end"
    return stream.count(wanted)


def text_in(document):
    """Return what was written, wherever a dialect has it."""
    rows = [row.get("schema_object", {}).get("text") for row in document["results"][:1]]
    content = [item["text"] for item in document.get("content", [])]
    return "".join(content) or rows[0]


@pytest.mark.django_db(transaction=True)  # else no other thread would write it
def test_document_whose_time_is_up_tells_what_was_told(settings, question):
    settings.NLWEB_ASK = {"STREAM_DEADLINE": 1}

    found = document(Hanging(question, given=(START, FOUND, *WORDS)))

    assert found["error"]["code"] == "TIMEOUT"
    assert text_in(found) == "The tide comes in."
    assert len(found["results"]) == 1 + (question.version == "0.1")


@pytest.mark.django_db(transaction=True)  # else no other thread would write it
def test_document_that_breaks_off_tells_what_was_told(question):
    for kind in (Breaking, Exiting):
        found = document(kind(question, given=(START, FOUND, *WORDS)))

        assert found["error"]["code"] == "INTERNAL_ERROR"
        assert text_in(found) == "The tide comes in."


def test_stream_whose_program_ends_breaks_off_at_once(rf, question):
    began = time.monotonic()

    stream = live(rf, Exiting(question, given=(START, FOUND, *WORDS)))

    assert time.monotonic() - began < 10
    assert has_text(stream)
    assert "INTERNAL_ERROR" in stream
    assert "TIMEOUT" not in stream
    assert terminals(question, stream) == 1


UNWRITABLE = {
    "content": (START, FOUND, WORDS[0], Content(text=object()), WORDS[1], WHOLE),
    "result": (START, FOUND, ResultFound(index=1, item={"url": object()}), WHOLE),
    "failure": (START, FOUND, Failure(code="NO", message=b"No."), WHOLE),
    "elicitation": (START, FOUND, Elicitation(text=b"Which?"), WHOLE),
    "end": (START, FOUND, replace(WHOLE, session_context={"x": float("nan")})),
    "end-after-a-failure": (
        *(START, FOUND, FAILED),
        replace(WHOLE, session_context={"x": object()}),
    ),
}


@pytest.mark.parametrize("given", UNWRITABLE.values(), ids=list(UNWRITABLE))
def test_stream_ends_once_whatever_cannot_be_written_of_it(rf, question, given):
    streams = [
        live(rf, Told(question, given=given)),
        b"".join(WholeAnswer(Told(question, given=given)).chunks(NEVER)).decode(),
        live(rf, Exiting(question, given=given[:-1])),
    ]

    for stream in streams:
        assert terminals(question, stream) == 1
        assert stream.count('"start"') + stream.count("event: start") == 1
        told = [json.dumps(message, sort_keys=True) for message in messages(stream)]
        assert len(set(told)) == len(told)
        assert "INTERNAL_ERROR" in stream or "NO_RESULTS" in stream


@pytest.mark.parametrize("given", UNWRITABLE.values(), ids=list(UNWRITABLE))
def test_document_is_a_failure_whatever_cannot_be_written_of_it(question, given):
    found = document(Told(question, given=given))

    if question.version == "0.1" and given[-1].session_context:
        return  # such a document has none
    assert found["error"]["code"] in ("INTERNAL_ERROR", "NO_RESULTS")
    assert found["_meta"]["response_type"] == "failure"
