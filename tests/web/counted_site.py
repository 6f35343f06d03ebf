"""The slow site, asked through several processes that count in one Redis."""

from __future__ import annotations

import os

from slow_site import *  # noqa: F403
from slow_site import MIDDLEWARE as SLOW_MIDDLEWARE
from slow_site import NLWEB_ASK as SLOW


def named_process(get_response):
    """Say in each response which process gave it."""

    def respond(request):
        response = get_response(request)
        response["X-Process"] = str(os.getpid())
        return response

    return respond


MIDDLEWARE = ["counted_site.named_process", *SLOW_MIDDLEWARE]
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": "redis://127.0.0.1:6379/15",
        "KEY_PREFIX": os.environ["COUNTED_SITE_PREFIX"],
    }
}
NLWEB_ASK = {
    **SLOW,
    "RATE_LIMIT": os.environ["COUNTED_SITE_RATE"],
    "LOCKED": ["rate_limit"],
    "TRUSTED_PROXIES": int(os.environ["COUNTED_SITE_PROXIES"]),
    "STREAMS_PER_VISITOR": 2,
    "STREAM_DEADLINE": 20,
}
