"""A Wagtail site whose pages are of a model of the project's own (Wagtail 8)."""

from __future__ import annotations

from tests.sites.wagtail.settings import *  # noqa: F403
from tests.sites.wagtail.settings import INSTALLED_APPS

INSTALLED_APPS = [
    app for app in INSTALLED_APPS if app != "tests.sites.wagtail.pages"
] + ["tests.sites.swapped.pages"]
ROOT_URLCONF = "tests.sites.wagtail.urls"
WAGTAIL_PAGE_MODEL = "dock.DockPage"
WAGTAIL_I18N_ENABLED = False
