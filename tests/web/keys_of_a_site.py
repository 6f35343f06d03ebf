"""Authentication classes as sites write them, good ones and bad ones."""

from __future__ import annotations

from types import SimpleNamespace

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser
from rest_framework.authentication import BaseAuthentication, TokenAuthentication
from rest_framework.exceptions import (
    AuthenticationFailed,
    NotFound,
    PermissionDenied,
    Throttled,
)

SECRET = "squirrel"  # in what a class says when it refuses or breaks


def user_named(name):
    return get_user_model().objects.filter(username=name).first()


class Noted(BaseAuthentication):
    """Notes each request that it was asked about."""

    asked = []

    def authenticate(self, request):
        self.asked.append(request)


class Bearer(Noted):
    """`Bearer anna` is the key of the user anna; one that closed down has one too."""

    def authenticate(self, request):
        super().authenticate(request)
        scheme, _space, name = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer":
            return None
        user = user_named(name)
        if user is None:
            msg = f"There is no key {name}, {SECRET}."
            raise AuthenticationFailed(msg)
        return user, name


class ApiKey(Noted):
    """`X-Api-Key: anna`, a header that is not `Authorization`."""

    def authenticate(self, request):
        super().authenticate(request)
        user = user_named(request.headers.get("X-Api-Key"))
        return user and (user, None)


class StrictApiKey(ApiKey):
    """The same header, which is refused where its key is not known."""

    def authenticate(self, request):
        claim = super().authenticate(request)
        if claim is None and "X-Api-Key" in request.headers:
            msg = f"There is no such key, {SECRET}."
            raise AuthenticationFailed(msg)
        return claim


class ReadsTheAddress(Bearer):
    """Takes a key from the address too."""

    def authenticate(self, request):
        request.query_params.get("access_token")
        return super().authenticate(request)


class Nobody(BaseAuthentication):
    def authenticate(self, request):
        return AnonymousUser(), None


class ClientOnly(BaseAuthentication):
    """A token that was given to a program and not to a person."""

    def authenticate(self, request):
        return None, "token"


class LooksIntoTheRequest(Bearer):
    """Reads what the classes of OAuth and of signed requests read."""

    seen = []

    def authenticate(self, request):
        self.seen.append((dict(request.POST.lists()), dict(request.data), request.body))
        return super().authenticate(request)


def challenging(challenge):
    class Challenges(Bearer):
        def authenticate_header(self, request):
            if isinstance(challenge, Exception):
                raise challenge
            return challenge

    return Challenges


WithRealm = challenging('Bearer realm="tide"')
WithoutChallenge = challenging(None)
WithTwoLines = challenging("Bearer\r\nSet-Cookie: a=b")
WithNumber = challenging(401)
WithBrokenChallenge = challenging(ValueError(SECRET))


def breaking(error):
    class Breaks(BaseAuthentication):
        def authenticate(self, request):
            raise error

    return Breaks


WithValueError = breaking(ValueError(SECRET))
WithAttributeError = breaking(AttributeError(SECRET))
WithNotFound = breaking(NotFound(SECRET))
WithPermissionDenied = breaking(PermissionDenied(SECRET))
WithThrottled = breaking(Throttled(wait=7))


class TokenToo(TokenAuthentication):
    """The same keyword as DRF's own."""


class WithOddClaim(BaseAuthentication):
    def authenticate(self, request):
        return SimpleNamespace(username=SECRET)
