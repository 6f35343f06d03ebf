"""Our rule for many pages against Wagtail's own, page by page, on random trees."""

from __future__ import annotations

import random

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User
from wagtail.models import PageViewRestriction

from nlweb_ask.plugins import Viewer, sources
from tests.sites.wagtail.pages.models import PlainPage

TREES = 12
PAGES = 30


class Asked:
    """What Wagtail's rule looks at of a request."""

    def __init__(self, user, session):
        self.user = user
        self.session = session


@pytest.fixture
def groups(db):
    return [Group.objects.create(name=name) for name in ("crew", "pilots")]


def grow(home, dice):
    """Make a random tree, with pages that mirror others."""
    pages = [home]
    for number in range(PAGES):
        parent = dice.choice(pages)
        parent.refresh_from_db()
        if number > 8 and dice.random() < 0.25:
            of = dice.choice(pages[1:])
            of.refresh_from_db()
            pages.append(of.create_alias(parent=parent, update_slug=f"mirror-{number}"))
        else:
            page = PlainPage(title=f"Page {number}", slug=f"page-{number}")
            pages.append(parent.add_child(instance=page))
    return pages


def restrict(pages, groups, dice):
    """Put random restrictions on some pages, also on those that mirror others."""
    for page in dice.sample(pages[1:], 6):
        kind = dice.choice(["login", "groups", "password", "none"])
        row = PageViewRestriction.objects.create(
            page=page.page_ptr if hasattr(page, "page_ptr") else page,
            restriction_type=kind,
            password="tide" if kind == "password" else "",
        )
        if kind == "groups":
            row.groups.set(dice.sample(groups, dice.randint(0, 2)))


def callers(groups):
    member = User.objects.create_user("member")
    member.groups.add(groups[0])
    return {
        "anonymous": AnonymousUser(),
        "stranger": User.objects.create_user("stranger"),
        "member": member,
        "staff": User.objects.create_user("staff", is_staff=True),
        "superuser": User.objects.create_superuser("superuser"),
    }


def by_wagtail(page, user, session):
    rules = page.get_view_restrictions()
    return all(rule.accept_request(Asked(user, session)) for rule in rules)


def test_no_page_is_judged_otherwise_than_by_wagtail(home, groups):
    users = callers(groups)
    checked = closed = mirrors = 0
    for seed in range(TREES):
        dice = random.Random(seed)
        home.refresh_from_db()
        for child in home.get_children():
            child.delete()
        home.refresh_from_db()
        PageViewRestriction.objects.all().delete()
        pages = grow(home, dice)
        restrict(pages, groups, dice)
        rows = list(PageViewRestriction.objects.values_list("pk", flat=True))
        session = {"passed_page_view_restrictions": dice.sample(rows, 3)}
        ids = [str(page.pk) for page in pages]
        for user in users.values():
            for marks in ({}, session):
                viewer = Viewer(user=user, session_marks=marks)
                visible = sources.get("wagtail").visible_ids(viewer, ids)
                for page in pages:
                    allowed = by_wagtail(page, user, marks)
                    assert (str(page.pk) in visible) == allowed, (seed, page.pk, user)
                    checked += 1
                    closed += not allowed
                    mirrors += not allowed and page.alias_of_id is not None
    # A run that decided nothing would prove nothing.
    assert checked > 3_000
    assert closed > 600
    assert mirrors > 60
