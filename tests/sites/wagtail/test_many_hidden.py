"""A page that all may see is found behind any number that they may not."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from wagtail.models import Page, PageViewRestriction, Site

from nlweb_ask.protocol.question import Limits
from tests.sites.asking import ask_site
from tests.sites.wagtail.pages.models import PlainPage

BEST, WEAK = "<p>Tide tide tide.</p>", "<p>Ships wait in the roads for the tide.</p>"


def restrict(page, kind="login"):
    page = Page.objects.get(pk=page.pk)
    return PageViewRestriction.objects.create(page=page, restriction_type=kind)


def test_twenty_best_hits_are_forbidden_and_the_next_is_not(home, add):
    closed = add(home, "Members")
    restrict(closed)
    for number in range(20):
        add(closed, f"Tide {number}", BEST)
    add(home, "Roads", WEAK)
    answer = ask_site("tide")
    assert answer.names == ["Roads"]
    assert answer.complete.total_items == 1
    member = User.objects.create_user("member")
    behind = Limits(offset=20)
    assert ask_site("tide", user=member, limits=behind).names == ["Roads"]


def test_twenty_best_hits_are_of_another_group_and_the_next_is_of_ones_own(home, add):
    crew, pilots = (Group.objects.create(name=name) for name in ("crew", "pilots"))
    closed, own = add(home, "Pilots"), add(home, "Crew")
    restrict(closed, "groups").groups.add(pilots)
    restrict(own, "groups").groups.add(crew)
    for number in range(20):
        add(closed, f"Tide {number}", BEST)
    add(own, "Roads", WEAK)
    member = User.objects.create_user("member")
    member.groups.add(crew)
    assert ask_site("tide", user=member).names == ["Roads"]


def test_only_a_page_below_a_restricted_one_has_the_words(home, add):
    """Asked about alone, it has no restriction of its own that could be seen."""
    closed = add(home, "Members")
    restrict(closed)
    add(add(closed, "Between"), "Spring tide", BEST)
    answer = ask_site("tide")
    assert answer.names == []
    assert answer.complete.total_items == 0
    member = User.objects.create_user("member")
    assert ask_site("tide", user=member).names == ["Spring tide"]


@pytest.fixture
def cached_pages(settings):
    settings.MIDDLEWARE = [
        "django.middleware.cache.UpdateCacheMiddleware",
        *settings.MIDDLEWARE,
        "django.middleware.cache.FetchFromCacheMiddleware",
    ]


def titles(host, user=None):
    client = Client(HTTP_HOST=host)
    if user is not None:
        client.force_login(user)
    answer = client.get("/ask", {"query": "tide", "streaming": "false"})
    assert answer.status_code == 200, answer.content
    return sorted(item["name"] for item in answer.json()["results"])


def test_two_sites_with_one_cache_keep_their_pages_and_members_apart(
    cached_pages, home, add
):
    """In every order, twice: what one was answered, nobody else is."""
    crew = Group.objects.create(name="crew")
    add(home, "Tides", WEAK)
    marina = Page.objects.get(depth=1).add_child(
        instance=PlainPage(title="Marina", slug="marina")
    )
    Site.objects.create(hostname="marina.example", root_page=marina)
    restrict(add(marina, "Tides of the marina", WEAK), "groups").groups.add(crew)
    member = User.objects.create_user("member")
    member.groups.add(crew)
    expected = {
        ("localhost", None): ["Tides"],
        ("localhost", member): ["Tides"],
        ("marina.example", member): ["Tides of the marina"],
        ("marina.example", None): [],
    }
    for asked in [*expected, *reversed(expected), *expected]:
        assert titles(*asked) == expected[asked]
    member.groups.remove(crew)
    assert titles("marina.example", member) == []


def test_a_restriction_set_and_taken_away_after_the_page_was_asked_for(
    cached_pages, home, add
):
    tides = add(home, "Tides", WEAK)
    for _ in range(2):
        assert titles("localhost") == ["Tides"]
        row = restrict(tides)
        assert titles("localhost") == []
        row.delete()
    assert titles("localhost") == ["Tides"]
