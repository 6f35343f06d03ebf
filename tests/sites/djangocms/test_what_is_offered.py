"""Which pages can be found at all, where they are, and in which language."""

from __future__ import annotations

import pytest
from cms.models import Page, PageContent, PageUrl
from django.contrib.sites.models import Site
from django.core.checks import run_checks
from django.test import Client

from nlweb_ask.plugins import Viewer, sources
from nlweb_ask.sources.viewers import anonymous_viewer
from tests.sites.djangocms import building


def offered():
    source = sources.get("djangocms")
    return list(source.load([ref.object_id for ref in source.iter_refs()]))


def addresses():
    return {document.url: document.sites for document in offered()}


def test_a_site_that_is_set_up_by_the_tutorial_is_warned_of_nothing(db):
    assert run_checks(tags=["nlweb_ask"], databases=[]) == []


def test_published_pages_are_offered_with_the_path_below_their_site(home, add):
    tides = add(home, "Tides")
    add(tides, "Spring tide")
    assert addresses().keys() == {"/", "/tides/", "/tides/spring-tide/"}


@pytest.mark.skipif(not building.VERSIONED, reason="there are no drafts")
def test_drafts_and_unpublished_pages_are_not_offered(home, add):
    add(home, "Draft", live=False)
    closed = add(home, "Closed")
    add(closed, "Below")
    building.version_of(building.latest(closed)).unpublish(building.editor())
    for url in addresses():
        assert Client(HTTP_HOST="localhost").get(url).status_code == 200
    assert "/draft/" not in addresses()
    assert "/closed/" not in addresses()


def test_each_public_language_of_a_page_is_a_document_of_one_group(home, add):
    tides = add(home, "Tides")
    building.translate(tides, "Gezeiten")
    building.translate(tides, "Marees", language="fr")  # not public on this site
    found = {document.url: document for document in offered()}
    assert found.keys() == {"/", "/tides/", "/de/gezeiten/"}
    assert found["/de/gezeiten/"].language == "de"
    assert found["/de/gezeiten/"].group == found["/tides/"].group


def test_a_page_that_is_shown_in_a_fallback_is_offered_where_it_is_written(home, add):
    only = add(home, "Nur deutsch", language="de")
    assert [d.language for d in offered() if d.group == str(only.pk)] == ["de"]


def test_a_page_that_leads_on_to_another_is_not_offered(home, add):
    add(home, "Moved", fields={"redirect": "/tides/"})
    assert addresses().keys() == {"/"}


def test_a_page_without_an_address_is_not_offered(home, add):
    page = add(home, "Tides")
    PageUrl.objects.filter(page=page).update(path=None)
    assert addresses().keys() == {"/"}


def test_a_type_of_page_is_not_offered(home, add):
    page = add(home, "Kind of page")
    Page.objects.filter(pk=page.pk).update(is_page_type=True)
    assert addresses().keys() == {"/"}


def test_a_page_with_an_apphook_has_a_name_and_none_of_its_own_words(home, add):
    page = add(
        home,
        "Fleet",
        "<p>neverrendered</p>",
        apphook="FleetApp",
        apphook_namespace="fleet",
    )
    [document] = sources.get("djangocms").load([f"{page.pk}:en"])
    assert document.name == "Fleet"
    assert document.sections == ()


def test_pages_of_two_sites_keep_apart(home, add):
    other = Site.objects.create(domain="marina.example", name="Marina")
    berths = add(None, "Berths", site=other)
    french = building.add(None, "Quais", language="fr", site=other)
    assert addresses() == {
        "/": (1,),
        "/berths/": (other.pk,),
        "/fr/quais/": (other.pk,),
    }
    ids = [f"{home.pk}:en", f"{berths.pk}:en", f"{french.pk}:fr"]
    source = sources.get("djangocms")
    assert source.visible_ids(anonymous_viewer(1), ids) == set(ids[:1])
    assert source.visible_ids(anonymous_viewer(other.pk), ids) == set(ids[1:])


