"""How often one caller may ask: one count for every way in.

django-ratelimit counts; it stays out of `INSTALLED_APPS`, where its system check would
refuse caches that are good enough for a small site.
"""

from __future__ import annotations

import logging
from typing import Any, Literal

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django_ratelimit.core import get_usage  # type: ignore[import-untyped]

from nlweb_ask.conf import SiteConf, deployment
from nlweb_ask.plugins.types import UserLike
from nlweb_ask.protocol.errors import RateLimited, ServerBusy
from nlweb_ask.web.address import client_network

logger = logging.getLogger("nlweb_ask.request")

Bucket = Literal["ask", "await"]

# Long enough for a cache server to come back, short enough for a person to wait.
CACHE_RETRY_SECONDS = 30


def check_rate(
    request: HttpRequest, user: UserLike, conf: SiteConf, bucket: Bucket
) -> None:
    """Count this call of this caller.

    Raises:
        RateLimited: When the caller has asked too often.
        ServerBusy: When the cache that counts cannot be reached and
            `RATE_LIMIT_FAIL_OPEN` is False.
    """
    if not conf.rate_limit:
        return
    usage = _usage(request, caller_key(request, user), conf, bucket)
    if usage is None:
        if not deployment().rate_limit_fail_open:
            msg = _("The site cannot take questions right now.")
            raise ServerBusy(msg, retry_after=CACHE_RETRY_SECONDS)
    elif usage["should_limit"]:
        msg = _("Too many questions in a short time. Please wait a moment.")
        raise RateLimited(msg, retry_after=max(1, usage["time_left"]))


def caller_key(request: HttpRequest, user: UserLike) -> str:
    """Name the caller: the user where signed in, else the address."""
    if user.is_authenticated:
        return f"user:{user.pk}"
    network = client_network(request, trusted_proxies=deployment().trusted_proxies)
    return f"address:{network}"


def _usage(
    request: HttpRequest, key: str, conf: SiteConf, bucket: Bucket
) -> dict[str, Any] | None:
    """Return what django-ratelimit counted, or None when its cache did not answer."""
    try:
        usage: dict[str, Any] | None = get_usage(
            request,
            group=f"nlweb_ask.{bucket}.{conf.site_id}",
            key=lambda group, request: key,
            rate=conf.rate_limit,
            increment=True,
        )
    except Exception as error:  # noqa: BLE001 - each cache raises errors of its own library
        logger.warning("rate limit not counted: %s", type(error).__name__)
        return None
    if usage is None:  # RATELIMIT_ENABLE is off, as in many test settings
        return {"should_limit": False}
    # Its own form of "the cache did not count".
    return None if usage["limit"] == 0 else usage
