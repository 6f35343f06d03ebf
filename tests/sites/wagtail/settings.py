"""A small Wagtail site in two languages, with one line added: the app of `contrib`."""

from __future__ import annotations

from example_site.settings import *  # noqa: F403
from example_site.settings import BASE_DIR, MIDDLEWARE, TEMPLATES

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.admin",
    "modelcluster",
    "taggit",
    "wagtail.sites",
    "wagtail.users",
    "wagtail.documents",
    "wagtail.images",
    "wagtail.search",
    "wagtail.admin",
    "wagtail.locales",
    "wagtail",
    "rest_framework",
    "nlweb_ask",
    "nlweb_ask.contrib.wagtail",
    "tests.sites.wagtail.pages",
]

MIDDLEWARE = [*MIDDLEWARE]
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "testserver", "marina.example"]
TEMPLATES = [{**TEMPLATES[0], "DIRS": []}]
ROOT_URLCONF = "tests.sites.wagtail.urls"

USE_I18N = True
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "German")]
WAGTAIL_CONTENT_LANGUAGES = LANGUAGES
WAGTAIL_I18N_ENABLED = True
WAGTAIL_SITE_NAME = "Harbour"
WAGTAILADMIN_BASE_URL = "http://127.0.0.1:8000"
MEDIA_ROOT = BASE_DIR / "media"


NLWEB_ASK: dict[str, object] = {"ENABLED": True}
