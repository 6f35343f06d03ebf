"""Models have places of their own: one that hangs takes none of the threads of answers."""

from __future__ import annotations

import threading

from nlweb_ask.ai import providers
from tests.ai.asking import begin, model_at, reason_of, stream

CLOSED_SECONDS = 2.0


def test_a_full_room_refuses_at_once(model_server):
    model_server.behaves("hang")
    model = model_at(model_server, places=2)
    open_calls = [begin(model) for _ in range(2)]
    reason, seconds = reason_of(lambda: begin(model))
    assert reason == "busy"
    assert seconds < 0.5
    for completion in open_calls:
        completion.close()


def test_a_place_is_free_again_when_its_call_has_ended(model_server):
    model_server.behaves("hang")
    completion = begin(model_at(model_server, places=1))
    assert model_server.wait_for_calls(1, within=20)
    completion.close()
    assert model_server.wait_until_idle(within=CLOSED_SECONDS)
    model_server.behaves("normal")
    for _ in range(20):
        threading.Event().wait(0.05)  # the place is freed just after the connection
        if _asked(model_server):
            return
    raise AssertionError


def _asked(server):
    try:
        return stream(server, places=1)
    except providers.ModelUnavailable:
        return None


def test_hanging_calls_take_no_threads(model_server):
    model_server.behaves("hang")
    stream_threads = threading.active_count
    before = stream_threads()
    open_calls = [begin(model_at(model_server)) for _ in range(20)]
    assert model_server.wait_for_calls(20, within=30)
    # Those of the server in this process are its own; the client has none.
    names = {thread.name for thread in threading.enumerate()}
    assert not {name for name in names if name.startswith("nlweb-models-")} - {
        f"nlweb-models-io_{number}" for number in range(8)
    }
    assert before
    for completion in open_calls:
        completion.close()
    assert model_server.wait_until_idle(within=CLOSED_SECONDS)


def test_settings_say_how_many_places_there_are(settings, model_server):
    settings.NLWEB_ASK = {"MODELS": model_server.models(), "MODEL_CALLS_AT_ONCE": 3}
    assert providers.language_model().places == 3
