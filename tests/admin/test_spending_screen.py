"""What models have cost, as the owner is shown it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
import time_machine

from nlweb_ask.ai.budget import Cost, Payer, reserve
from nlweb_ask.models import ModelSpending, SiteSettings
from tests.factories import SiteSettingsFactory
from tests.several_sites import several_sites

pytestmark = pytest.mark.django_db

VISITOR = Payer(site_id=0, visitor="anna")


UNPRICED = {"model": "openai/llama", "base_url": "http://localhost:11434/v1"}
PRICED = {**UNPRICED, "input_price": 0.25, "output_price": 2.0}


@pytest.fixture(autouse=True)
def model(settings):
    settings.NLWEB_ASK = {"MODELS": {"small": PRICED}}


@pytest.fixture
def shown(owner, url):
    """Return the words of the page; `shown("?site=2")` those of another site."""

    def read(query=""):
        response = owner.get(url("modelspending_changelist") + query)
        assert response.status_code == 200
        return words_of(response)

    return read


def words_of(response):
    return " ".join(re.sub(r"<[^>]+>", " ", content_of(response)).split())


def content_of(response):
    page = response.content.decode()
    return page[page.index('<div id="content-main">') : page.index("<footer")]


def spend(calls, micros=0, payer=VISITOR):
    return [reserve(payer, Cost(1, micros), seconds=60) for _ in range(calls)]


def test_page_is_there_before_any_model_is_asked(shown):
    words = shown()
    assert "There is budget left: language models are asked." in words
    assert "0 of 500" in words
    assert "No model has been asked today." in words
    assert not ModelSpending.objects.exists()  # to look is not to write


def test_page_shows_calls_and_cost_against_the_caps(shown):
    SiteSettingsFactory(model_calls_per_day=20, model_cost_per_month=5)
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False):
        for lease in spend(3, micros=20_000):
            lease.settle(Cost(1, 1_500))
        words = shown()
    assert "Today (March 2, 2026) 3 of 20 0.0045, no cap 15 %" in words
    assert "This month (March 2026) 3 of 10000 0.0045 of 5 0 %" in words
    assert "12:00 UTC+00:00 3 0.0045" in words


def test_page_shows_each_hour_of_today(shown, settings):
    settings.TIME_ZONE = "Europe/Zurich"
    with time_machine.travel("2026-10-24 21:30:00+00:00", tick=False) as clock:
        spend(1)  # yesterday
        clock.move_to("2026-10-25 00:30:00+00:00")
        spend(2)
        clock.move_to("2026-10-25 01:30:00+00:00")
        spend(3)
        words = shown()
    assert "23:00" not in words
    assert "02:00 UTC+02:00 2 0.0000 02:00 UTC+01:00 3 0.0000" in words
    assert "time zone Europe/Zurich" in words


def test_page_of_the_next_day_begins_at_nothing(shown):
    with time_machine.travel("2026-03-31 12:00:00+00:00", tick=False) as clock:
        spend(3)
        clock.move_to("2026-04-01 12:00:00+00:00")
        words = shown()
    assert words.count("0 of 500") == 1
    assert words.count("0 of 10000") == 1


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("model_calls_per_day", "The budget of today is used up"),
        ("model_calls_per_month", "The budget of this month is used up"),
    ],
)
def test_page_says_when_a_budget_is_used_up(shown, field, said):
    SiteSettingsFactory(**{field: 2})
    spend(2)
    assert said in shown()


def test_page_says_when_a_call_did_not_fit(shown):
    SiteSettingsFactory(model_cost_per_day=1)
    payer = Payer(site_id=0)
    spend(1, micros=700_000, payer=payer)
    assert "A call did not fit." not in shown()
    with pytest.raises(Exception, match="budget"):
        spend(1, micros=700_000, payer=payer)
    assert "A call did not fit." in shown()


def test_page_says_that_models_are_switched_off(shown):
    SiteSettingsFactory(models_enabled=False)
    assert "Language models are switched off" in shown()


def test_page_tells_calls_that_are_under_way_from_lost_ones(shown):
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        spend(2)
        assert "2 calls are under way" in shown()
        clock.shift(61)
        words = shown()
    assert "under way" not in words
    assert "2 calls of today were never settled" in words


def test_page_says_what_the_shares_come_to(shown):
    SiteSettingsFactory(model_calls_per_day=1000, model_member_reserve=20)
    words = shown()
    assert "One visitor may use 100 calls a day." in words
    assert "All visitors together may use 250 calls an hour." in words
    assert "200 calls a day are kept for visitors who are signed in." in words


@pytest.mark.parametrize(
    ("models", "picked", "said"),
    [
        ({}, "", "No language model is asked: none is set up."),
        ({"small": PRICED}, "gone", "the settings name “gone”, which is not set up"),
        (
            {"small": {**PRICED, "key_variable": "KEY_THAT_NOBODY_SETS"}},
            "",
            "the key of “small” is not there. Whoever runs the server sets the",
        ),
    ],
)
def test_page_says_why_a_model_cannot_be_asked_though_there_is_budget(
    shown, settings, models, picked, said
):
    settings.NLWEB_ASK = {"MODELS": models}
    SiteSettingsFactory(language_model=picked)
    words = shown()
    assert said in words
    assert "There is budget left" not in words


def test_page_tells_no_cost_of_calls_without_a_price(shown, settings):
    settings.NLWEB_ASK = {"MODELS": {"small": UNPRICED}}
    spend(2)
    words = shown()
    assert "2 of 500 not known, no cap" in words
    assert "UTC 2 not known" in re.sub(r"UTC\+00:00", "UTC", words)
    assert "0.0000" not in words


def test_page_names_the_model_its_prices_and_the_cost_of_a_call(shown, settings):
    settings.NLWEB_ASK = {"MODELS": {"small": PRICED}}
    words = shown()
    assert "Model in use: small (openai/llama), 0.25 for a million tokens read" in words
    assert "One call can cost up to 0.0090" in words


@pytest.mark.parametrize(
    ("model", "cap", "said"),
    [
        (UNPRICED, 5, "cost has a cap, and the price of “small” is not known"),
        (PRICED, 0.001, "One call can cost up to 0.0090, more than the cap of 0.001"),
    ],
)
def test_page_says_that_no_call_can_meet_a_cap(shown, settings, model, cap, said):
    settings.NLWEB_ASK = {"MODELS": {"small": model}}
    SiteSettingsFactory(model_cost_per_month=cap)
    words = shown()
    assert said in words
    assert "There is budget left" not in words


def test_page_shows_the_shares_of_now(shown):
    SiteSettingsFactory(model_calls_per_day=40)
    for number in range(10):
        spend(1, payer=Payer(site_id=0, visitor=str(number)))
    words = shown()
    assert "All visitors (this hour) 10 of 10" in words
    assert "Visitors not signed in (today) 10 of 36" in words
    assert "share of this hour is used up" in words


@pytest.mark.parametrize("lost", ["row", "cap"])
def test_page_says_when_nothing_can_be_told(shown, lost):
    SiteSettingsFactory()
    spend(1)
    if lost == "row":
        ModelSpending.objects.all().delete()
    else:
        SiteSettings.objects.update(model_cost_per_day=-1)
    assert "What has been spent cannot be told" in shown()


# Who may look


@pytest.mark.parametrize(
    ("codename", "status"),
    [
        ("view_modelspending", 200),
        ("change_modelspending", 200),
        ("view_sitesettings", 403),
        ("view_visitorspending", 403),
    ],
)
def test_page_is_for_who_may_see_it(staff, url, codename, status):
    client = staff(codename)
    assert client.get(url("modelspending_changelist")).status_code == status


def test_page_needs_somebody_of_the_staff(client, url):
    response = client.get(url("modelspending_changelist"))
    assert response.status_code == 302
    assert "/login/" in response.url


@pytest.mark.parametrize("page", ["add", "delete"])
def test_nothing_can_be_written(owner, url, page):
    spend(1)
    asked = url(f"modelspending_{page}", *([0] if page == "delete" else []))
    assert owner.post(asked, {"post": "yes"}).status_code == 403
    assert ModelSpending.objects.get().day_calls == 1


def test_row_leads_to_the_page_of_its_site(owner, url):
    spend(1)
    response = owner.get(url("modelspending_change", 0))
    assert response.url == url("modelspending_changelist") + "?site=0"


def test_settings_are_offered_to_who_may_see_them(staff, url):
    link = f'href="{url("sitesettings_changelist")}">Change the caps'
    client = staff("view_modelspending")
    assert link not in client.get(url("modelspending_changelist")).content.decode()
    client = staff("view_modelspending", "change_sitesettings")
    assert link in client.get(url("modelspending_changelist")).content.decode()


def test_visitors_and_single_calls_have_no_page(owner):
    index = owner.get("/admin/").content.decode()
    assert "modelspending" in index
    assert "visitorspending" not in index
    assert "modellease" not in index


# Several sites


def test_each_of_several_sites_has_a_page(shown):
    with several_sites("one.example", "two.example"):
        spend(3, payer=Payer(site_id=2))
        assert "0 of 500" in shown()
        words = shown("?site=2")
    assert "one.example two.example" in words
    assert "3 of 500" in words


@pytest.mark.parametrize("named", ["7", "x", "-1", "²", "9" * 5000])
def test_site_that_is_none_shows_the_default_one(shown, named):
    assert "0 of 500" in shown(f"?site={named}")


# The page itself


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def tags_of(response):
    tags = Tags()
    tags.feed(content_of(response))
    return tags.found


def test_page_needs_no_inline_style_and_no_script(owner, url):
    spend(1)
    for tag, attributes in tags_of(owner.get(url("modelspending_changelist"))):
        assert tag not in {"script", "style"}
        assert not [name for name in attributes if name[:2] == "on" or name == "style"]


def test_every_cell_has_a_heading(owner, url):
    spend(1)
    tags = tags_of(owner.get(url("modelspending_changelist")))
    headings = [attributes for tag, attributes in tags if tag == "th"]
    assert headings
    assert all(attributes.get("scope") in {"col", "row"} for attributes in headings)
    assert [tag for tag, _ in tags].count("caption") == 2


def test_page_asks_few_questions(owner, url, django_assert_max_num_queries):
    spend(3)
    with django_assert_max_num_queries(6):
        owner.get(url("modelspending_changelist"))
