"""E001: `settings.NLWEB_ASK` holds only what can be meant."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, register

from nlweb_ask.checks.table import TAG, report
from nlweb_ask.conf import problems


@register(TAG)
def check_settings(**_kwargs: Any) -> list[CheckMessage]:
    return [
        report("E001", problem.message, hint=problem.hint)
        for problem in problems(getattr(settings, "NLWEB_ASK", {}))
    ]
