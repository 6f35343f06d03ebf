"""E006 and W013: authentication classes that cannot be used are named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHECK_WITHOUT_ITS_APP = """
from django.conf import settings
from example_site import settings as site

words = {name: value for name, value in vars(site).items() if name.isupper()}
words["NLWEB_ASK"] = {
    "AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"]
}
settings.configure(**words)

import django
from django.core.management import call_command

django.setup()
call_command("check")
"""


def written(*paths):
    return {"AUTHENTICATION_CLASSES": list(paths)}


@pytest.mark.parametrize(
    ("path", "said", "hinted"),
    [
        pytest.param("no.such.Class", "No module named 'no'", "TokenAuth", id="module"),
        pytest.param("datetime.Missing", "Missing", "TokenAuth", id="class"),
        pytest.param("NoPath", "NoPath", "TokenAuth", id="no-path"),
        pytest.param("datetime.date", "datetime.date", "BaseAuth", id="another-class"),
        pytest.param("json.dumps", "json.dumps", "BaseAuth", id="function"),
        pytest.param(
            "tests.checks.module_that_breaks.Key", "broken", "TokenAuth", id="breaks"
        ),
    ],
)
def test_class_that_cannot_be_used_is_named(settings, reported, path, said, hinted):
    settings.NLWEB_ASK = written(path)

    [message] = reported("E006")

    assert path in message.msg
    assert said in message.msg
    assert hinted in message.hint


def test_tokens_without_their_app_are_told_which_one_to_add():
    done = subprocess.run(
        [sys.executable, "-c", CHECK_WITHOUT_ITS_APP],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "nlweb_ask.E006" in done.stderr
    assert '"rest_framework.authtoken"' in done.stderr


@pytest.mark.parametrize(
    "name", ["TokenAuthentication", "BasicAuthentication", "RemoteUserAuthentication"]
)
def test_classes_of_drf_are_not_reported(settings, reported, name):
    settings.NLWEB_ASK = written(f"rest_framework.authentication.{name}")

    assert reported("E006") + reported("W013") == []


def test_authentication_by_session_is_advised_against(settings, reported):
    settings.NLWEB_ASK = written("rest_framework.authentication.SessionAuthentication")

    [message] = reported("W013")

    assert "CSRF" in message.msg
    assert reported("E006") == []


def test_settings_that_cannot_be_read_are_left_to_their_own_check(settings, reported):
    settings.NLWEB_ASK = {"AUTHENTICATION_CLASSES": "one.Path"}

    assert reported("E006") == []
    assert len(reported("E001")) == 1
