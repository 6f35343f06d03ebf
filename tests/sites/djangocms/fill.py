"""Fills the site for a real server: pages for all, for a group, and below a closed one.

`python -m tests.sites.djangocms.fill`; with words after it, one change of an editor:
`restrict SLUG`, `open SLUG`, `join USER`, `leave USER`, `move SLUG BELOW`,
`unpublish SLUG`, `say SLUG WORDS`.
"""

from __future__ import annotations

import sys

import django

PASSWORD = "low water"


def fill():
    from django.contrib.auth.models import Group, User
    from django.contrib.sites.models import Site
    from django.db import transaction

    from tests.sites.djangocms import building

    Site.objects.update_or_create(pk=1, defaults={"domain": "localhost"})
    home = building.add(
        title="Welcome aboard",
        html="<p>Berths and pilots, from the breakwater to the old dock.</p>",
        slug="harbour",
    )
    building.say(building.latest(home), "", plugin="AskBoxPlugin")
    with transaction.atomic():
        home.set_as_homepage()

    def add(title, html, **fields):
        return building.add(home, title, html, **fields)

    add("Tides", "<p>The tide turns twice a day. At high water the bar is open.</p>")
    add("Berths", "<p>A berth is kept until the evening tide.</p>")
    crew = Group.objects.create(name="Crew")
    pilots = add("Pilot orders", "<p>The pilot boards at the turn of the tide.</p>")
    building.restrict(pilots, group=crew)
    board = add("Board", "<p>The board meets in spring.</p>", login_required=True)
    minutes = building.add(board, "Minutes", "<p>The board met at spring tide.</p>")
    building.restrict(minutes, group=Group.objects.create(name="Board"))
    staff = User.objects.create_user("staff", password=PASSWORD, is_staff=True)
    staff.groups.set([crew])
    User.objects.create_superuser("boss", password=PASSWORD)


def page_at(slug):
    from cms.models import Page

    return Page.objects.get(urls__slug=slug, urls__language="en")


def change(act, name, more=""):
    from cms.models import PageContent
    from django.contrib.auth.models import Group, User
    from django.db import transaction

    from tests.sites.djangocms import building

    if act in {"join", "leave"}:
        groups = User.objects.get(username=name).groups
        crew = Group.objects.get(name="Crew")
        groups.add(crew) if act == "join" else groups.remove(crew)
        return
    page = page_at(name)
    if act == "restrict":
        building.restrict(page)
    elif act == "open":
        page.pagepermission_set.all().delete()
    elif act == "say":
        building.say(PageContent.objects.get(page=page, language="en"), more)
    elif act == "unpublish":
        content = PageContent.objects.get(page=page, language="en")
        building.version_of(content).unpublish(building.editor())
    else:
        with transaction.atomic():
            page.move_page(page_at(more), "last-child")


if __name__ == "__main__":
    django.setup()
    change(*sys.argv[1:]) if sys.argv[1:] else fill()
