"""Which class stands under a name, whoever comes first."""

from __future__ import annotations

import pytest

from nlweb_ask.plugins.registry import Registry


class Brought:
    name = "pages"


class Written(Brought):
    """What a site writes in place of what an app brings."""


@pytest.fixture
def registry():
    return Registry("source", "load")


def test_what_a_site_writes_takes_the_place_of_what_an_app_brings(registry):
    registry.provide(Brought)
    assert isinstance(registry.get("pages"), Brought)
    registry.register(Written)
    assert isinstance(registry.get("pages"), Written)
    assert registry.doubles == []


def test_what_an_app_brings_later_changes_nothing(registry):
    registry.register(Written)
    registry.provide(Brought)
    assert registry.classes() == (Written,)
    assert registry.doubles == []


def test_a_second_one_that_a_site_writes_is_kept_for_the_check_to_report(registry):
    registry.provide(Brought)
    registry.register(Written)

    class Another(Brought):
        pass

    registry.register(Another)
    assert registry.doubles == [("pages", Written, Another)]


def test_what_was_brought_can_be_forgotten_and_brought_again(registry):
    registry.provide(Brought)
    registry.unregister("pages")
    assert "pages" not in registry
    registry.provide(Brought)
    assert registry.names() == ("pages",)


def test_a_plugin_without_a_name_is_refused(registry):
    with pytest.raises(TypeError, match="name of its own"):
        registry.provide(object)
