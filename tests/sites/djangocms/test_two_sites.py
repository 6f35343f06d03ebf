"""Two sites of one project, each asked by a process of its own, with one cache."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.contrib.sites.models import Site
from django.test import Client

from tests.sites.djangocms import building


@pytest.fixture
def marina(home, add, committed):
    """A second site, with a page of the same words as one of the first."""
    other = Site.objects.create(domain="marina.example", name="Marina")
    with committed():
        add(home, "Tides", "<p>The tide turns at noon.</p>")
        add(None, "Tides of the marina", "<p>The tide turns at one.</p>", site=other)
    return other


def asked(host, user=None):
    client = Client(HTTP_HOST=host)
    if user:
        client.force_login(user)
    answer = client.get("/ask", {"query": "tide", "streaming": "false"})
    assert answer.status_code == 200, answer.content
    return [item["url"] for item in answer.json()["results"]]


def test_each_site_gives_its_own_pages(marina, settings):
    assert asked("localhost") == ["https://localhost/tides/"]
    settings.SITE_ID = marina.pk
    assert asked("marina.example") == ["https://marina.example/tides-of-the-marina/"]


def test_each_host_gives_its_own_pages_where_no_site_is_fixed(marina, settings):
    del settings.SITE_ID
    assert asked("localhost") == ["https://localhost/tides/"]
    assert asked("marina.example") == ["https://marina.example/tides-of-the-marina/"]


def test_what_opens_a_page_on_one_site_opens_it_beside_the_other(marina, settings):
    """The CMS keeps grants in a cache that does not tell the sites apart."""
    from cms.models import Page

    member = User.objects.create(username="member")
    for page in Page.objects.filter(is_home=False):
        building.restrict(page, user=member)
    for _ in range(2):
        for site_id, host in ((marina.pk, "marina.example"), (1, "localhost")):
            settings.SITE_ID = site_id
            assert asked(host) == []
            assert len(asked(host, member)) == 1
