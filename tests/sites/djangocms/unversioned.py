"""The same site without djangocms-versioning: what is saved is public."""

from __future__ import annotations

from tests.sites.djangocms.settings import *  # noqa: F403
from tests.sites.djangocms.settings import INSTALLED_APPS

INSTALLED_APPS = [app for app in INSTALLED_APPS if app != "djangocms_versioning"]
