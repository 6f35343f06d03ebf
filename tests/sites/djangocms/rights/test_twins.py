"""Twins: a site of django CMS, and the same one on which pages were hidden or deleted.

Whoever may not see these gets the same bytes from both, whatever the pages went through.
"""

from __future__ import annotations

import random

import pytest
from cms.models import Page, PageContent, PagePermission
from django.contrib.auth.models import Group, User
from django.contrib.sites.models import Site

from nlweb_ask.index.merge import merge
from nlweb_ask.index.refresh import sweep
from tests.asking import ANONYMOUS
from tests.sites.asking import ask_site
from tests.sites.djangocms import building
from tests.sites.djangocms.rights.states import committed
from tests.sites.twins import (
    ASKED,
    other_bytes,
    same_bytes,
    same_number_of_queries,
    words,
)

HIDDEN = 2  # pages that would be first on every list, if they were on one


def add(parent, title, body, **fields):
    with committed(execute=True):
        number = Page.objects.count()
        return building.add(
            parent, title, f"<p>{body}</p>", slug=f"page-{number}", **fields
        )


def hidden_below(parent, chance, **fields):
    return [
        add(parent, ASKED, f"{ASKED} {words(chance, 9)}", **fields)
        for _ in range(HIDDEN)
    ]


def again(page):
    return Page.objects.get(pk=page.pk)


def restrict(page, **fields):
    building.restrict(again(page), **fields)
    return page


def pilots():
    return {"group": Group.objects.get(name="pilots")}


# What hidden pages may go through. Each of these leaves them hidden, or gone.


def restricted(home, chance):
    for page in hidden_below(home, chance):
        restrict(page, **pilots())


def opened_and_closed(home, chance):
    closed = restrict(add(home, "Closed", "nothing"), **pilots())
    PagePermission.objects.filter(page=closed).delete()
    hidden_below(closed, chance)
    merge(0)
    restrict(closed)


def moved_under(home, chance):
    pages = hidden_below(home, chance)
    closed = restrict(add(home, "Closed", "nothing"), **pilots())
    for page in pages:
        again(page).move_page(again(closed), "last-child")
    # The CMS tells nobody of a page that is moved by code.
    sweep("djangocms", changed_only=True)


def moved_to_another_site(home, chance):
    other = Site.objects.create(domain="marina.example")
    pages = [page.pk for page in hidden_below(home, chance)]
    Page.objects.filter(pk__in=pages).update(site=other)
    sweep("djangocms", changed_only=True)


def unpublished(home, chance):
    for page in hidden_below(home, chance):
        content = building.latest(page)
        if building.VERSIONED:
            building.version_of(content).unpublish(building.editor())
        else:
            content.delete()


def redirecting_unseen(home, chance):
    pages = [page.pk for page in hidden_below(home, chance)]
    PageContent.admin_manager.filter(page__in=pages).update(redirect="/")
    sweep("djangocms", changed_only=True)


def deleted(home, chance):
    for page in hidden_below(home, chance):
        again(page).delete()


def drafts(home, chance):
    hidden_below(home, chance, live=False)
    for page in again(home).get_child_pages():
        if PageContent.objects.filter(page=page, language="en").exists():
            draft = building.version_of(building.latest(page)).copy(building.editor())
            building.say(draft.content, f"<p>{ASKED}</p>")


def in_language_that_is_not_public(home, chance):
    hidden_below(home, chance, language="fr")


def in_placeholders_for_some(home, chance):
    for page in again(home).get_child_pages():
        content = PageContent.objects.get(page=page, language="en")
        with committed(execute=True):
            building.say(content, f"<p>{ASKED}</p>", "members")


def seen_until_a_group_was_left(home, chance):
    member = User.objects.get(username="member")
    for page in hidden_below(home, chance):
        restrict(page, **pilots())
    member.groups.add(pilots()["group"])
    assert len(ask_site("kettle", user=member).items) >= HIDDEN
    member.groups.remove(pilots()["group"])


# What is another thing without versions.
WITHOUT_VERSIONS = [restricted, unpublished, in_placeholders_for_some]
WITH_VERSIONS = [
    *WITHOUT_VERSIONS,
    opened_and_closed,
    moved_under,
    moved_to_another_site,
    redirecting_unseen,
    deleted,
    in_language_that_is_not_public,
    seen_until_a_group_was_left,
    drafts,
]
HISTORIES = WITH_VERSIONS if building.VERSIONED else WITHOUT_VERSIONS


def grow(home, chance):
    """Add pages that all may see, and some that members may, or the crew."""
    crew = Group.objects.get(name="crew")
    for number in range(6):
        title, body = words(chance, 2), words(chance, chance.choice([3, 20, 60]))
        page = add(home, title, body, login_required=number == 2)
        if number == 5:
            restrict(page, group=crew)


@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: history.__name__)
def test_twins_give_the_same_bytes(home, member, history):
    chance = random.Random(history.__name__)
    grow(home, chance)
    if HISTORIES.index(history) % 2:
        merge(0)
    with same_bytes(ANONYMOUS, member), committed(execute=True):
        history(home, chance)


def test_pages_for_members_change_no_byte_for_others(home, member):
    chance = random.Random(1)
    grow(home, chance)
    with same_bytes(ANONYMOUS), other_bytes(member):
        hidden_below(home, chance, login_required=True)


def test_a_page_that_is_not_hidden_makes_a_difference(home, member):
    chance = random.Random(2)
    grow(home, chance)
    with other_bytes(ANONYMOUS):
        hidden_below(home, chance)


def test_hidden_pages_cost_an_anonymous_question_no_query(home, member):
    chance = random.Random(3)
    grow(home, chance)
    with same_number_of_queries(ANONYMOUS):
        for _ in range(5):
            restricted(home, chance)
