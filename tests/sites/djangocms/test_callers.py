"""Who is shown what; `rights` has a judge of its own, and every way to ask.

The judge is the site itself: a page may be found by whoever gets it at its address.
"""

from __future__ import annotations

import pytest
from cms.models import Page, PageContent, PagePermission
from django.contrib.auth.models import Group, User
from django.contrib.sites.models import Site
from django.core.cache import cache

from tests.rights import channels
from tests.rights.channels import JSON, STREAM, asker
from tests.sites.asking import ask_site
from tests.sites.djangocms import building

CALLERS = {
    "anonymous": None,
    "in no group": "nobody",
    "in group A": "in-a",
    "in group B": "in-b",
    "staff": "staff",
    "superuser": "root",
}
CHANNELS = {
    "POST JSON": channels.post("0.55", JSON),
    "POST SSE": channels.post("0.55", STREAM),
    "GET JSON": channels.get(JSON),
    "GET stream": channels.get(STREAM),
    "result page": channels.page,
    "command": channels.command(),
}


def group(name="A"):
    return Group.objects.get_or_create(name=name)[0]


def page(home, number, parent=None, **fields):
    """Make a page with a word of its own, and one that all have."""
    return building.add(
        parent or home,
        f"Page {number}",
        f"<p>tide canary{number}</p>",
        slug=f"p{number}",
        **fields,
    )


def restricted(home, number, **fields):
    made = page(home, number)
    building.restrict(made, group=group(), **fields)
    return made


def below(steps, **fields):
    def make(home, number):
        made = restricted(home, number + 500, **fields)
        for step in range(1, steps):
            made = page(home, number + 500 + 100 * step, parent=made)
        return page(home, number, parent=made)

    return make


def restricted_unseen(home, number):
    made = page(home, number)
    nothing = dict.fromkeys(PagePermission.get_all_permissions(), False)
    row = {**nothing, "can_view": True, "group": group(), "page": made}
    PagePermission.objects.bulk_create([PagePermission(**row)])
    return made


def for_signed_in_unseen(home, number):
    made = page(home, number)
    Page.objects.filter(pk=made.pk).update(login_required=True)
    return made


def unpublished(home, number):
    made = page(home, number)
    content = building.latest(made)
    if building.VERSIONED:
        building.version_of(content).unpublish(building.editor())
    else:
        content.delete()
    return made


def moved(home, number):
    closed, made = restricted(home, number + 500), page(home, number)
    Page.objects.get(pk=made.pk).move_page(Page.objects.get(pk=closed.pk), "last-child")
    return made


def restricted_above_since(home, number):
    above = page(home, number + 500)
    made = page(home, number, parent=above)
    building.restrict(above, group=group())
    return made


def redirecting_unseen(home, number):
    made = page(home, number)
    PageContent.admin_manager.filter(page=made).update(redirect="/")
    return made


def of_another_site(home, number):
    other = Site.objects.get_or_create(domain="marina.example")[0]
    made = building.add(None, f"Page {number}", f"<p>canary{number}</p>", site=other)
    Page.objects.filter(pk=made.pk).update(site=other)
    return made


STATES = {
    "public": page,
    "draft": lambda home, number: page(home, number, live=False),
    "unpublished": unpublished,
    "login required": lambda home, number: page(home, number, login_required=True),
    "login required by update()": for_signed_in_unseen,
    "group A only": restricted,
    "group A only, by bulk_create()": restricted_unseen,
    "restricted by its parent": below(1),
    "restricted two levels above": below(2),
    "below one that is closed alone": below(1, grant_on=1),
    "two below one that closes its children": below(2, grant_on=2),
    "below one that closes its children": below(1, grant_on=2),
    "moved below a restricted page by code": moved,
    "parent restricted since": restricted_above_since,
    "redirecting by update()": redirecting_unseen,
    "of another site": of_another_site,
}


@pytest.fixture(autouse=True)
def _each_change_is_committed(home, committed, monkeypatch):
    """Make each page in a transaction of its own, as its plug-ins are written last."""

    def and_commit(change):
        def changed(*args, **fields):
            with committed():
                return change(*args, **fields)

        return changed

    for name in ("add", "restrict"):
        monkeypatch.setattr(building, name, and_commit(getattr(building, name)))


@pytest.fixture
def pages(home, settings):
    settings.ALLOWED_HOSTS = ["*"]
    for name, fields in {
        "nobody": {},
        "in-a": {},
        "in-b": {},
        "staff": {"is_staff": True},
        "root": {"is_staff": True, "is_superuser": True},
    }.items():
        User.objects.create(username=name, **fields)
    group("A").user_set.add(User.objects.get(username="in-a"))
    group("B").user_set.add(User.objects.get(username="in-b"))
    return {
        state: (number, make(home, number))
        for number, (state, make) in enumerate(STATES.items(), start=11)
    }


def gets(username, made, number):
    """Tell whether the site gives this caller the page, and not another in its place."""
    url = Page.objects.get(pk=made.pk).get_absolute_url("en", fallback=False)
    cache.clear()
    shown = asker(username).client.get(url or f"/p{number}/")
    return shown.status_code == 200 and f"canary{number}" in shown.content.decode()


def test_each_caller_finds_what_the_site_gives_that_caller(pages):
    for caller, username in CALLERS.items():
        may_see = {
            state: gets(username, made, number)
            for state, (number, made) in pages.items()
        }
        whoever = asker(username)
        assert found_by_its_own_word(whoever, pages) == may_see, caller
        for channel, ask in CHANNELS.items():
            said = ask(whoever, "tide", "").body.decode()
            for state, (number, _) in pages.items():
                if not may_see[state]:
                    assert f"canary{number}" not in said, (caller, channel, state)
                    assert f"Page {number}" not in said, (caller, channel, state)
        # A judge who says one thing of all pages would prove nothing.
        assert len(set(may_see.values())) == 2


def found_by_its_own_word(whoever, pages):
    def ask(number):
        return CHANNELS["POST JSON"](whoever, f"canary{number}", "").body.decode()

    return {
        state: f"Page {number}" in ask(number) for state, (number, _) in pages.items()
    }


def test_twenty_forbidden_hits_do_not_stand_before_the_one_that_is_allowed(home):
    closed = building.add(home, "Closed")
    building.restrict(closed)
    for number in range(20):
        building.add(closed, f"Tide {number}", "<p>tide tide tide tide</p>")
    building.add(home, "Harbour log", f"<p>{'A long day. ' * 40} The tide turned.</p>")
    assert ask_site("tide").names == ["Harbour log"]
