"""What a page says: declared fields only, as Wagtail would index them."""

from __future__ import annotations

import pytest
from django.test import Client
from wagtail.images.models import Image

from nlweb_ask.plugins import sources
from tests.sites.asking import ask_site
from tests.sites.wagtail.pages.models import (
    DescribedPage,
    PlainPage,
    StreamPage,
    Tip,
)

LONG = {"@type": "Event", "name": "x" * 5_000_000}


def read(page):
    [document] = sources.get("wagtail").load([str(page.pk)])
    return document


def words(page):
    return "\n".join(
        f"{section.heading} {section.text}" for section in read(page).sections
    )


def test_a_rich_text_is_cut_at_its_headings(home, add):
    page = add(home, "Tides", "<p>Begin.</p><h2>High water</h2><p>At <b>noon</b>.</p>")
    sections = [(part.heading, part.text) for part in read(page).sections]
    assert sections == [("", "Begin."), ("High water", "At noon.")]


def test_a_field_that_is_not_declared_stays_out(home, add):
    page = add(home, "Tides", "<p>High.</p>", note="the pilot drinks")
    assert "pilot" not in words(page)
    assert "pilot" not in str(read(page).schema_object)


def test_a_stream_gives_its_texts_and_choices_but_no_raw_html(home, add):
    page = add(home, "Berths", kind=StreamPage)
    page.body = [
        ("text", "<p>Call <i>first</i>.</p>"),
        ("berths", [{"name": "North quay", "depth": "deep"}]),
        ("raw", "<p>rawcanary</p>"),
        ("page", home),
    ]
    page.tips = [Tip(text="Bring fenders.")]
    page.save_revision().publish()
    said = words(page)
    for text in ("Call first.", "North quay", "Deep water", "Bring fenders."):
        assert text in said
    assert "rawcanary" not in said


def test_a_draft_never_shows_in_words_or_name(home, add):
    page = add(home, "Tides", "<p>High water.</p>")
    page.title, page.body = "Secret", "<p>draftcanary</p>"
    page.save_revision()
    assert read(page).name == "Tides"
    assert "draftcanary" not in words(page)


def test_a_page_without_an_object_of_its_own_gets_one_with_its_place(home, add):
    page = add(add(home, "Tides"), "Spring tide", search_description="Twice a month.")
    said = read(page).schema_object
    assert said["@type"] == "WebPage"
    assert said["name"] == "Spring tide"
    assert said["description"] == "Twice a month."
    assert said["url"] == "/tides/spring-tide/"
    assert said["inLanguage"] == "en"
    steps = said["breadcrumb"]["itemListElement"]
    assert [(step["name"], step["item"]) for step in steps] == [
        ("Harbour", "/"),
        ("Tides", "/tides/"),
    ]


@pytest.mark.parametrize(
    ("address", "given"), [("boats.png", True), ("boats.png?key=1", False)]
)
def test_the_chosen_image_is_given_unless_its_address_is_signed(
    home, add, monkeypatch, address, given
):
    image = Image(title="Boats", file="boats.png", width=1, height=1)
    monkeypatch.setattr(image.file.storage, "url", lambda name: f"/media/{address}")
    monkeypatch.setattr(PlainPage, "picture", image, raising=False)
    said = read(add(home, "Tides")).schema_object
    assert said.get("image") == ("/media/boats.png" if given else None)


def test_the_name_of_an_unpublished_page_above_is_not_told(home, add):
    closed = add(home, "Closed canary")
    page = add(closed, "Open")
    closed.refresh_from_db()
    closed.unpublish()
    assert "canary" not in str(read(page).schema_object["breadcrumb"])


def test_a_page_that_says_what_it_is_is_taken_at_its_word(home, add):
    own = {"@type": "Event", "name": "Regatta", "startDate": "2027-05-01"}
    page = add(home, "Regatta", kind=DescribedPage, described_as=own)
    assert read(page).schema_object["@type"] == "Event"
    assert read(page).schema_object["startDate"] == "2027-05-01"


def entity_of_a_request(page, request):
    user = "anonymous" if request.user.is_anonymous else "somebody"
    return {
        "@type": "Event",
        "audience": f"{user} {request.path} {dict(request.session)}",
    }


def entity(page):
    return [{"@type": "WebSite"}, {"@type": "Event", "audience": "all"}]


@pytest.mark.parametrize(
    ("made_by", "audience"),
    [(entity_of_a_request, "anonymous /regatta/ {}"), (entity, "all")],
    ids=["with-request", "without"],
)
def test_an_ld_entity_is_taken_with_or_without_a_request(
    home, add, monkeypatch, made_by, audience
):
    monkeypatch.setattr(PlainPage, "ld_entity", made_by, raising=False)
    assert read(add(home, "Regatta")).schema_object["audience"] == audience


def test_addresses_that_a_page_gives_itself_do_not_replace_its_own(home, add):
    foreign = "https://elsewhere.example/regatta/"
    own = {
        "@type": "Event",
        "@id": foreign,
        "url": foreign,
        "mainEntityOfPage": foreign,
    }
    add(home, "Regatta", kind=DescribedPage, described_as=own)
    [item] = ask_site("regatta").items
    assert "elsewhere" not in str(item)
    assert item["@id"] == item["url"] == "https://site.example/regatta/"


def test_an_end_of_script_in_an_object_closes_no_script_of_the_result_page(home, add):
    name = "Regatta </script><script>alert(1)</script>"
    own = {"@type": "Event", "name": name, "location": name}
    add(home, "Regatta", "<p>&lt;/script&gt;</p>", kind=DescribedPage, described_as=own)
    client = Client(HTTP_HOST="localhost")
    page = client.get("/ask/results/", {"q": "regatta"}).content.decode()
    assert "Regatta" in page
    assert "<script>alert" not in page
    answer = client.get("/ask", {"query": "regatta", "streaming": "false"})
    assert answer.json()["results"][0]["schema_object"]["location"] == name


@pytest.mark.parametrize(
    "own",
    [None, "broken", {}, {"name": "no type"}, ["list"], pytest.param(LONG, id="5 MB")],
)
def test_an_object_that_is_none_gives_way_to_the_page_as_seen(home, add, own, caplog):
    page = add(home, "Regatta", kind=DescribedPage, described_as=own)
    assert read(page).schema_object["@type"] == "WebPage"
    assert "words of the page" not in caplog.text
