"""Two sites of Wagtail in one project, asked on their own hosts."""

from __future__ import annotations

import pytest
from django.test import Client
from wagtail.models import Page, Site

from nlweb_ask.conf.sites import sites
from tests.sites.wagtail.pages.models import PlainPage


@pytest.fixture
def marina(home, add):
    """A second site, with a page of the same words as one of the first."""
    add(home, "Tides", "<p>The tide turns at noon.</p>")
    first = Page.objects.get(depth=1).add_child(
        instance=PlainPage(title="Marina", slug="marina")
    )
    add(first, "Tides of the marina", "<p>The tide turns at one.</p>")
    return Site.objects.create(hostname="marina.example", port=443, root_page=first)


def asked(host: str) -> list[dict[str, object]]:
    client = Client(HTTP_HOST=host)
    answer = client.get("/ask", {"query": "tide", "streaming": "false"})
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def test_each_host_gives_the_pages_of_its_own_site(marina):
    assert [item["url"] for item in asked("localhost")] == ["http://localhost/tides/"]
    assert [item["url"] for item in asked("marina.example")] == [
        "https://marina.example/tides-of-the-marina/"
    ]


def test_the_default_site_answers_on_every_other_host(marina):
    assert [item["name"] for item in asked("testserver")] == ["Tides"]


def test_a_site_that_is_taken_away_is_not_asked_any_more(marina):
    marina.delete()
    assert [item["name"] for item in asked("marina.example")] == ["Tides"]


def test_settings_are_of_the_sites_that_wagtail_knows(marina):
    known = sites().domains()
    assert sorted(known.values()) == ["localhost", "marina.example"]
    assert known[sites().default()] == "localhost"
