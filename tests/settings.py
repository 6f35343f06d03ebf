"""The example site's settings, DRF's tokens, and an app that only the tests use."""

from __future__ import annotations

from example_site.settings import *  # noqa: F403
from example_site.settings import INSTALLED_APPS as SITE_APPS

INSTALLED_APPS = [*SITE_APPS, "rest_framework.authtoken", "tests.testapp"]
