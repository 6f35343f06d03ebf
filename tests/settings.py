"""The example site's settings, DRF's tokens, search engines, and apps of the tests."""

from __future__ import annotations

from example_site.settings import *  # noqa: F403
from example_site.settings import INSTALLED_APPS as SITE_APPS

INSTALLED_APPS = [
    *SITE_APPS,
    "rest_framework.authtoken",
    "haystack",
    "modelsearch",
    "tests.testapp",
    "tests.contrib.guides",
]

HAYSTACK_CONNECTIONS = {
    "default": {
        "ENGINE": "haystack.backends.whoosh_backend.WhooshEngine",
        "STORAGE": "ram",
    },
}
