"""What an open stream and its work come to when a server is told to end."""

from __future__ import annotations

import signal
import subprocess

import httpx
import pytest

from tests.serving import events_of, serving, streaming

pytestmark = pytest.mark.every_server

LONG_ENOUGH = {
    "gunicorn-sync": ("--graceful-timeout", "20"),
    "gunicorn-gthread": ("--graceful-timeout", "20"),
    "uvicorn": ("--timeout-graceful-shutdown", "20"),
}


def told_to_end(server, text):
    """Yield the events of a stream whose server is told to end at the first word or ping."""
    told = False
    with streaming(server, text) as response:
        for name, *_ in events_of(response):
            if name in ("content", "ping") and not told:
                server.process.send_signal(signal.SIGTERM)
                told = True
            yield name


@pytest.mark.parametrize("kind", LONG_ENOUGH)
def test_server_that_is_given_the_time_sends_the_answer_whole(kind, tmp_path):
    with serving(kind, tmp_path, *LONG_ENOUGH[kind]) as server:
        names = list(told_to_end(server, "tide 10 words 0.2 apart"))
        server.process.wait(10)

    assert names.count("content") == 10
    assert names[-2:] == ["complete", "end"]
    assert server.noted("closed.txt") == ["10"]


# daphne has no such option; what follows from that is below.
@pytest.mark.parametrize("kind", LONG_ENOUGH)
def test_server_ends_in_time_with_a_stream_open(kind, tmp_path):
    with serving(kind, tmp_path) as server:
        with pytest.raises(httpx.RemoteProtocolError):
            list(told_to_end(server, "tide 100000 words 0.1 apart"))
        ended_within(server, 4)


def test_daphne_waits_for_no_work_and_stops_what_can_be_stopped(tmp_path):
    """Its responses are never closed, so only the end of the process stops the work."""
    with serving("daphne", tmp_path) as server:
        with pytest.raises(httpx.RemoteProtocolError):
            list(told_to_end(server, "tide 100000 words 0.1 apart"))
        ended_within(server, 4)

    [written] = server.noted("closed.txt")
    assert int(written) < 30


def test_work_that_cannot_be_stopped_does_not_hold_the_process(tmp_path):
    with serving("daphne", tmp_path) as server:
        with pytest.raises(httpx.RemoteProtocolError):
            list(told_to_end(server, "tide 1 words 60 apart"))
        ended_within(server, 4)


def ended_within(server, seconds):
    try:
        server.process.wait(seconds)
    except subprocess.TimeoutExpired:
        pytest.fail("the server did not end")
