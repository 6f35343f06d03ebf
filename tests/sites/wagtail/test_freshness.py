"""Each change that an editor makes is in the next answer."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from wagtail.models import Page, PageViewRestriction

from nlweb_ask.contrib.wagtail.source import WagtailSource
from nlweb_ask.index.refresh import sweep
from nlweb_ask.index.signals import connect_signals
from nlweb_ask.models import Document
from nlweb_ask.plugins import sources
from tests.asking import ANONYMOUS
from tests.sites.asking import ask_site
from tests.sites.wagtail.pages.models import PlainPage, StreamPage


def names(question="tide", user=ANONYMOUS):
    return sorted(ask_site(question, user=user).names)


def public():
    rows = Document.objects.filter(indexed=True, public=True)
    return sorted(rows.values_list("name", flat=True))


@pytest.fixture
def tides(home, add):
    return add(home, "Tides", "<p>The tide turns at noon.</p>")


@pytest.fixture
def spring(tides, add):
    return add(tides, "Spring tide", "<p>A spring tide rises high.</p>")


def restrict(page, kind="login"):
    return PageViewRestriction.objects.create(
        page=Page.objects.get(pk=page.pk), restriction_type=kind
    )


def test_a_page_that_is_published_unpublished_and_deleted(home, add):
    page = add(home, "Tides", "<p>The tide turns.</p>", live=False)
    assert names() == []
    page.save_revision().publish()
    assert names() == ["Tides"]
    page.refresh_from_db()
    page.unpublish()
    assert names() == []
    page.save_revision().publish()
    page.refresh_from_db()
    page.delete()
    assert names() == []
    assert not Document.objects.filter(indexed=True, name="Tides").exists()


def test_a_draft_over_a_live_page_changes_no_answer(tides):
    tides.body = "<p>draftcanary</p>"
    tides.title = "Draft"
    revision = tides.save_revision()
    assert names() == ["Tides"]
    assert names("draftcanary") == []
    revision.publish()
    assert names("draftcanary") == ["Draft"]


@pytest.mark.parametrize("kind", ["login", "groups", "password"])
def test_a_restriction_closes_the_page_and_all_below_at_once(tides, spring, kind):
    row = restrict(tides, kind)
    assert public() == ["Harbour"]
    assert names() == []
    row.delete()
    assert public() == ["Harbour", "Spring tide", "Tides"]
    assert names() == ["Spring tide", "Tides"]


class WatchingSource(WagtailSource):
    name = "watching"
    watch = ["auth.Group"]

    def affected_by(self, instance):
        return ()


def test_a_watch_of_the_site_leaves_restrictions_followed(tides):
    sources.register(WatchingSource)
    connect_signals()
    try:
        sweep(WatchingSource.name)
        rows = Document.objects.filter(source=WatchingSource.name, public=True)
        assert rows.filter(name="Tides").exists()
        restrict(tides)
        assert not rows.filter(name="Tides").exists()
    finally:
        sources.unregister(WatchingSource.name)


def test_a_group_that_is_joined_and_left_counts_at_once(tides, spring):
    crew = Group.objects.create(name="crew")
    restrict(spring, "groups").groups.add(crew)
    member = User.objects.create_user("member")
    assert names(user=member) == ["Tides"]
    member.groups.add(crew)
    assert names(user=User.objects.get(pk=member.pk)) == ["Spring tide", "Tides"]
    member.groups.remove(crew)
    assert names(user=User.objects.get(pk=member.pk)) == ["Tides"]


def test_a_page_that_mirrors_one_closes_with_it_wherever_it_stands(home, add, tides):
    quay = add(home, "Quay")
    mirror = tides.create_alias(parent=quay, update_slug="tides-again")
    add(mirror, "Below the mirror", "<p>The tide again.</p>")
    assert names() == ["Below the mirror", "Tides", "Tides"]
    restrict(tides)
    assert names() == []
    assert public() == ["Harbour", "Quay"]


def test_a_page_that_mirrors_one_says_what_that_one_says(home, add, tides):
    tides.create_alias(parent=add(home, "Quay"), update_slug="tides-again")
    tides.refresh_from_db()
    tides.body = "<p>It is ebb.</p>"
    revision = tides.save_revision()
    assert names("ebb") == []
    revision.publish()
    assert names("ebb") == ["Tides", "Tides"]
    assert names("noon") == []
    tides.unpublish()
    assert names("ebb") == []


def test_a_subtree_that_is_moved_below_a_restriction_and_out(home, add, tides, spring):
    closed = add(home, "Members")
    restrict(closed)
    tides.refresh_from_db()
    tides.move(closed, pos="last-child")
    assert names() == []
    assert public() == ["Harbour"]
    tides.refresh_from_db()
    home.refresh_from_db()
    tides.move(home, pos="last-child")
    assert names() == ["Spring tide", "Tides"]
    assert "Spring tide" in public()


def test_a_new_slug_moves_the_addresses_of_all_below(
    tides, spring, django_capture_on_commit_callbacks
):
    tides.refresh_from_db()
    tides.slug = "ebb"
    with django_capture_on_commit_callbacks(execute=True):
        tides.save_revision().publish()
    urls = set(Document.objects.filter(indexed=True).values_list("url", flat=True))
    assert urls == {"/", "/ebb/", "/ebb/spring-tide/"}


def test_a_page_unpublished_by_update_is_gone_at_once(tides):
    PlainPage.objects.filter(pk=tides.pk).update(live=False)
    assert names() == []


def test_words_taken_out_by_update_are_not_quoted(tides):
    PlainPage.objects.filter(pk=tides.pk).update(body="<p>The tide is calm.</p>")
    [item] = ask_site("tide").items
    assert "noon" not in str(item)


def test_a_password_opens_the_page_for_that_session_alone(tides):
    row = restrict(tides, "password")
    passed = {"passed_page_view_restrictions": [row.pk]}
    boss = User.objects.create_superuser("boss")
    assert names() == names(user=boss) == []
    assert ask_site("tide", session_marks=passed).names == ["Tides"]
    assert ask_site("tide", user=boss, session_marks=passed).names == ["Tides"]


def test_a_stream_of_blocks_is_found_and_the_same_at_every_look(home):
    page = StreamPage(title="Old dock", slug="old-dock")
    page.body = [("text", "<p>The sextant hangs in the old dock.</p>")]
    home.add_child(instance=page).save_revision().publish()
    source = sources.get("wagtail")
    looks = [source.stamps([str(page.pk)]) for _ in range(5)]
    assert looks == looks[:1] * 5
    assert "Old dock" in names("sextant")
