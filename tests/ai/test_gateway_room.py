"""Models have places of their own: one that hangs takes none of the threads of answers."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

import pytest

from nlweb_ask.ai import providers
from nlweb_ask.ai.room import IO_THREADS, room
from nlweb_ask.plugins.errors import ModelUnavailable
from tests.ai.asking import (
    begin,
    make_deadline,
    model_at,
    reason_of,
    stream,
    wait_until,
)

pytestmark = pytest.mark.first_leg

CLOSED_SECONDS = 5.0  # of a busy machine; the call itself may take a minute


def test_a_full_room_refuses_at_once(model_server):
    model_server.behaves("hang")
    model = model_at(model_server, places=2)
    open_calls = [begin(model) for _ in range(2)]
    reason, seconds = reason_of(lambda: begin(model))
    assert reason == "busy"
    assert seconds < 5
    for completion in open_calls:
        completion.close()


def test_a_place_is_free_again_when_its_call_has_ended(model_server):
    model_server.behaves("hang")
    completion = begin(model_at(model_server, places=1))
    assert model_server.wait_for_calls(1, within=20)
    completion.close()
    assert model_server.wait_until_idle(within=CLOSED_SECONDS)
    model_server.behaves("normal")
    # It is freed just after the connection.
    assert wait_until(lambda: asked(model_server, places=1))


def asked(server, **changed):
    with suppress(ModelUnavailable):
        return stream(server, **changed)
    return []


def test_calls_that_hang_take_no_threads(model_server):
    model_server.behaves("hang")
    begin(model_at(model_server)).close()
    before = of_models()
    open_calls = [begin(model_at(model_server)) for _ in range(30)]
    assert model_server.wait_for_calls(30, within=30)
    # One for the loop, and a few for what a library does in threads.
    assert len(of_models() | before) <= 1 + IO_THREADS
    for completion in open_calls:
        completion.close()
    assert model_server.wait_until_idle(within=CLOSED_SECONDS)


def of_models():
    names = (thread.name for thread in threading.enumerate())
    return {name for name in names if name.startswith("nlweb-models")}


def test_a_reader_goes_by_itself_when_a_library_holds_the_loop_up(model_server):
    room()._loop.call_soon_threadsafe(time.sleep, 3)
    reason, seconds = reason_of(
        lambda: list(begin(model_at(model_server), deadline=make_deadline(1.0)))
    )
    assert reason == "time"
    assert seconds < 2.9  # the loop is free after three
    assert wait_until(lambda: asked(model_server))


def test_settings_say_how_many_places_there_are(settings, model_server):
    settings.NLWEB_ASK = {"MODELS": model_server.models(), "MODEL_CALLS_AT_ONCE": 3}
    assert providers.language_model().places == 3
