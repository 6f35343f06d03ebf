"""A site of made pages that is measured; a folder of its own holds all it writes."""

from __future__ import annotations

import os

from example_site.settings import *  # noqa: F403
from example_site.settings import DATABASES as SITE_DATABASES

DEBUG = False
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "tests.bench.urls"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "nlweb_ask",
    "tests.bench",
]
# What middleware costs is the same for every view: it would only flatter ours.
MIDDLEWARE: list[str] = []
TEMPLATES: list[dict[str, object]] = []
REST_FRAMEWORK = {"DEFAULT_AUTHENTICATION_CLASSES": []}
DATABASES = {
    "default": {
        **SITE_DATABASES["default"],
        "NAME": os.environ["BENCH_DATABASE"],
        "CONN_MAX_AGE": None,
    }
}
NLWEB_ASK = {
    "ENABLED": True,
    # Counted, and never reached.
    "RATE_LIMIT": "1000000/m",
    "MERGE_IN_BACKGROUND": False,
}
LOGGING = {"version": 1, "disable_existing_loggers": True}
