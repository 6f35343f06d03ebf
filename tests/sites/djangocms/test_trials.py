"""Cases taken from reports of other systems, where they touch the pages of django CMS."""

from __future__ import annotations

from datetime import datetime

import pytest
from cms.models import PageContent

from nlweb_ask.index.refresh import sweep
from nlweb_ask.models import Passage
from nlweb_ask.plugins import sources
from tests.sites import trial
from tests.sites.djangocms import building
from tests.sites.djangocms.pages.models import ContentDescription


def described(page, **said):
    ContentDescription.objects.create(
        extended_object=building.latest(page),
        described_as={"@type": "Article", "name": page.get_title("en"), **said},
    )


def test_o39_dates_keep_their_day_and_their_zone(home, add, committed, settings):
    settings.TIME_ZONE = "Europe/Madrid"
    with committed():
        described(add(home, "Date only"), datePublished="2024-03-31")
        aware = add(home, "Aware time")
        described(add(home, "No date"), datePublished=None)
        seen = add(home, "As the CMS knows it")
    if building.VERSIONED:
        tracked = building.version_of(building.latest(aware)).statetracking_set
        tracked.update(date=trial.AWARE)
    else:
        PageContent.objects.filter(page=aware).update(creation_date=trial.AWARE)
    sweep("djangocms")
    found = {item["name"]: item for item in trial.results("O39", 0)}
    assert found["Date only"]["datePublished"] == "2024-03-31"
    published = datetime.fromisoformat(found["Aware time"]["datePublished"])
    assert published == trial.AWARE
    assert "datePublished" not in found["No date"]
    [document] = sources.get("djangocms").load([f"{seen.pk}:en"])
    for date in ("datePublished", "dateModified", "dateCreated"):
        assert datetime.fromisoformat(document.schema_object[date]).tzinfo


@pytest.mark.parametrize(
    ("number", "kept"),
    [(0, True), (1, True), (2, False)],
    ids=["prose", "code", "import"],
)
def test_o40_code_stays_and_scripts_go(home, add, committed, number, kept):
    with committed():
        add(home, "Guide", trial.GUIDE)
    assert (trial.names("O40", number) == {"Guide"}) is kept


def test_o40_the_text_of_the_page_is_kept_to_the_sign(home, add, committed):
    with committed():
        add(home, "Guide", trial.GUIDE)
    text = "\n".join(Passage.objects.values_list("text", flat=True))
    for kept in (trial.SAMPLE, "quay:v{TAG}", "<TOKEN>"):
        assert kept in text
    assert not Passage.objects.filter(heading="Mooring").exists()
    assert "print.css" not in text


@pytest.mark.parametrize(("number", "page"), [(0, "a"), (1, "a"), (2, "a"), (3, "b")])
def test_o41_an_untidy_page_is_found_by_all_its_parts(
    home, add, committed, number, page
):
    description = {"meta_description": trial.DESCRIPTION}
    with committed():
        add(home, trial.TITLE, trial.BOATS, fields=description)
        add(home, "b", trial.ANCHORS)
    [found] = trial.results("O41", number)
    assert found["name"] == {"a": trial.TITLE, "b": "b"}[page]
    if page == "a":
        assert found["abstract"] == trial.DESCRIPTION


@pytest.mark.parametrize("number", [0, 1])
def test_o47_answers_come_from_the_language_asked_for(home, add, committed, number):
    with committed():
        page = add(home, "Parking for visitors", "<p>Park behind the hall.</p>")
        building.translate(page, "Parking des visiteurs", "<p>Derrière la salle.</p>")
        add(home, "Opening hours")
    # German stands for French, which is a language of editors on this site.
    expected = [{"Parking des visiteurs"}, {"Parking for visitors"}]
    assert trial.names("O47", number, fr="de") == expected[number]
