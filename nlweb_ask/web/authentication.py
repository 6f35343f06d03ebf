"""Who asks, for reading only."""

from __future__ import annotations

from django.contrib.auth.base_user import AbstractBaseUser
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request


class AuthorizationHeader(BaseAuthentication):
    """An `Authorization` header, once present, counts alone: never the cookie beside it.

    The site gives out no keys, so each one is refused.
    """

    def authenticate(self, request: Request) -> None:
        if "Authorization" in request.headers:
            msg = _("This key is not known here.")
            raise AuthenticationFailed(msg)

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class ReadOnlySession(BaseAuthentication):
    """The session's user, without a CSRF token.

    Only for views that change nothing: DRF's own session authentication answers 403 to
    a member's POST without a token, and NLWeb clients send none.
    """

    def authenticate(self, request: Request) -> tuple[AbstractBaseUser, None] | None:
        user = getattr(request._request, "user", None)
        if user is None or not user.is_authenticated or not user.is_active:
            return None
        return user, None
