"""Fills the site for a real server: pages for all, for members, and behind a password.

`python -m tests.sites.wagtail.fill`; with words after it, one change of an editor:
`restrict SLUG`, `open SLUG`, `join USER`, `leave USER`, `move SLUG BELOW`.
"""

from __future__ import annotations

import sys

import django

PASSWORD = "low water"


def fill():
    from django.contrib.auth.models import Group, User
    from wagtail.models import Locale, Page, PageViewRestriction, Site

    from tests.sites.wagtail.pages.models import PlainPage, StreamPage

    Locale.objects.get_or_create(language_code="en")
    top = Page.objects.get(depth=1)
    home = top.add_child(instance=StreamPage(title="Welcome aboard", slug="harbour"))
    home.body = [
        (
            "text",
            "<p>Berths and pilots, from the breakwater to the old dock.</p>",
        ),
        ("ask", {"label": "Ask the harbour"}),
    ]
    home.save_revision().publish()
    Site.objects.all().delete()
    Site.objects.create(hostname="localhost", root_page=home, is_default_site=True)

    def add(title, body):
        parent = Page.objects.get(pk=home.pk)
        slug = title.lower().replace(" ", "-")
        page = PlainPage(title=title, slug=slug, body=body)
        return Page.objects.get(pk=parent.add_child(instance=page).pk)

    add("Tides", "<p>The tide turns twice a day. At high water the bar is open.</p>")
    add("Berths", "<p>A berth is kept until the evening tide.</p>")
    pilots = add("Pilot orders", "<p>The pilot boards at the turn of the tide.</p>")
    minutes = add("Minutes", "<p>The board met at spring tide.</p>")
    crew, editors = Group.objects.create(name="Crew"), Group.objects.get(name="Editors")
    restrict(pilots, "groups").groups.add(crew)
    PageViewRestriction.objects.create(
        page=minutes, restriction_type="password", password=PASSWORD
    )
    staff = User.objects.create_user("staff", password=PASSWORD, is_staff=True)
    staff.groups.set([crew, editors])
    User.objects.create_superuser("boss", password=PASSWORD)


def restrict(page, kind):
    from wagtail.models import PageViewRestriction

    return PageViewRestriction.objects.create(page=page, restriction_type=kind)


def change(act, name, below=""):
    from django.contrib.auth.models import Group, User
    from wagtail.models import Page

    if act in {"join", "leave"}:
        groups = User.objects.get(username=name).groups
        crew = Group.objects.get(name="Crew")
        groups.add(crew) if act == "join" else groups.remove(crew)
        return
    page = Page.objects.get(slug=name)
    if act == "restrict":
        restrict(page, "login")
    elif act == "open":
        page.view_restrictions.all().delete()
    else:
        page.move(Page.objects.get(slug=below), pos="last-child")


if __name__ == "__main__":
    django.setup()
    change(*sys.argv[1:]) if sys.argv[1:] else fill()
