"""Which pages can be found at all, where they are, and in which language."""

from __future__ import annotations

import pytest
from wagtail.models import Locale, Page, Site

from nlweb_ask.plugins import sources
from tests.sites.wagtail.pages.models import PlainPage


def offered():
    source = sources.get("wagtail")
    return source.load([ref.object_id for ref in source.iter_refs()])


def addresses():
    return {document.url: document.sites for document in offered()}


def test_live_pages_are_offered_with_the_path_below_their_site(home, add):
    tides = add(home, "Tides")
    add(tides, "Spring tide")
    assert addresses().keys() == {"/", "/tides/", "/tides/spring-tide/"}


def test_drafts_and_unpublished_pages_are_not_offered_but_live_children_are(home, add):
    add(home, "Draft", live=False)
    closed = add(home, "Closed")
    add(closed, "Still open")
    closed.refresh_from_db()
    closed.unpublish()
    assert addresses().keys() == {"/", "/closed/still-open/"}


def test_a_page_outside_of_every_site_is_not_offered(home, add):
    stray = add(Page.objects.get(depth=1), "Stray")
    add(stray, "Below")
    assert addresses().keys() == {"/"}


def test_a_translation_is_offered_in_its_language_beside_the_original(home, add):
    german = Locale.objects.create(language_code="de")
    tides = add(home, "Tides")
    home.copy_for_translation(german).save_revision().publish()
    made = tides.copy_for_translation(german)
    made.title, made.slug = "Gezeiten", "gezeiten"
    made.save_revision().publish()
    found = {document.url: document for document in offered()}
    assert found.keys() == {"/", "/tides/", "/de/", "/de/gezeiten/"}
    assert found["/de/gezeiten/"].language == "de"
    assert found["/de/gezeiten/"].group == found["/tides/"].group


def test_pages_of_two_sites_keep_apart(home, add):
    other = Page.objects.get(depth=1).add_child(
        instance=PlainPage(title="Marina", slug="marina")
    )
    second = Site.objects.create(hostname="marina.example", root_page=other)
    add(other, "Berths")
    first = Site.objects.get(is_default_site=True)
    assert addresses()["/berths/"] == (second.pk,)
    assert {sites for url, sites in addresses().items() if url == "/"} <= {
        (first.pk,),
        (second.pk,),
    }


@pytest.mark.parametrize("change", ["title", "body", "slug", "live", "note"])
def test_an_update_that_sends_no_signal_moves_the_stamp(home, add, change):
    page = add(home, "Tides", "<p>High water at noon.</p>")
    source, key = sources.get("wagtail"), str(page.pk)
    before = source.stamps([key])
    values = {"live": False, "body": "<p>Low water.</p>"}
    PlainPage.objects.filter(pk=page.pk).update(**{change: values.get(change, "moved")})
    assert source.stamps([key]) != before


def test_a_draft_does_not_move_the_stamp(home, add):
    page = add(home, "Tides", "<p>High water at noon.</p>")
    before = sources.get("wagtail").stamps([str(page.pk)])
    page.body = "<p>A thought of the editor.</p>"
    page.save_revision()
    assert sources.get("wagtail").stamps([str(page.pk)]) == before


def test_a_page_above_that_is_renamed_moves_the_stamp(home, add):
    page = add(add(home, "Tides"), "Spring tide")
    before = sources.get("wagtail").stamps([str(page.pk)])
    Page.objects.filter(slug="tides").update(title="Ebb and flow")
    assert sources.get("wagtail").stamps([str(page.pk)]) != before
