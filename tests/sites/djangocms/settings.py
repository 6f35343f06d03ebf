"""A small site of django CMS in two languages, with one line added: the app of `contrib`."""

from __future__ import annotations

from example_site.settings import *  # noqa: F403
from example_site.settings import BASE_DIR, MIDDLEWARE

INSTALLED_APPS = [
    "django.contrib.sites",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.admin",
    "cms",
    "menus",
    "treebeard",
    "sekizai",
    "parler",
    "djangocms_text",
    "djangocms_versioning",
    "djangocms_alias",
    "rest_framework",
    "nlweb_ask",
    "nlweb_ask.contrib.djangocms",
    "tests.sites.djangocms.pages",
]

MIDDLEWARE = [
    *MIDDLEWARE,
    "cms.middleware.user.CurrentUserMiddleware",
    "cms.middleware.page.CurrentPageMiddleware",
    "cms.middleware.toolbar.ToolbarMiddleware",
    "cms.middleware.language.LanguageCookieMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "sekizai.context_processors.sekizai",
                "cms.context_processors.cms_settings",
            ]
        },
    }
]
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "testserver", "marina.example"]
ROOT_URLCONF = "tests.sites.djangocms.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SITE_ID = 1  # without it the CMS does not look at CMS_LANGUAGES
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
MEDIA_ROOT = BASE_DIR / "media"

USE_I18N = True
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "German"), ("fr", "French")]
CMS_LANGUAGES = {
    1: [
        {"code": "en", "name": "English", "fallbacks": ["de"]},
        {"code": "de", "name": "German", "fallbacks": ["en"]},
        {"code": "fr", "name": "French", "public": False},
    ],
    "default": {
        "fallbacks": ["en"],
        "public": True,
        "redirect_on_fallback": True,
        "hide_untranslated": False,
    },
}
CMS_TEMPLATES = [
    ("harbourcms/page.html", "Page"),
    ("harbourcms/other.html", "Other placeholders"),
    ("harbourcms/inner.html", "A block that is shown to some"),
    ("harbourcms/tags.html", "A placeholder in each kind of tag"),
]
CMS_CONFIRM_VERSION4 = True
CMS_PERMISSION = True

NLWEB_ASK: dict[str, object] = {"ENABLED": True}
