"""Cases taken from reports of other systems, where they touch the pages of Wagtail."""

from __future__ import annotations

from wagtail.models import Locale, Page

from nlweb_ask.index.refresh import sweep
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
    trial.assert_dates_keep_their_day_and_their_zone()


@trial.WORDS_OF_O40
def test_o40_code_stays_and_scripts_go(home, add, number, kept):
    add(home, "Guide", trial.GUIDE)
    assert (trial.names("O40", number) == {"Guide"}) is kept


def test_o40_the_text_of_the_page_is_kept_to_the_sign(home, add):
    add(home, "Guide", trial.GUIDE)
    trial.assert_guide_is_kept_to_the_sign()


@trial.QUESTIONS_OF_O41
def test_o41_an_untidy_page_is_found_by_all_its_parts(home, add, number, page):
    fields = {"search_description": trial.DESCRIPTION}
    boats = DescribedPage(title=trial.TITLE, slug="a", body=trial.BOATS, **fields)
    home.refresh_from_db()
    home.add_child(instance=boats)
    add(home, "b", trial.ANCHORS)
    trial.assert_untidy_page_is_found(number, page)


@trial.QUESTIONS_OF_O47
def test_o47_answers_come_from_the_language_asked_for(home, add, number):
    page = add(home, trial.PARKING, "<p>Park behind the hall.</p>")
    add(home, "Opening hours")
    locale = Locale.objects.create(language_code="de")
    home.copy_for_translation(locale).save_revision().publish()
    german = page.copy_for_translation(locale)
    german.title, german.body = trial.PARKING_IN_FRENCH, "<p>Derrière la salle.</p>"
    german.save_revision().publish()
    trial.assert_language_asked_for_is_answered(number)
