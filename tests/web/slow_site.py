"""Settings of a site whose answers are written slowly, for tests on real servers.

Two streams at once, a ping each second, and what a stream must get through: gzip, and
each request in a transaction. Times are shorter than a site would have them.
"""

from __future__ import annotations

import os

from tests.settings import *  # noqa: F403
from tests.settings import DATABASES, MIDDLEWARE
from tests.settings import INSTALLED_APPS as TEST_APPS

DEBUG = False
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "slow_urls"
INSTALLED_APPS = [*TEST_APPS, "django.contrib.sites"]
MIDDLEWARE = ["django.middleware.gzip.GZipMiddleware", *MIDDLEWARE]
DATABASES = {
    "default": {
        **DATABASES["default"],
        "NAME": os.environ["SLOW_SITE_DB"],
        "ATOMIC_REQUESTS": True,
    }
}
NLWEB_ASK = {
    "GENERATORS": ["slow_generator.SlowGenerator"],
    "STREAM_THREADS": 2,
    "STREAM_DEADLINE": int(os.environ.get("SLOW_SITE_DEADLINE", "7")),
    "KEEPALIVE_SECONDS": 1,
    "STALL_SECONDS": 1,
    "STREAMS_PER_VISITOR": int(os.environ.get("SLOW_SITE_STREAMS", "4")),
}