def test_what_is_offered_is_what_the_site_shows_to_everybody(home, add):
    """The page's own view is the judge, with a page of every kind."""
    tides = add(home, "Tides")
    building.translate(tides, "Gezeiten")
    building.translate(tides, "Marees", language="fr")
    add(tides, "Spring tide")
    add(home, "For members", login_required=True)
    closed = add(home, "Closed")
    building.restrict(closed)
    add(closed, "Below the closed one")
    add(home, "Moved", fields={"redirect": "/tides/"})
    source = sources.get("djangocms")
    visible = source.visible_ids(
        Viewer(user=anonymous_viewer().user, site_id=1),
        [document.object_id for document in offered()],
    )
    seen = {
        document.url: Client(HTTP_HOST="localhost").get(document.url).status_code == 200
        for document in offered()
    }
    assert seen == {
        document.url: document.object_id in visible for document in offered()
    }
    assert list(seen.values()).count(False) == 3


CHANGES = {
    "title": lambda page: contents(page).update(title="moved"),
    "menu title": lambda page: contents(page).update(menu_title="moved"),
    "description": lambda page: contents(page).update(meta_description="moved"),
    "template": lambda page: contents(page).update(template="harbourcms/other.html"),
    "redirect": lambda page: contents(page).update(redirect="/elsewhere/"),
    "address": lambda page: PageUrl.objects.filter(page=page).update(path="moved"),
    "words": lambda page: building.words(page).update(html="<p>Low water.</p>"),
    "a plug-in less": lambda page: building.words(page).delete(),
    "a plug-in more": lambda page: building.say(building.latest(page), "<p>More.</p>"),
    "site": lambda page: Page.objects.filter(pk=page.pk).update(site=other_site()),
    "move": lambda page: Page.objects.get(pk=page.pk).move_page(
        Page.objects.exclude(path__startswith=page.path).get(is_home=True), "last-child"
    ),
    "the page above is renamed": lambda page: contents(page.parent).update(title="Ebb"),
    "the page above is restricted": lambda page: Page.objects.filter(
        pk=page.parent_id
    ).update(login_required=True),
}


def contents(page):
    return PageContent.admin_manager.filter(page=page)


def other_site():
    return Site.objects.create(domain="marina.example", name="Marina")


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_that_sends_no_signal_moves_the_stamp(home, add, change):
    page = add(add(home, "Tides"), "Spring tide", "<p>High water at noon.</p>")
    source, key = sources.get("djangocms"), f"{page.pk}:en"
    before = source.stamps([key])
    assert before
    CHANGES[change](Page.objects.get(pk=page.pk))
    assert source.stamps([key]) != before


def test_what_is_as_it_was_has_the_stamp_it_had(home, add):
    page = add(home, "Tides", "<p>High water at noon.</p>")
    source, key = sources.get("djangocms"), f"{page.pk}:en"
    before = source.stamps([key])
    add(home, "Another")
    assert source.stamps([key]) == before
    assert {ref.object_id: ref.stamp for ref in source.iter_refs()}[key] == before[key]


@pytest.mark.skipif(not building.VERSIONED, reason="there are no drafts")
def test_a_draft_does_not_move_the_stamp(home, add):
    page = add(home, "Tides", "<p>High water at noon.</p>")
    before = sources.get("djangocms").stamps([f"{page.pk}:en"])
    draft = building.version_of(building.latest(page)).copy(building.editor()).content
    building.say(draft, "<p>A thought of the editor.</p>")
    PageContent.admin_manager.filter(pk=draft.pk).update(title="A thought")
    assert building.latest(page) == draft
    assert sources.get("djangocms").stamps([f"{page.pk}:en"]) == before


@pytest.mark.parametrize("number", [10, 300])
def test_the_stamps_of_any_number_of_pages_cost_the_same_queries(
    home, number, django_assert_max_num_queries
):
    pages = building.add_many(home, number)
    for page in pages[:3]:
        building.say(building.latest(page), "<p>Deep.</p>")
    ids = [f"{page.pk}:en" for page in pages]
    with django_assert_max_num_queries(13):
        assert len(sources.get("djangocms").stamps(ids)) == number
