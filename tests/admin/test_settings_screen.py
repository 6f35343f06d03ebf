"""The settings of a site in the admin."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import CHANGE, LogEntry

from nlweb_ask.models import SiteSettings
from tests.factories import IndexProfileFactory, SiteSettingsFactory
from tests.index.toy_embedder import vector_settings
from tests.several_sites import several_sites

pytestmark = pytest.mark.django_db

FILLED_IN = {
    "site_id": 0,
    "enabled": "on",
    "base_url": "https://www.example.org",
    "default_mode": "list",
    "max_results": 20,
    "snippet_length": 200,
    "allowed_types": "Recipe\nArticle",
    "default_profile": "",
    "rate_limit": "10/m",
    "models_enabled": "on",
    "language_model": "",
    "model_calls_per_day": 500,
    "model_calls_per_month": 10000,
    "model_cost_per_day": 0,
    "model_cost_per_month": 0,
    "model_hour_share": 25,
    "model_visitor_share": 10,
    "model_member_reserve": 10,
    "embedder": "",
}


@pytest.fixture(autouse=True)
def _plain_settings(settings):
    settings.NLWEB_ASK = {}


def errors_of(response):
    return response.context["adminform"].form.errors


def test_list_without_a_row_leads_to_the_form(owner, url):
    response = owner.get(url("sitesettings_changelist"))
    assert response.url == url("sitesettings_add")
    assert not SiteSettings.objects.exists()  # to look is not to write


def test_list_with_the_only_row_leads_to_it(owner, url):
    row = SiteSettingsFactory()
    response = owner.get(url("sitesettings_changelist"))
    assert response.url == url("sitesettings_change", row.pk)


def test_owner_switches_the_site_on(owner, url):
    response = owner.post(url("sitesettings_add"), FILLED_IN, follow=True)
    assert response.status_code == 200
    row = SiteSettings.objects.get()
    assert (row.site_id, row.enabled, row.max_results) == (0, True, 20)
    assert row.allowed_types == ["Recipe", "Article"]
    assert row.allow_legacy is False  # not ticked


def test_form_begins_with_what_is_in_force(owner, url, settings):
    settings.NLWEB_ASK = {"MAX_RESULTS": 7, "ALLOWED_TYPES": ["Recipe"]}
    form = owner.get(url("sitesettings_add")).context["adminform"].form
    assert form["max_results"].value() == 7
    assert form["allowed_types"].value() == "Recipe"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rate_limit", "10/week"),
        ("rate_limit", "ten per minute"),
        ("rate_limit", "0/m"),
        ("max_results", 500),
        ("snippet_length", 3),
        ("base_url", "www.example.org"),
        ("allowed_types", "recipe"),
        ("default_mode", "sing"),
        ("site_id", 7),
    ],
)
def test_wrong_value_is_refused_and_nothing_is_saved(owner, url, field, value):
    response = owner.post(url("sitesettings_add"), {**FILLED_IN, field: value})
    assert field in errors_of(response)
    assert not SiteSettings.objects.exists()


def test_second_row_of_a_site_cannot_be_added(owner, url):
    SiteSettingsFactory()
    assert owner.get(url("sitesettings_add")).status_code == 403


def test_row_cannot_be_deleted(owner, url):
    row = SiteSettingsFactory()
    assert owner.post(url("sitesettings_delete", row.pk)).status_code == 403


def test_change_is_logged_with_what_was_changed(owner, url):
    row = SiteSettingsFactory(enabled=False)
    owner.post(url("sitesettings_change", row.pk), FILLED_IN)
    entry = LogEntry.objects.get(action_flag=CHANGE)
    assert "Switched on" in entry.get_change_message()


def test_saving_without_a_change_logs_none(owner, url):
    owner.post(url("sitesettings_add"), FILLED_IN)
    row = SiteSettings.objects.get()
    owner.post(url("sitesettings_change", row.pk), FILLED_IN)
    assert LogEntry.objects.get(action_flag=CHANGE).get_change_message() == (
        "No fields changed."
    )


def test_locked_field_is_shown_with_its_value_and_the_reason(owner, url, settings):
    settings.NLWEB_ASK = {"RATE_LIMIT": "60/m", "LOCKED": ["rate_limit"]}
    row = SiteSettingsFactory(rate_limit="5/m")
    page = owner.get(url("sitesettings_change", row.pk)).content.decode()
    assert '<output class="readonly" id="id_rate_limit">60/m</output>' in page
    assert "NLWEB_ASK[“RATE_LIMIT”]" in page
    assert 'name="rate_limit"' not in page
    assert 'name="max_results"' in page


def test_locked_field_cannot_be_posted(owner, url, settings):
    settings.NLWEB_ASK = {"LOCKED": ["enabled", "rate_limit"]}
    row = SiteSettingsFactory(enabled=False, rate_limit="30/m", max_results=5)
    owner.post(url("sitesettings_change", row.pk), {**FILLED_IN, "rate_limit": "9/s"})
    row.refresh_from_db()
    assert (row.enabled, row.rate_limit, row.max_results) == (False, "30/m", 20)


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("ENABLED", True, "Yes"),
        ("ALLOW_LEGACY", False, "No"),
        ("ALLOWED_TYPES", ["Recipe", "Article"], "Recipe, Article"),
        ("RATE_LIMIT", "", "(empty)"),
        ("ALLOWED_TYPES", [], "(empty)"),
        ("DEFAULT_PROFILE", "docs", "docs"),
        ("MAX_RESULTS", 3, "3"),
    ],
)
def test_locked_value_is_written_out(owner, url, settings, key, value, shown):
    settings.NLWEB_ASK = {key: value, "LOCKED": [key.lower()]}
    page = owner.get(url("sitesettings_add")).content.decode()
    assert f'id="id_{key.lower()}">{shown}</output>' in page


def test_locked_mode_that_nothing_can_write_does_not_stop_the_owner(
    owner, url, settings
):
    settings.NLWEB_ASK = {
        "DEFAULT_MODE": "generate",
        "GENERATORS": [],
        "LOCKED": ["default_mode"],
    }
    owner.post(url("sitesettings_add"), FILLED_IN)
    assert SiteSettings.objects.get().default_mode == "list"


def test_locked_field_keeps_what_the_owner_chose(owner, url, settings):
    row = SiteSettingsFactory(rate_limit="5/m")
    settings.NLWEB_ASK = {"RATE_LIMIT": "60/m", "LOCKED": ["rate_limit"]}
    owner.post(url("sitesettings_change", row.pk), FILLED_IN)
    row.refresh_from_db()
    assert (row.rate_limit, row.max_results) == ("5/m", 20)


def test_locked_profile_is_saved_by_its_name(owner, url, settings):
    settings.NLWEB_ASK = {"DEFAULT_PROFILE": "docs", "LOCKED": ["default_profile"]}
    profile = IndexProfileFactory(name="docs")
    owner.post(url("sitesettings_add"), FILLED_IN)
    assert SiteSettings.objects.get().default_profile == profile


def test_all_modes_are_offered(owner, url):
    form = owner.get(url("sitesettings_add")).context["adminform"].form
    modes = [choice[0] for choice in form.fields["default_mode"].choices]
    assert modes == ["list", "summarize", "generate"]


def test_only_modes_that_can_be_written_are_offered(owner, url, settings):
    settings.NLWEB_ASK = {"GENERATORS": []}
    form = owner.get(url("sitesettings_add")).context["adminform"].form
    assert [choice[0] for choice in form.fields["default_mode"].choices] == ["list"]


def test_only_profiles_of_the_site_are_offered(owner, url):
    here, _there = IndexProfileFactory(), IndexProfileFactory(site_id=2)
    row = SiteSettingsFactory()
    form = owner.get(url("sitesettings_change", row.pk)).context["adminform"].form
    assert list(form.fields["default_profile"].queryset) == [here]


def test_only_models_of_the_settings_are_offered(owner, url, settings):
    model = {"model": "openai/some-model"}
    settings.NLWEB_ASK = {"MODELS": {"small": model, "large": model}}
    form = owner.get(url("sitesettings_add")).context["adminform"].form
    assert form.fields["language_model"].choices == [
        ("", "the first one: small"),
        ("small", "small"),
        ("large", "large"),
    ]
    response = owner.post(
        url("sitesettings_add"), {**FILLED_IN, "language_model": "openai/other"}
    )
    assert set(errors_of(response)) == {"language_model"}
    owner.post(url("sitesettings_add"), {**FILLED_IN, "language_model": "large"})
    assert SiteSettings.objects.get().language_model == "large"


UNPRICED = {"model": "openai/some-model"}
PRICED = {**UNPRICED, "input_price": 0.25, "output_price": 2.0}


@pytest.mark.parametrize(
    ("model", "cap", "said"),
    [
        (UNPRICED, 5, "the price of “small” is not known"),
        (PRICED, 0.001, "One call can cost up to 0.0090, more than the cap of 0.001"),
        (UNPRICED, 0, ""),
        (PRICED, 5, ""),
    ],
)
def test_saving_warns_of_a_cap_of_cost_that_bars_the_model(
    owner, url, settings, model, cap, said
):
    settings.NLWEB_ASK = {"MODELS": {"small": model}}
    filled_in = {**FILLED_IN, "model_cost_per_day": cap}
    response = owner.post(url("sitesettings_add"), filled_in, follow=True)
    assert SiteSettings.objects.get().model_cost_per_day == cap
    levels = {
        message.level_tag: str(message) for message in response.context["messages"]
    }
    assert said in levels.get("warning", "")
    assert ("warning" in levels) is bool(said)


def test_model_that_is_gone_stays_chosen_until_the_owner_picks_another(owner, url):
    row = SiteSettingsFactory(language_model="gone")
    form = owner.get(url("sitesettings_change", row.pk)).context["adminform"].form
    assert form.fields["language_model"].choices == [
        ("", "none is set up"),
        ("gone", "gone (not installed)"),
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model_calls_per_day", 0),
        ("model_calls_per_day", ""),
        ("model_calls_per_month", -1),
        ("model_cost_per_day", -0.01),
        ("model_cost_per_day", "nan"),
        ("model_cost_per_month", "inf"),
        ("model_hour_share", 0),
        ("model_visitor_share", 101),
        ("model_member_reserve", 101),
    ],
)
def test_cap_that_cannot_be_meant_is_refused(owner, url, field, value):
    response = owner.post(url("sitesettings_add"), {**FILLED_IN, field: value})
    assert set(errors_of(response)) == {field}
    assert not SiteSettings.objects.exists()


def test_owner_switches_models_off(owner, url):
    row = SiteSettingsFactory()
    owner.post(url("sitesettings_change", row.pk), {**FILLED_IN, "models_enabled": ""})
    row.refresh_from_db()
    assert row.models_enabled is False


def test_who_may_only_view_sees_the_values_and_no_button(staff, url):
    client = staff("view_sitesettings")
    row = SiteSettingsFactory(rate_limit="5/m")
    page = client.get(url("sitesettings_changelist"), follow=True).content.decode()
    assert "5/m" in page
    assert 'name="_save"' not in page
    assert client.post(url("sitesettings_change", row.pk), FILLED_IN).status_code == 403


def test_who_may_only_view_is_told_that_there_is_nothing_yet(staff, url):
    response = staff("view_sitesettings").get(url("sitesettings_changelist"))
    assert "No site has settings of its own yet" in response.content.decode()


def test_who_has_no_permission_is_turned_away(staff, url):
    assert staff().get(url("sitesettings_changelist")).status_code == 403


def test_each_of_several_sites_has_a_row_of_its_own(owner, url):
    with several_sites("one.example", "two.example"):
        SiteSettingsFactory(site_id=1)
        listed = owner.get(url("sitesettings_changelist")).content.decode()
        assert "one.example" in listed
        form = owner.get(url("sitesettings_add")).context["adminform"].form
        assert form.fields["site_id"].choices == [
            (1, "one.example"),
            (2, "two.example"),
        ]
        response = owner.post(url("sitesettings_add"), {**FILLED_IN, "site_id": 1})
        assert "site_id" in errors_of(response)
        owner.post(url("sitesettings_add"), {**FILLED_IN, "site_id": 2})
        assert owner.get(url("sitesettings_add")).status_code == 403
    assert set(SiteSettings.objects.values_list("site_id", flat=True)) == {1, 2}


def test_row_stays_with_its_site(owner, url):
    with several_sites("one.example", "two.example"):
        row = SiteSettingsFactory(site_id=1)
        owner.post(url("sitesettings_change", row.pk), {**FILLED_IN, "site_id": 2})
    row.refresh_from_db()
    assert (row.site_id, row.max_results) == (1, 20)


def test_list_of_sites_asks_once_for_their_names(
    owner, url, django_assert_max_num_queries
):
    with several_sites(*(f"s{number}.example" for number in range(8))) as site_ids:
        for site_id in site_ids:
            SiteSettingsFactory(site_id=site_id)
        with django_assert_max_num_queries(10):
            owner.get(url("sitesettings_changelist"))


def test_owner_picks_an_embedder_by_its_label(owner, url, settings):
    settings.NLWEB_ASK = vector_settings()
    owner.post(url("sitesettings_add"), {**FILLED_IN, "embedder": "toy"}, follow=True)
    assert SiteSettings.objects.get().embedder == "toy"


def test_embedder_that_settings_do_not_know_is_refused(owner, url, settings):
    settings.NLWEB_ASK = vector_settings()
    filled_in = {**FILLED_IN, "embedder": "mine"}
    assert "embedder" in errors_of(owner.post(url("sitesettings_add"), filled_in))
