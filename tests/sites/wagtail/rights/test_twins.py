"""Twins: a site of Wagtail, and the same one on which pages were hidden, moved or deleted.

Whoever may not see these gets the same bytes from both, whatever the pages went through.
"""

from __future__ import annotations

import random

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from wagtail.models import Page, PageViewRestriction

from nlweb_ask.index.merge import merge
from nlweb_ask.index.refresh import sweep
from tests.asking import ANONYMOUS
from tests.rights.channels import PASSED, pass_passwords
from tests.sites.asking import ask_site
from tests.sites.twins import (
    ASKED,
    other_bytes,
    same_bytes,
    same_number_of_queries,
    words,
)
from tests.sites.wagtail.pages.models import PlainPage
from tests.sites.wagtail.rights.states import restrict

SEEDS = range(2)


def add(parent, title, body):
    parent = Page.objects.get(pk=parent.pk)
    number = Page.objects.count()
    page = PlainPage(title=title, slug=f"page-{number}", body=f"<p>{body}</p>")
    return parent.add_child(instance=page)


def hidden_below(parent, chance):
    """Add pages that would be first on every list, if they were on one."""
    return [add(parent, ASKED, f"{ASKED} {words(chance, 9)}") for _ in range(3)]


def again(page):
    return Page.objects.get(pk=page.pk).specific


# What hidden pages may go through. Each of these leaves them hidden, or gone.


def restricted(kind):
    def history(home, chance):
        for page in hidden_below(home, chance):
            restrict(page, kind)

    history.__name__ = f"restricted_by_{kind}"
    return history


def opened_and_closed(home, chance):
    closed = restrict(add(home, "Closed", "nothing"), "login")
    PageViewRestriction.objects.filter(page_id=closed.pk).delete()
    hidden_below(closed, chance)
    merge(0)
    again(closed).unpublish()
    restrict(closed, "groups", Group.objects.get(name="pilots"))


def moved_under(home, chance):
    pages = hidden_below(home, chance)
    closed = restrict(add(home, "Closed", "nothing"), "groups")
    for page in pages:
        again(page).move(again(closed), pos="last-child")


def moved_out_of_the_site(home, chance):
    for page in hidden_below(home, chance):
        again(page).move(Page.objects.get(depth=1), pos="last-child")


def unpublished(home, chance):
    for page in hidden_below(home, chance):
        again(page).unpublish()


def unpublished_unseen(home, chance):
    pages = hidden_below(home, chance)
    Page.objects.filter(pk__in=[page.pk for page in pages]).update(live=False)
    sweep("wagtail", changed_only=True)


def deleted(home, chance):
    for page in hidden_below(home, chance):
        again(page).delete()


def drafts(home, chance):
    for page in hidden_below(home, chance):
        page.unpublish()
        page.body = f"<p>{ASKED}</p>"
        page.save_revision()


def mirrored_and_restricted_since(home, chance):
    pages = hidden_below(home, chance)
    for page in pages:
        again(page).create_alias(parent=again(home), update_slug=f"m-{page.pk}")
    for page in pages:
        restrict(page, "groups")


def opened_by_a_password_in_another_session(home, chance):
    for page in hidden_below(home, chance):
        restrict(page, "password")
    client = Client(HTTP_HOST="localhost")
    pass_passwords(client)
    answer = client.get("/ask", {"query": "kettle", "streaming": "false"})
    assert len(answer.json()["results"]) >= 3
    rows = client.session[PASSED]
    assert ask_site("kettle", session_marks={PASSED: rows}).items
    client.session.flush()


def seen_until_a_group_was_left(home, chance):
    pilots = Group.objects.get(name="pilots")
    member = User.objects.get(username="member")
    for page in hidden_below(home, chance):
        restrict(page, "groups", pilots)
    member.groups.add(pilots)
    assert ask_site("kettle", user=member).items
    member.groups.remove(pilots)


HISTORIES = (
    *map(restricted, ("groups", "password")),
    opened_and_closed,
    moved_under,
    moved_out_of_the_site,
    unpublished,
    unpublished_unseen,
    deleted,
    drafts,
    mirrored_and_restricted_since,
    opened_by_a_password_in_another_session,
    seen_until_a_group_was_left,
)
# Closed to who is not signed in, and open to every member.
FOR_MEMBERS_ONLY = restricted("login")


def grow(home, chance):
    """Add pages that all may see, and some that members may, or the crew."""
    crew = Group.objects.get(name="crew")
    for number in range(9):
        page = add(home, words(chance, 2), words(chance, chance.choice([3, 20, 60])))
        if number % 3 == 2:
            restrict(page, *chance.choice([("login",), ("groups", crew)]))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: history.__name__)
def test_twins_give_the_same_bytes(home, member, history, seed):
    chance = random.Random(f"{history.__name__} {seed}")
    grow(home, chance)
    if seed % 2:
        merge(0)
    with same_bytes(ANONYMOUS, member):
        history(home, chance)


def test_pages_for_members_change_no_byte_for_others(home, member):
    chance = random.Random(1)
    grow(home, chance)
    with same_bytes(ANONYMOUS), other_bytes(member):
        FOR_MEMBERS_ONLY(home, chance)


def test_a_page_that_is_not_hidden_makes_a_difference(home, member):
    chance = random.Random(2)
    grow(home, chance)
    with other_bytes(ANONYMOUS):
        hidden_below(home, chance)


def test_hidden_pages_cost_an_anonymous_question_no_query(home, member):
    chance = random.Random(3)
    grow(home, chance)
    with same_number_of_queries(ANONYMOUS):
        for _ in range(10):
            moved_under(home, chance)
