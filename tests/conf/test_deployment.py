"""`settings.NLWEB_ASK`: typed, over the defaults, refused aloud."""

from __future__ import annotations

import dataclasses

import pytest
from django.core.exceptions import ImproperlyConfigured

from nlweb_ask.conf import Deployment, deployment
from nlweb_ask.conf.keys import OWNER_FIELDS
from nlweb_ask.models import SiteSettings
from nlweb_ask.plugins import rankers


def test_defaults_hold_without_the_setting(settings):
    del settings.NLWEB_ASK
    assert deployment() == Deployment()


def test_site_is_switched_off_and_searches_by_keyword_by_default():
    assert Deployment().enabled is False
    assert Deployment().retrievers == ("keyword",)


def test_written_keys_stand_over_the_defaults(settings):
    settings.NLWEB_ASK = {"MAX_RESULTS": 5, "ALLOWED_TYPES": ["Recipe"]}
    assert deployment().max_results == 5
    assert deployment().allowed_types == ("Recipe",)
    assert deployment().rate_limit == "30/m"


def test_override_in_a_test_holds_at_once(settings):
    settings.NLWEB_ASK = {"MAX_RESULTS": 5}
    assert deployment().max_results == 5
    settings.NLWEB_ASK = {"MAX_RESULTS": 6}
    assert deployment().max_results == 6


def test_settings_are_read_once(settings):
    settings.NLWEB_ASK = {}
    assert deployment() is deployment()


@pytest.mark.parametrize(
    "written", [{"RETRIVERS": []}, {"MAX_RESULTS": "5"}, {"RATE_LIMIT": "10/week"}, []]
)
def test_setting_that_cannot_be_meant_is_refused(settings, written):
    settings.NLWEB_ASK = written
    with pytest.raises(ImproperlyConfigured, match="NLWEB_ASK"):
        deployment()


def test_plugin_named_by_its_path_is_registered_and_known_by_its_name(settings):
    settings.NLWEB_ASK = {"RANKERS": ["tests.conf.plugin_by_path.Freshest"]}
    assert deployment().rankers == ("freshest",)
    assert "freshest" in rankers
    rankers.unregister("freshest")


@pytest.mark.parametrize(
    "path", ["no.such.Ranker", "tests.conf.plugin_by_path.Missing", "datetime.date"]
)
def test_path_that_cannot_be_used_does_not_stop_the_start(settings, path):
    settings.NLWEB_ASK = {"RANKERS": [path]}
    assert deployment().rankers == (path,)


def test_defaults_of_the_row_and_of_the_settings_are_the_same():
    row, deployed = SiteSettings(), Deployment()
    for name in set(OWNER_FIELDS) - {"default_profile"}:
        written = getattr(row, name)
        assert (tuple(written) if isinstance(written, list) else written) == getattr(
            deployed, name
        )
    assert row.default_profile is None
    assert deployed.default_profile == ""


def test_every_key_has_a_word_of_help():
    assert all(key.metadata["help"] for key in dataclasses.fields(Deployment))
