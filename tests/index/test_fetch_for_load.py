"""A source may fetch before it is asked to load, outside of transactions of ours."""

from __future__ import annotations

import pytest
from django.db import connection

from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.models import Document, IndexFailure
from tests.site_in_memory import PageInMemory, SiteInMemory, site_in_memory

pytestmark = [pytest.mark.servers, pytest.mark.django_db(transaction=True)]


class FetchedSite(SiteInMemory):
    """Gives what was fetched, and notes whether a transaction was open meanwhile."""

    def __init__(self):
        self.fetched = {}
        self.in_transaction = []

    def fetch_for_load(self, object_ids):
        self.in_transaction.append(connection.in_atomic_block)
        self.fetched |= {object_id: self.pages[object_id] for object_id in object_ids}

    def load(self, object_ids):
        assert set(object_ids) <= self.fetched.keys()
        return super().load(object_ids)


@pytest.fixture
def fetched():
    with site_in_memory(FetchedSite) as site:
        site.pages["a"] = PageInMemory("Kettle")
        yield site


def test_pages_are_fetched_before_the_transaction_begins(fetched):
    refresh_objects("memory", ["a"])

    assert set(fetched.in_transaction) == {False}
    assert Document.objects.get().name == "Kettle"


def test_what_cannot_be_fetched_is_withdrawn_and_noted(fetched):
    refresh_objects("memory", ["a"])
    del fetched.pages["a"]
    refresh_objects("memory", ["a"])

    assert not Document.objects.exists()
    assert IndexFailure.objects.get().object_id == "a"
