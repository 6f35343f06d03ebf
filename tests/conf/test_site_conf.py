"""How one site answers: the row over settings.py over the defaults, read every time."""

from __future__ import annotations

import pytest

from nlweb_ask.conf import base_url, deployed_row, site_conf
from nlweb_ask.models import SiteSettings
from tests.factories import IndexProfileFactory, SiteSettingsFactory
from tests.several_sites import several_sites

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


def test_site_is_off_until_it_is_switched_on(settings):
    settings.NLWEB_ASK = {}
    assert site_conf(0).enabled is False


def test_settings_hold_where_there_is_no_row(settings):
    settings.NLWEB_ASK = {"MAX_RESULTS": 7, "ENABLED": True, "DEFAULT_PROFILE": "docs"}
    conf = site_conf(0)
    assert (conf.max_results, conf.enabled, conf.default_profile) == (7, True, "docs")


def test_row_stands_over_the_settings(settings):
    settings.NLWEB_ASK = {"MAX_RESULTS": 7, "RATE_LIMIT": "5/m"}
    SiteSettingsFactory(max_results=20, rate_limit="", allowed_types=["Recipe"])
    conf = site_conf(0)
    assert conf.max_results == 20
    assert conf.rate_limit == ""
    assert conf.allowed_types == ("Recipe",)


def test_locked_field_takes_the_setting_whatever_the_row_says(settings):
    settings.NLWEB_ASK = {"MAX_RESULTS": 7, "LOCKED": ["max_results", "enabled"]}
    SiteSettingsFactory(max_results=20, enabled=True, snippet_length=99)
    conf = site_conf(0)
    assert conf.max_results == 7
    assert conf.enabled is False  # locked at its default
    assert conf.snippet_length == 99


def test_row_of_another_site_changes_nothing():
    SiteSettingsFactory(site_id=2, enabled=True, max_results=3)
    assert site_conf(0).enabled is False
    assert site_conf(2).max_results == 3


def test_change_holds_from_the_next_question_on():
    row = SiteSettingsFactory(enabled=True)
    assert site_conf(0).enabled is True
    SiteSettings.objects.filter(pk=row.pk).update(enabled=False)
    assert site_conf(0).enabled is False


@pytest.mark.parametrize("profiles", [0, 5])
def test_site_is_read_in_one_query(django_assert_num_queries, profiles):
    for _ in range(profiles):
        SiteSettingsFactory(default_profile=IndexProfileFactory())
    with django_assert_num_queries(1):
        site_conf(0)


def test_default_profile_is_named():
    SiteSettingsFactory(default_profile=IndexProfileFactory(name="docs"))
    assert site_conf(0).default_profile == "docs"


def test_default_profile_that_was_deleted_is_none():
    profile = IndexProfileFactory(name="docs")
    SiteSettingsFactory(default_profile=profile)
    profile.delete()
    assert site_conf(0).default_profile == ""


def test_address_in_the_row_stands_over_that_in_the_settings(settings):
    settings.NLWEB_ASK = {"BASE_URL": "https://settings.example"}
    row = SiteSettingsFactory()
    assert base_url(0) == "https://settings.example"
    row.base_url = "https://row.example"
    row.save()
    assert base_url(0) == "https://row.example"


def test_locked_address_is_that_of_the_settings(settings):
    settings.NLWEB_ASK = {"BASE_URL": "https://s.example", "LOCKED": ["base_url"]}
    SiteSettingsFactory(base_url="https://row.example")
    assert base_url(0) == "https://s.example"


@pytest.mark.parametrize(
    ("debug", "hosts", "address"),
    [
        pytest.param(False, ["www.example.org"], "https://www.example.org", id="host"),
        pytest.param(
            False, [".a.org", "*", "b.org"], "https://b.org", id="first-plain-host"
        ),
        pytest.param(False, [], "http://localhost:8000", id="no-host"),
        pytest.param(True, ["www.example.org"], "http://localhost:8000", id="debug"),
    ],
)
def test_address_that_is_set_nowhere_comes_from_the_hosts(
    settings, debug, hosts, address
):
    settings.NLWEB_ASK, settings.DEBUG, settings.ALLOWED_HOSTS = {}, debug, hosts
    assert base_url(0) == address


def test_address_that_is_set_nowhere_is_the_domain_of_the_site(settings):
    settings.NLWEB_ASK = {}
    with several_sites("one.example", "two.example"):
        assert base_url(2) == "https://two.example"


def test_row_to_begin_with_holds_what_is_in_force(settings):
    settings.NLWEB_ASK = {
        "MAX_RESULTS": 7,
        "ALLOWED_TYPES": ["Recipe"],
        "DEFAULT_PROFILE": "docs",
        "BASE_URL": "https://settings.example",
    }
    profile = IndexProfileFactory(name="docs")
    before = site_conf(0)
    row = deployed_row(0)
    assert row.pk is None
    assert row.default_profile == profile
    assert row.base_url == ""  # goes on following settings.py
    row.save()
    assert site_conf(0) == before


def test_row_to_begin_with_has_no_profile_of_another_site(settings):
    settings.NLWEB_ASK = {"DEFAULT_PROFILE": "docs"}
    IndexProfileFactory(name="docs", site_id=2)
    assert deployed_row(0).default_profile is None
