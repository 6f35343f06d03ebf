"""Settings of the example site.

`DATABASE` picks the server: sqlite (the default), postgresql or mariadb.
"""

import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent

SECRET_KEY = "an example, not a secret: replace it on any site that others can reach"
DEBUG = os.environ.get("DEBUG", "1") == "1"
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "testserver"]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "nlweb_ask",
    "example_site",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "example_site.urls"
WSGI_APPLICATION = "example_site.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES_BY_NAME = {
    "sqlite": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ.get("SQLITE_PATH", BASE_DIR / "demo.sqlite3"),
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    },
    "postgresql": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "nlweb_ask",
        "USER": os.environ.get("POSTGRES_USER", "postgres"),
        "HOST": "127.0.0.1",
        "PORT": "5432",
        "TEST": {"NAME": os.environ.get("TEST_DATABASE_NAME")},
    },
    "mariadb": {
        "ENGINE": "django.db.backends.mysql",
        "NAME": "nlweb_ask",
        "USER": "root",
        "HOST": "127.0.0.1",
        "PORT": "3306",
        "OPTIONS": {"charset": "utf8mb4"},
        "TEST": {
            "CHARSET": "utf8mb4",
            "NAME": os.environ.get("TEST_DATABASE_NAME"),
        },
    },
}
DATABASES = {"default": DATABASES_BY_NAME[os.environ.get("DATABASE", "sqlite")]}

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"

NLWEB_ASK = {
    # Links in answers begin with it; `make demo PORT=8123` moves the port.
    "BASE_URL": f"http://127.0.0.1:{os.environ.get('PORT', '8000')}",
    # The second one is registered in example_site/apps.py.
    "PROCESSORS": ["follow_up", "house_words"],
}
