"""Who asks, for reading only."""

from __future__ import annotations

import functools
import logging
from typing import Any, Final

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import SuspiciousOperation
from django.db import DataError
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from nlweb_ask.conf import deployment
from nlweb_ask.plugins.types import UserLike
from nlweb_ask.protocol.errors import InternalError
from nlweb_ask.web.viewers import anonymous_or, forget_unreadable_session

logger = logging.getLogger("nlweb_ask.request")

Claim = tuple[UserLike, Any]

CHALLENGE: Final = "Bearer"

# What a class says on purpose, and Django of a request it cannot read; whatever else
# a class raises is a defect.
_MEANT = (
    SuspiciousOperation,
    exceptions.AuthenticationFailed,
    exceptions.NotAuthenticated,
    exceptions.PermissionDenied,
    exceptions.Throttled,
)


class SiteAuthentication(BaseAuthentication):
    """The site's own authentication classes, in the order of `NLWEB_ASK`.

    An `Authorization` header, once present, counts alone: one that no class takes for
    its own, or that names nobody, is refused and never passed over for the cookie
    beside it.
    """

    def authenticate(self, request: Request) -> Claim | None:
        has_key = "Authorization" in request.headers
        if has_key:
            # Else a class that reads the session would answer for the header.
            request._request.user = AnonymousUser()
        else:
            forget_unreadable_session(request._request)
        claim = _first_claim(request)
        if has_key and not (claim and claim[0].is_authenticated):
            msg = _("This key is not known here.")
            raise exceptions.AuthenticationFailed(msg)
        return claim

    def authenticate_header(self, request: Request) -> str:
        """Return the challenges of the site's classes, each once, else that of a key.

        A class that breaks here adds none: whoever asks is refused all the same.
        """
        paths = deployment().authentication_classes
        given = (_challenge(path, request) for path in paths)
        return ", ".join(dict.fromkeys(filter(None, given))) or CHALLENGE


class ReadOnlySession(BaseAuthentication):
    """The session's user, without a CSRF token.

    Only for calls of the site's own pages, and of no pages at all: DRF's own session
    authentication answers 403 to a member's POST without a token, and NLWeb clients
    send none.
    """

    def authenticate(self, request: Request) -> tuple[AbstractBaseUser, None] | None:
        forget_unreadable_session(request._request)
        user = getattr(request._request, "user", None)
        if user is None or not user.is_authenticated or not user.is_active:
            return None
        return user, None


@functools.cache
def authentication_class(path: str) -> type[BaseAuthentication]:
    """Import a class that `AUTHENTICATION_CLASSES` names.

    Raises:
        TypeError: When it is no authentication class of DRF. What its module raises
            comes through as it is.
    """
    found = import_string(path)
    if not (isinstance(found, type) and issubclass(found, BaseAuthentication)):
        msg = f"{path} is no subclass of {BaseAuthentication.__name__}."
        raise TypeError(msg)
    return found


def _first_claim(request: Request) -> Claim | None:
    for path in deployment().authentication_classes:
        claim = _claim(path, request)
        if claim is not None:
            return claim
    return None


def _challenge(path: str, request: Request) -> str:
    try:
        given = authentication_class(path)().authenticate_header(request)
    except Exception as error:  # noqa: BLE001 - a class is the site's own code
        _log(path, error)
        return ""
    # What no header can hold would make a defect of the refusal.
    if not isinstance(given, str):
        return ""
    return given if given.isascii() and given.isprintable() else ""


def _claim(path: str, request: Request) -> Claim | None:
    """Return whom a class takes the caller for, or None where it does not know.

    Raises:
        InternalError: When it fails. Its own words may hold the key, so neither the log
            nor the answer repeats them.
    """
    try:
        claimed = authentication_class(path)().authenticate(request)
        if claimed is None:
            return None
        user, key = claimed
        return anonymous_or(user), key
    except _MEANT:
        raise
    except DataError:
        # What no database can hold, such as NUL in PostgreSQL, is nobody's key.
        raise exceptions.AuthenticationFailed from None
    except Exception as error:  # noqa: BLE001 - a class is the site's own code
        _log(path, error)
        raise InternalError(_("The question could not be answered.")) from None


def _log(path: str, error: Exception) -> None:
    # Without a traceback, which may hold the key.
    logger.error("authentication class=%s error=%s", path, type(error).__name__)
