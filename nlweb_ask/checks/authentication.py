"""E006 and W013: the authentication classes that are named can be used here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, register
from django.core.exceptions import ImproperlyConfigured
from rest_framework.authentication import (
    BaseAuthentication,
    SessionAuthentication,
    TokenAuthentication,
)

from nlweb_ask.checks.table import TAG, report
from nlweb_ask.conf import deployment
from nlweb_ask.web.authentication import authentication_class

KEY = "AUTHENTICATION_CLASSES"


@register(TAG)
def check_authentication_classes(**_kwargs: Any) -> list[CheckMessage]:
    try:
        paths = deployment().authentication_classes
    except ImproperlyConfigured:
        return []  # E001 reports it
    return [message for path in paths for message in _look_at(path)]


def _look_at(path: str) -> Iterator[CheckMessage]:
    try:
        found = authentication_class(path)
    except TypeError:
        yield report(
            "E006",
            f"NLWEB_ASK[{KEY!r}] names {path!r}, which is no authentication class.",
            hint="Inherit from rest_framework.authentication.BaseAuthentication.",
        )
    except Exception as error:  # noqa: BLE001 - the module of a class may raise anything
        yield report(
            "E006",
            f"NLWEB_ASK[{KEY!r}] names {path!r}, which cannot be used: {error}",
            hint="Write module and class as Python imports them: "
            '"rest_framework.authentication.TokenAuthentication".',
        )
    else:
        yield from _look_at_class(path, found)


def _look_at_class(
    path: str, found: type[BaseAuthentication]
) -> Iterator[CheckMessage]:
    if issubclass(found, TokenAuthentication) and _has_no_table(found):
        yield report(
            "E006",
            f"NLWEB_ASK[{KEY!r}] names {path!r}, whose tokens have no table.",
            hint='Add "rest_framework.authtoken" to INSTALLED_APPS and run: '
            "python manage.py migrate",
        )
    if issubclass(found, SessionAuthentication):
        yield report(
            "W013",
            f"NLWEB_ASK[{KEY!r}] names {path!r}: it demands a CSRF token of each POST, "
            "which NLWeb clients do not send.",
            hint="Take it out. Sessions are read without it.",
        )


def _has_no_table(found: type[TokenAuthentication]) -> bool:
    # DRF makes its model an abstract one where its app is not installed.
    model: Any = found().get_model()
    return bool(model._meta.abstract)
