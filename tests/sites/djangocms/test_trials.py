"""Cases taken from reports of other systems, where they touch the pages of django CMS."""

from __future__ import annotations

from datetime import datetime

from cms.models import PageContent

from nlweb_ask.index.refresh import sweep
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
    trial.assert_dates_keep_their_day_and_their_zone()
    [document] = sources.get("djangocms").load([f"{seen.pk}:en"])
    for date in ("datePublished", "dateModified", "dateCreated"):
        assert datetime.fromisoformat(document.schema_object[date]).tzinfo


@trial.WORDS_OF_O40
def test_o40_code_stays_and_scripts_go(home, add, committed, number, kept):
    with committed():
        add(home, "Guide", trial.GUIDE)
    assert (trial.names("O40", number) == {"Guide"}) is kept


def test_o40_the_text_of_the_page_is_kept_to_the_sign(home, add, committed):
    with committed():
        add(home, "Guide", trial.GUIDE)
    trial.assert_guide_is_kept_to_the_sign()


@trial.QUESTIONS_OF_O41
def test_o41_an_untidy_page_is_found_by_all_its_parts(
    home, add, committed, number, page
):
    description = {"meta_description": trial.DESCRIPTION}
    with committed():
        add(home, trial.TITLE, trial.BOATS, fields=description)
        add(home, "b", trial.ANCHORS)
    trial.assert_untidy_page_is_found(number, page)


@trial.QUESTIONS_OF_O47
def test_o47_answers_come_from_the_language_asked_for(home, add, committed, number):
    with committed():
        page = add(home, trial.PARKING, "<p>Park behind the hall.</p>")
        building.translate(page, trial.PARKING_IN_FRENCH, "<p>Derrière la salle.</p>")
        add(home, "Opening hours")
    trial.assert_language_asked_for_is_answered(number)
