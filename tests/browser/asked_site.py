"""Settings of a site that pages of another site attack, with a member's cookie in hand.

The session cookie goes along wherever a browser lets it: `SameSite=None; Secure`, which
browsers take from `http://localhost`, too. What comes in and goes out is written down.
"""

from __future__ import annotations

import os

from tests.settings import *  # noqa: F403
from tests.settings import DATABASES, MIDDLEWARE

ROOT_URLCONF = "tests.browser.asked_urls"
DATABASES = {"default": {**DATABASES["default"], "NAME": os.environ["ASKED_SITE_DB"]}}
SESSION_COOKIE_SAMESITE = "None"
SESSION_COOKIE_SECURE = True
MIDDLEWARE = [*MIDDLEWARE, "tests.browser.asked_urls.write_down"]

OPEN_TO_ALL = os.environ["ASKED_SITE"] != "closed"
NLWEB_ASK = {
    "ENABLED": True,
    "RATE_LIMIT": "",
    "GENERATORS": ["tests.browser.counted_generator.CountedGenerator"],
    "DEFAULT_MODE": "generate",
    "ALLOW_CROSS_ORIGIN": OPEN_TO_ALL,
}

if os.environ["ASKED_SITE"] == "beside-cors-headers":
    MIDDLEWARE = ["corsheaders.middleware.CorsMiddleware", *MIDDLEWARE]
    CORS_ALLOW_ALL_ORIGINS = True
    CORS_ALLOW_CREDENTIALS = True
