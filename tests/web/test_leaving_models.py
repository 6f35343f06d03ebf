"""Who leaves while a language model works stops it: on real servers, in every mode."""

from __future__ import annotations

import json
import socket
import sqlite3
import time
from itertools import islice

import pytest

from tests import model_server as models
from tests.serving import events_of, serving, streaming

pytestmark = pytest.mark.first_leg

QUOTE = "When the tide comes in, in words that stand apart: big, once, break."
# Said before the model is silent; the second sentence is in the middle of its line.
BEGUN = json.dumps({"text": "It comes in.", "quotes": [{"id": 1, "quote": QUOTE}]})
SCORES = json.dumps({"scores": [{"id": 1, "score": 90}]})
KINDS = ("gunicorn-gthread", "uvicorn")
STOPPED_WITHIN = 1.0
# What a loaded machine may take on top. Pings come every ten seconds on this site, so it
# is not by writing one that a server finds out.
MARGIN = 4.0


@pytest.fixture(scope="module")
def provider():
    with models.model_server() as server:
        yield server


@pytest.fixture(scope="module", params=KINDS)
def site(request, provider, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    configured = json.dumps(provider.models(timeout=60))
    environment = {"MODEL_SITE_MODELS": configured, models.KEY_VARIABLE: models.KEY}
    with serving(request.param, folder, settings="model_site", **environment) as server:
        provider.behaves("normal")
        provider.answers(_well)
        # The first question has the server import what asks models, which takes long.
        assert any(_is_answered(server) for _ in range(5))
        yield server


def _is_answered(server):
    with ask(server, "generate") as response:
        events = [*events_of(response)]
    texts = [data.get("text") for _, data, _ in events if data]
    complete = next(data for name, data, _ in events if name == "complete")
    return "It comes in." in texts and "notice" not in complete["_meta"]


def _well(request):
    return SCORES if '"scores"' in request.system else f"{BEGUN}\n"


def ask(server, mode):
    prefer = {"mode": mode, "streaming": True}
    return streaming(server, "When does the tide come in?", prefer=prefer)


def unsettled(server):
    with sqlite3.connect(server.notes / "site.sqlite3") as connection:
        rows = connection.execute("SELECT settled FROM nlweb_ask_modellease")
        settled = [bool(row[0]) for row in rows]
    assert settled
    return settled.count(False)


def becomes(condition, *, within):
    until = time.monotonic() + within
    while not (reached := condition()) and time.monotonic() < until:
        time.sleep(0.05)
    return reached


LEAVING = {
    # When one leaves: how the model behaves to ranking, to writing, and events read.
    "while-ranking-a-list": ("list", ["hang"], 1),
    "while-ranking": ("generate", ["hang"], 1),
    "before-the-first-sentence-of-a-summary": ("summarize", ["normal", "hang"], 2),
    "before-the-first-sentence": ("generate", ["normal", "hang"], 2),
    "in-the-middle-of-a-summary": ("summarize", ["normal", "pause"], 3),
    "in-the-middle": ("generate", ["normal", "pause"], 3),
    "in-the-middle-of-a-line": ("generate", ["normal", "stall"], 2),
}


@pytest.mark.parametrize(
    ("mode", "behaviours", "read"), LEAVING.values(), ids=[*LEAVING]
)
def test_who_leaves_stops_the_model(site, provider, mode, behaviours, read):
    threads, _database = site.holds()
    provider.behaves(*behaviours)
    provider.answers(_well)
    calls, left = provider.calls, len(provider.left_at)
    with ask(site, mode) as response:
        # Held: the connection is closed with what reads from it.
        events = _events_without_pings(response)
        assert len([*islice(events, read)]) == read
        assert provider.wait_for_calls(calls + len(behaviours), within=20)
        events.close()
    gone = time.monotonic()

    within = STOPPED_WITHIN + MARGIN
    assert provider.wait_until_left(times=left + 1, within=within)
    assert provider.left_at[-1] - gone < within
    assert provider.wait_until_idle(within=5)
    assert becomes(lambda: unsettled(site) == 0, within=5)
    site.wait_until_free()
    assert becomes(lambda: site.holds()[0] <= threads + 2, within=10)
    assert becomes(lambda: site.holds()[1] == 0, within=5)


# Under ASGI Django waits for what a thread of a view has begun.
@pytest.mark.parametrize("site", ["gunicorn-gthread"], indirect=True)
@pytest.mark.parametrize("mode", ["list", "generate"])
def test_who_leaves_before_a_document_is_there_stops_the_model(site, provider, mode):
    provider.behaves("hang")
    calls, left = provider.calls, len(provider.left_at)
    body = {"query": {"text": "When does the tide come in?"}, "prefer": {"mode": mode}}
    with socket.create_connection(("127.0.0.1", site.port)) as client:
        client.sendall(_posted(json.dumps(body)))
        assert provider.wait_for_calls(calls + 1, within=20)

    assert provider.wait_until_left(times=left + 1, within=STOPPED_WITHIN + MARGIN)
    assert becomes(lambda: unsettled(site) == 0, within=5)
    site.wait_until_free()


def _posted(body):
    head = (
        "POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return f"{head}{body}".encode()


def _events_without_pings(response):
    return (event for event in events_of(response) if event[0] != "ping")


def test_the_next_question_is_answered_by_the_model(site, provider):
    provider.behaves("normal")
    assert _is_answered(site)
