"""Cases of streams, taken from reports of other systems.

Where a case speaks of words, sentences stand for them: no less is ever sent. Where it
counts seconds, a test says by how much it is quicker; the slow site has its times
shortened to fit (`tests/web/slow_site.py`).
"""

from __future__ import annotations

import json
import time
from itertools import pairwise

import pytest
from django.urls import reverse

from nlweb_ask.conf import Deployment
from nlweb_ask.index.refresh import sweep
from nlweb_ask.models import AccessGrant
from nlweb_ask.plugins import Sentence, generators
from tests.factories import AccessGrantFactory
from tests.serving import STREAM, events_of, streaming
from tests.trials.conftest import case
from tests.trials.trial_site import TrialSite, page_of

SERVERS = {"wsgi": "gunicorn-gthread", "asgi": "uvicorn"}


@pytest.fixture(params=list(SERVERS))
def server(request, serve):
    """A site with a page about the tide, Django's gzip middleware and a slow model.

    The question tells the model how many words to write, and how fast.
    """
    server = serve(SERVERS[request.param])
    server.forget()
    yield server
    server.wait_until_free()


def parsed(stream):
    """Read a stream as the HTML standard says; give the fields of each event."""
    events, fields = [], {}
    text = stream.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    for line in text.split("\n"):
        name, _colon, value = line.partition(":")
        if not line:
            events.append(fields)
            fields = {}
        elif name:
            fields.setdefault(name, []).append(value.removeprefix(" "))
    return [event for event in events if event]


class Forger:
    """Writes what O27 has a model write."""

    name = "forger"

    def generate(self, question, results, deadline):
        yield Sentence(text=forgery())


def forgery():
    told = case("O27")["setup"]["llm"]
    return json.loads(told[told.index('"') :])


@pytest.fixture
def forged(settings):
    generators.register(Forger)
    settings.NLWEB_ASK = {**settings.NLWEB_ASK, "GENERATORS": ["forger"]}
    yield
    generators.unregister("forger")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("forged")
def test_o27_text_cannot_break_or_forge_events(trial_site, asking):
    # The row of the migrations is gone once a test before has emptied the tables.
    AccessGrant.objects.all().delete()
    AccessGrantFactory()
    [item] = case("O27")["setup"]["items"]
    # Nothing is written about nothing, so the page holds the word that is asked for.
    page = page_of({**item, "text": "text with a line"})
    TrialSite.pages = {page.url: page}
    sweep(TrialSite.name)

    response = asking(case("O27")["action"][0])
    events = parsed(response.getvalue().decode())

    names = [name for event in events for name in event.get("event", ())]
    assert names == ["start", "result", "content", "complete", "end"]
    texts = [
        json.loads(e["data"][0])["text"] for e in events if e["event"][0] == "content"
    ]
    assert "".join(texts) == forgery()
    assert all(set(event) == {"event", "data"} for event in events)
    result = json.loads(events[1]["data"][0])["item"]
    assert result["name"].split() == item["title"].split()


def test_o28_events_leave_when_they_are_made(server):
    """Twice as fast as the case: a sentence each half second, for three seconds."""
    with streaming(server, "tide 6 words 0.5 apart") as response:
        found = [(name, at) for name, _, at in events_of(response) if name != "ping"]

    names = [name for name, _ in found]
    assert names == ["start", "result", *["content"] * 6, "complete", "end"]
    at = [at for _, at in found][1:-2]
    assert all(0.25 < after - before < 1 for before, after in pairwise(at))
    headers = response.headers
    assert headers["Content-Type"] == STREAM
    assert "no-store" in headers["Cache-Control"]
    assert headers["X-Accel-Buffering"] == "no"


def test_o28_the_view_sets_no_connection_header(site, client):
    url = f"{reverse('nlweb_ask:ask')}?query=tide"
    assert "Connection" not in client.get(url, headers={"Accept": STREAM})


def test_o29_a_silent_model_does_not_look_like_a_dead_stream(server):
    """Fifteen times as fast as the case: 3.3 seconds stand for 50, and 1 for 15."""
    with streaming(server, "tide 1 words 3.3 apart") as response:
        names = [name for name, *_ in events_of(response)]

    # Three pings cut the silence in four, each shorter than 20 seconds.
    assert names == ["start", "result", *["ping"] * 3, "content", "complete", "end"]


def test_o29_what_is_not_said_is_as_long_as_in_the_case():
    defaults = Deployment()
    assert defaults.keepalive_seconds == 15 <= 20
    assert defaults.stream_deadline > 50


def test_o30_when_the_reader_leaves_the_model_stops(server):
    """As the case has it; the record of what was spent comes with the models."""
    with streaming(server, "tide 600 words 0.05 apart") as response:
        read = 0
        for name, *_ in events_of(response):
            read += name == "content"
            if read == 3:
                break
    left = time.monotonic()
    [written] = server.words_written(within=5) or [None]

    assert written is not None
    assert time.monotonic() - left < 5
    assert written < 100
    assert "no-store" in response.headers["Cache-Control"]


def test_o31_a_failure_in_mid_stream_is_told_as_one(server):
    with streaming(server, "tide 3 words 0.01 apart break") as response:
        body = response.read().decode()

    events = parsed(body)
    names = [event["event"][0] for event in events]
    assert names == [
        *("start", "result", "content", "content", "content"),
        *("failure", "complete", "end"),
    ]
    failure, complete = (json.loads(event["data"][0]) for event in events[-3:-1])
    assert failure["error"]["code"]
    assert failure["_meta"]["response_type"] == "failure"
    assert complete["_meta"]["response_type"] == "failure"
    for unsaid in ("RateLimitError", "slow_generator", "regret", "Traceback"):
        assert unsaid not in body
