"""Django's cache for a whole site, and the validators that a site may have."""

from __future__ import annotations

from typing import Any


def keep_whatever_may_be_kept(settings: Any) -> None:
    settings.MIDDLEWARE = [
        "django.middleware.cache.UpdateCacheMiddleware",
        "django.middleware.http.ConditionalGetMiddleware",
        *settings.MIDDLEWARE,
        "django.middleware.cache.FetchFromCacheMiddleware",
    ]
