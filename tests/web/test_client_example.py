"""The client that the documentation shows, against a real server."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.tutorial_steps import WriteFile, steps

pytestmark = pytest.mark.every_server

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "client.md"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The program as a reader would save it."""
    found = [
        step
        for step in steps(PAGE.read_text(encoding="utf-8").replace("{code-block} ", ""))
        if isinstance(step, WriteFile)
    ]
    [step] = found
    path = tmp_path_factory.mktemp("client") / step.file
    path.write_text(step.text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def client(program):
    return runpy.run_path(str(program))


@pytest.fixture(params=["gunicorn-gthread", "uvicorn"])
def server(serve, request):
    return serve(request.param)


def test_program_prints_an_answer_to_its_end(program, server):
    question = "tide 3 words 0.1 apart"
    command = [sys.executable, str(program), server.url, question, "generate"]
    printed = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=True
    ).stdout

    assert printed.startswith("- Tide table http")
    assert printed.endswith("word0 word1 word2 ")


def test_events_come_in_their_order_and_pings_are_passed_over(client, server):
    events = list(client["ask"](server.url, "tide 1 words 2.5 apart", "generate"))

    names = [name for name, _ in events]
    assert names == ["start", "result", "content", "complete", "end"]


def test_session_comes_back(client, server):
    session = {"conversation_id": "c-1", "basket": [7]}

    *_, (_, complete), _end = client["ask"](server.url, "tide", session=session)

    assert complete["_meta"]["session_context"] == session


def test_refusal_is_told_with_its_code(client, server):
    with pytest.raises(client["Refused"]) as refused:
        list(client["ask"](server.url, " "))

    assert refused.value.code == "MISSING_FIELD"


def test_failure_in_the_middle_is_an_event(client, server):
    question = "tide 2 tide 0.1 tide break"

    names = [name for name, _ in client["ask"](server.url, question, "generate")]

    assert names[-4:] == ["content", "failure", "complete", "end"]


def test_stream_that_ends_too_early_has_broken_off(client):
    lines = [b"event: start\n", b'data: {"_meta": {}}\n', b"\n"]
    events = client["events"](lines)

    assert next(events)[0] == "start"
    with pytest.raises(client["BrokenOff"]):
        next(events)


def test_connection_that_is_lost_has_broken_off(client):
    def lines():
        yield b"event: start\n"
        raise ConnectionResetError

    with pytest.raises(client["BrokenOff"]):
        list(client["events"](lines()))
