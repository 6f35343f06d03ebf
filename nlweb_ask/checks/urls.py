"""W001: the site has an address at which it can be asked."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, register
from django.urls import NoReverseMatch, reverse

from nlweb_ask.checks.table import TAG, report


@register(TAG, Tags.urls)
def check_urls_are_included(**_kwargs: Any) -> list[CheckMessage]:
    if not getattr(settings, "ROOT_URLCONF", None):
        return []
    try:
        reverse("nlweb_ask:ask")
    except NoReverseMatch:
        return [
            report(
                "W001",
                "The URLs of nlweb_ask are not included, so the site cannot be asked.",
                hint=f'Add to urlpatterns in {settings.ROOT_URLCONF}: path("", '
                'include("nlweb_ask.urls")).',
            )
        ]
    return []
