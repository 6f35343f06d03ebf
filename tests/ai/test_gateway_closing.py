"""A client that goes stops the model: its connection is closed within a second."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from nlweb_ask.ai import breaker, gateway
from nlweb_ask.ai.call import POLL_SECONDS, Call
from nlweb_ask.plugins.errors import ModelUnavailable
from tests.ai.asking import (
    begin,
    embedder_at,
    make_deadline,
    model_at,
    reason_of,
    wait_until,
)

pytestmark = pytest.mark.first_leg

BEGIN_SECONDS = 20  # until a busy machine has sent the request
CLOSED_SECONDS = 5.0  # of a busy machine; the call itself may take a minute
BUSY = ["hang", "stall", "drip", "comments"]


@pytest.mark.parametrize("behaviour", BUSY)
def test_the_connection_is_closed_when_the_client_goes(model_server, behaviour):
    model_server.behaves(behaviour)
    deadline = make_deadline()
    completion = begin(model_at(model_server), deadline=deadline)
    assert model_server.wait_for_calls(1, within=BEGIN_SECONDS)
    deadline.stop.set()
    assert model_server.wait_until_left(within=CLOSED_SECONDS)
    with pytest.raises(ModelUnavailable, match="stopped"):
        list(completion)


@pytest.mark.parametrize("behaviour", BUSY)
def test_closing_does_not_wait_for_the_provider(model_server, behaviour):
    model_server.behaves(behaviour)
    completion = begin(model_at(model_server))
    assert model_server.wait_for_calls(1, within=BEGIN_SECONDS)
    begun = time.monotonic()
    completion.close()
    completion.close()
    assert time.monotonic() - begun < CLOSED_SECONDS
    assert model_server.wait_until_left(within=CLOSED_SECONDS)


def test_an_endless_stream_is_closed_when_nobody_reads_on(model_server):
    model_server.behaves("endless")
    model_server.answers("a")
    completion = begin(model_at(model_server, max_tokens=1_000_000), max_tokens=10**6)
    next(iter(completion))
    completion.close()
    assert model_server.wait_until_left(within=CLOSED_SECONDS)


def test_an_answer_that_nobody_holds_is_closed(model_server):
    model_server.behaves("hang")
    begin(model_at(model_server))
    gc.collect()
    assert model_server.wait_until_idle(within=CLOSED_SECONDS)


def test_a_reader_that_waits_is_told_at_once_when_the_client_goes(model_server):
    model_server.behaves("hang")
    deadline = make_deadline()
    timer = threading.Timer(0.5, deadline.stop.set)
    timer.start()
    completion = begin(model_at(model_server), deadline=deadline)
    reason, seconds = reason_of(lambda: list(completion))
    timer.join()
    assert reason == "stopped"
    assert seconds < 0.5 + CLOSED_SECONDS


def test_embedding_stops_when_nobody_waits_for_it(model_server):
    model_server.behaves("hang")
    deadline = make_deadline()
    timer = threading.Timer(0.5, deadline.stop.set)
    timer.start()
    model = embedder_at(model_server)
    reason, _ = reason_of(lambda: gateway.embed(model, ["a"], deadline=deadline))
    timer.join()
    assert reason == "stopped"
    assert model_server.wait_until_idle(within=CLOSED_SECONDS)


def test_the_deadline_of_the_question_ends_a_call_that_may_take_longer(model_server):
    model_server.behaves("drip")
    completion = begin(model_at(model_server), deadline=make_deadline(1.0))
    reason, seconds = reason_of(lambda: list(completion))
    assert reason == "time"
    assert seconds < 1 + CLOSED_SECONDS
    assert model_server.wait_until_left(within=CLOSED_SECONDS)


def test_a_wait_for_another_try_ends_when_the_client_goes(model_server):
    model_server.behaves("429 retry-after", "normal")
    model_server.retry_after = "10"
    deadline = make_deadline()
    completion = begin(model_at(model_server), deadline=deadline)
    assert model_server.wait_for_calls(1, within=BEGIN_SECONDS)
    deadline.stop.set()
    reason, seconds = reason_of(lambda: list(completion))
    assert reason == "stopped"
    assert seconds < CLOSED_SECONDS


def test_calls_leave_no_thread_and_no_connection(model_server):
    def ask_of_each():
        for behaviour in ("500", "cut", "hang", "normal", "endless", "empty", "429"):
            breaker.forget()
            model_server.behaves(behaviour)
            with (
                begin(model_at(model_server, timeout=0.5)) as completion,
                suppress(ModelUnavailable),
            ):
                list(completion)
        assert model_server.wait_until_idle(within=5)

    ask_of_each()
    before = held()
    for _ in range(4):
        ask_of_each()
    assert wait_until(lambda: held() <= before), (before, held())


def held():
    """Return how many open files there are beside those of idle connections."""
    gc.collect()
    return (
        len(list(Path(f"/proc/{os.getpid()}/fd").iterdir())) + threading.active_count()
    )


def test_a_library_gives_up_later_than_the_call_is_ended(model_server):
    """At the same moment it is cancelled while it closes, and leaves open what it was."""
    call = Call(model_at(model_server, timeout=1.0), make_deadline())

    async def timeout():
        return gateway._reached(call, {})["timeout"]

    assert asyncio.run(timeout()) - call.seconds_left() > 10 * POLL_SECONDS
