from __future__ import annotations

import pytest
from django.core.cache import cache

from nlweb_ask.ai import breaker, gateway
from nlweb_ask.index import later, reading, vector_matrix
from nlweb_ask.plugins import sources
from tests import model_server as models
from tests.serving import Servers
from tests.site_in_memory import site_in_memory

IMPORT_SECONDS = 180


@pytest.fixture(autouse=True)
def _nothing_kept_between_tests():
    """Each test starts as a new process would: no snapshot, nobody counted."""
    reading.forget()
    vector_matrix.forget()
    cache.clear()
    later.forget()
    breaker.forget()
    # A thread has no part in the test's transaction; `later.drain()` does its work.
    with later.held():
        yield
        later.forget()
    # It would stand in for whatever another test registers under its name.
    assert sources._instances.keys() <= set(sources.names())


@pytest.fixture
def site(db):
    """A site in memory, indexed page by page with `tests.site_in_memory.save`."""
    with site_in_memory() as source:
        yield source


@pytest.fixture(scope="session")
def serve(tmp_path_factory):
    """Give the running server of a kind; each kind is started once."""
    with Servers(tmp_path_factory.mktemp("servers")) as servers:
        yield servers.get


@pytest.fixture
def model_server(monkeypatch):
    """A provider of models on loopback, with its key in the environment."""
    monkeypatch.setenv(models.KEY_VARIABLE, models.KEY)
    # It takes seconds, which no test of a deadline should have to count.
    gateway.warm_up().result(IMPORT_SECONDS)
    with models.model_server() as server:
        yield server
