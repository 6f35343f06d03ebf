"""Cases taken from reports of other systems, where they touch the pages of Wagtail."""

from __future__ import annotations

from datetime import datetime

import pytest
from wagtail.models import Locale, Page

from nlweb_ask.index.refresh import sweep
from nlweb_ask.models import Passage
from tests.sites import trial
from tests.sites.wagtail.pages.models import DescribedPage


def test_o39_dates_keep_their_day_and_their_zone(home, add, settings):
    settings.TIME_ZONE = "Europe/Madrid"
    own = {"@type": "Article", "name": "Date only", "datePublished": "2024-03-31"}
    add(home, "Date only", kind=DescribedPage, described_as=own)
    aware, none = add(home, "Aware time"), add(home, "No date")
    Page.objects.filter(pk=aware.pk).update(first_published_at=trial.AWARE)
    Page.objects.filter(pk=none.pk).update(first_published_at=None)
    sweep("wagtail")
    found = {item["name"]: item for item in trial.results("O39", 0)}
    assert found["Date only"]["datePublished"] == "2024-03-31"
    published = datetime.fromisoformat(found["Aware time"]["datePublished"])
    assert published == trial.AWARE
    assert "datePublished" not in found["No date"]


@pytest.mark.parametrize(
    ("number", "kept"),
    [(0, True), (1, True), (2, False)],
    ids=["prose", "code", "import"],
)
def test_o40_code_stays_and_scripts_go(home, add, number, kept):
    add(home, "Guide", trial.GUIDE)
    assert (trial.names("O40", number) == {"Guide"}) is kept


def test_o40_the_text_of_the_page_is_kept_to_the_sign(home, add):
    add(home, "Guide", trial.GUIDE)
    text = "\n".join(Passage.objects.values_list("text", flat=True))
    for kept in (trial.SAMPLE, "quay:v{TAG}", "<TOKEN>"):
        assert kept in text
    assert not Passage.objects.filter(heading="Mooring").exists()
    assert "print.css" not in text


@pytest.mark.parametrize(("number", "page"), [(0, "a"), (1, "a"), (2, "a"), (3, "b")])
def test_o41_an_untidy_page_is_found_by_all_its_parts(home, add, number, page):
    fields = {"search_description": trial.DESCRIPTION}
    boats = DescribedPage(title=trial.TITLE, slug="a", body=trial.BOATS, **fields)
    home.refresh_from_db()
    home.add_child(instance=boats)
    add(home, "b", trial.ANCHORS)
    [found] = trial.results("O41", number)
    assert found["name"] == {"a": trial.TITLE, "b": "b"}[page]
    if page == "a":
        assert found["abstract"] == trial.DESCRIPTION


@pytest.mark.parametrize("number", [0, 1])
def test_o47_answers_come_from_the_language_asked_for(home, add, number):
    page = add(home, "Parking for visitors", "<p>Park behind the hall.</p>")
    add(home, "Opening hours")
    locale = Locale.objects.create(language_code="de")
    home.copy_for_translation(locale).save_revision().publish()
    german = page.copy_for_translation(locale)
    german.title, german.body = "Parking des visiteurs", "<p>Derrière la salle.</p>"
    german.save_revision().publish()
    # German stands for French, which this site does not have.
    expected = [{"Parking des visiteurs"}, {"Parking for visitors"}]
    assert trial.names("O47", number, fr="de") == expected[number]
