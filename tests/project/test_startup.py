"""What a site pays and gets when it imports the package."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import nlweb_ask

STARTED = """
import sys
import django
django.setup()
from django.urls import reverse
reverse("nlweb_ask:ask")
print("\\n".join(sys.modules))
"""
ONLY_WHEN_WANTED = [
    "litellm",
    "django_eventstream",
    "wagtail",
    "cms",
    "haystack",
    "modelsearch",
]


@pytest.fixture(scope="module")
def modules_at_start():
    done = subprocess.run(
        [sys.executable, "-c", STARTED],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "example_site.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ONLY_WHEN_WANTED)
def test_start_does_not_import_what_only_some_sites_want(modules_at_start, module):
    assert module not in modules_at_start


def test_start_imports_no_plugin_of_contrib(modules_at_start):
    contrib = [name for name in modules_at_start if "nlweb_ask.contrib." in name]
    assert contrib == []


@pytest.mark.parametrize("name", nlweb_ask.__all__)
def test_public_name_can_be_imported(name):
    assert getattr(nlweb_ask, name) is not None


def test_package_can_be_imported_before_the_apps_are_ready():
    environment = {k: v for k, v in os.environ.items() if k != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(
        [sys.executable, "-c", "import nlweb_ask; print(nlweb_ask.__version__)"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == nlweb_ask.__version__, done.stderr
