"""However many clients ask a real server at once: no more calls than the budget has."""

from __future__ import annotations

import json
import os
import selectors
import sqlite3
import threading
from collections import Counter
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection

import pytest
from django.db import connection

from nlweb_ask.models import ModelLease, ModelSpending
from tests import model_server as models
from tests.factories import AccessGrantFactory, SiteSettingsFactory
from tests.index.stepped import shared_database
from tests.serving import ROOT, SITE, free_port, gunicorn, running
from tests.testapp.models import Article
from tests.web.budget_gate import FOLDER, Gate

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.first_leg]

DATABASE = os.environ.get("DATABASE", "sqlite")
PROCESSES = 4
CLIENTS = 200
CALLS = 10
# In each process: with SQLite all clients are inside at once. PostgreSQL has connections
# for a hundred, which others need too, so there 136 clients have been let in, and wait.
THREADS = 50 if DATABASE == "sqlite" else 16
SECONDS = 120  # who is not heard of for so long is stuck

WORDS = "When the tide comes in, the ferry waits at the upper landing."
SAID = json.dumps({"text": "It waits.", "quotes": [{"id": 1, "quote": WORDS}]})
TEXTS = {"ai": "It waits.", "extractive": WORDS}


@pytest.fixture
def provider(monkeypatch):
    """A provider of models; the process of the test itself asks it nothing."""
    monkeypatch.setenv(models.KEY_VARIABLE, models.KEY)
    with models.model_server() as server:
        yield server


@pytest.fixture
def gate(tmp_path):
    with Gate(tmp_path) as gate:
        yield gate


@pytest.fixture
def port(request, tmp_path, provider, gate):
    """The port of a site with a budget of ten calls, on the database of this test.

    A parameter is added to the options of an SQLite database.
    """
    options = getattr(request, "param", {})
    with shared_database(tmp_path):
        SiteSettingsFactory(model_calls_per_day=CALLS)
        AccessGrantFactory()
        Article.objects.create(title="Ferry table", body=WORDS)
        with serving(tmp_path, provider, options) as port:
            yield port


@contextmanager
def serving(folder, provider, options):
    environment = {
        **os.environ,
        "DATABASE": DATABASE,
        "HOME": str(folder),  # gunicorn keeps a socket there
        "DJANGO_SETTINGS_MODULE": "budget_site",
        "PYTHONPATH": os.pathsep.join([str(SITE), str(ROOT)]),
        "BUDGET_SITE_DATABASE": str(connection.settings_dict["NAME"]),
        "BUDGET_SITE_MODELS": json.dumps(provider.models(timeout=600)),
        "BUDGET_SITE_OPTIONS": json.dumps(options),
        FOLDER: str(folder),
    }
    port = free_port()
    command = [
        *(part.format(port=port) for part in gunicorn("gthread")[:-1]),
        *("--workers", str(PROCESSES), "--threads", str(THREADS), "--preload"),
        # No process takes in more than its share of the clients.
        *("--worker-connections", str(CLIENTS // PROCESSES), "--keep-alive", "0"),
        # A worker that is slow to start on a busy machine is not killed for it.
        *("--timeout", "300", "budget_wsgi:application"),
    ]
    with running(command, port, folder, environment):
        yield port


def asked(port, address):
    """Send a question; its answer is still to be read."""
    client = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    body = {"query": {"text": "When does the tide come in?"}}
    body["prefer"] = {"mode": "generate"}
    headers = {"Content-Type": "application/json", "X-Forwarded-For": address}
    client.request("POST", "/ask", json.dumps(body), headers)
    return client


@contextmanager
def asking(port, addresses):
    """Send the question of each client before the answer of any is read."""
    with ExitStack() as clients:
        yield [clients.enter_context(closing(asked(port, each))) for each in addresses]


def answers(clients):
    """Yield status and document for each client, as they come."""
    with selectors.DefaultSelector() as waiting:
        for client in clients:
            waiting.register(client.sock, selectors.EVENT_READ, client)
        while waiting.get_map() and (ready := waiting.select(SECONDS)):
            for key, _events in ready:
                waiting.unregister(key.fileobj)
                with key.data.getresponse() as response:
                    yield response.status, json.loads(response.read())


def kind(answer):
    """Say what sort of answer it is, and whether it has its pages and its text."""
    status, document = answer
    meta = document.get("_meta", {})
    generator, notice = meta.get("generator"), meta.get("notice", {}).get("code")
    text = "".join(part["text"] for part in document.get("content", []))
    is_whole = text == TEXTS.get(generator) and len(document["results"]) == 1
    return status, meta.get("response_type"), generator, notice, is_whole


ADDRESSES = {
    "one": ["198.51.100.1"] * CLIENTS,
    "all-different": [f"198.51.100.{n}" for n in range(CLIENTS)],
}
AI = (200, "answer", "ai", None, True)
STEPPED_DOWN = (200, "answer", "extractive", "BUDGET", True)


@pytest.mark.servers
@pytest.mark.parametrize("addresses", ADDRESSES.values(), ids=ADDRESSES)
def test_two_hundred_clients_of_four_processes_make_ten_calls(
    addresses, port, provider, gate
):
    let_go = threading.Event()

    def said(_request):
        if provider.calls > CALLS:
            let_go.set()  # all is lost, so nobody need wait
        let_go.wait(SECONDS)
        return SAID

    provider.answers(said)
    told, under_way = [], 0
    with asking(port, addresses) as clients:
        arrived = gate.wait_for(PROCESSES * THREADS, within=SECONDS)
        gate.open()
        for answer in answers(clients):
            told.append(answer)
            if len(told) == CLIENTS - CALLS:
                # All others have been answered, while ten of them wait for the model.
                provider.wait_for_calls(CALLS, within=SECONDS)
                under_way = provider.open
                let_go.set()

    assert provider.calls == CALLS
    kinds = Counter(map(kind, told))
    assert kinds == {AI: CALLS, STEPPED_DOWN: CLIENTS - CALLS}
    assert (arrived, under_way) == (PROCESSES * THREADS, CALLS)
    assert ModelSpending.objects.get().day_calls == CALLS
    assert ModelLease.objects.filter(settled=True).count() == CALLS


@pytest.mark.skipif(DATABASE != "sqlite", reason="only SQLite lets one write at a time")
@pytest.mark.parametrize("port", [{"timeout": 1}], indirect=True, ids=["1-second"])
def test_two_hundred_clients_of_a_locked_database_are_answered_without_a_model(
    port, provider, gate
):
    locking = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    with closing(locking), asking(port, ADDRESSES["all-different"]) as clients:
        locking.execute("BEGIN IMMEDIATE")
        gate.open()
        told = list(answers(clients))

    assert Counter(map(kind, told)) == {STEPPED_DOWN: CLIENTS}
    assert provider.calls == 0
    assert not ModelSpending.objects.exists()
