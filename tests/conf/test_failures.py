"""What is told of an exception: kind and place; its message only to a developer."""

from __future__ import annotations

import pytest

from nlweb_ask.conf.failures import described, reason
from nlweb_ask.plugins import PluginFailed, SourceFault

PRIVATE = "words of a page"


def raised(*errors):
    """Raise each error from the one before, and return the last."""
    cause = None
    for error in errors:
        try:
            raise error from cause  # noqa: TRY301
        except Exception as caught:  # noqa: BLE001
            cause = caught
    return cause


def test_kind_and_place_are_told_without_the_message():
    told = described(raised(ValueError(PRIVATE)))
    assert told.startswith("error=ValueError at=")
    assert "test_failures.py" in told
    assert PRIVATE not in told


def test_message_is_told_to_a_developer(settings):
    settings.DEBUG = True
    assert f"message='{PRIVATE}'" in described(raised(ValueError(PRIVATE)))


def test_message_keeps_to_one_line(settings):
    settings.DEBUG = True
    assert "\n" not in described(raised(ValueError("two\nlines")))


def test_first_cause_is_told():
    told = described(raised(KeyError("x"), PluginFailed("mine")))
    assert told.startswith("error=KeyError")


def test_fault_of_a_source_is_told_with_its_message_and_not_with_its_cause():
    fault = raised(ValueError(PRIVATE), SourceFault("no bdy"), PluginFailed("mine"))
    assert "error=SourceFault" in described(fault)
    assert "message='no bdy'" in described(fault)


@pytest.mark.parametrize("debug", [True, False])
def test_message_of_a_stranger_is_never_kept(settings, debug):
    settings.DEBUG = debug
    assert reason(ValueError(PRIVATE)) == "ValueError"
    assert reason(SourceFault("no bdy")) == "no bdy"
