"""A cookie that no store can look up is no session; a store that is down is a failure."""

from __future__ import annotations

import pytest
from django.conf import settings as of_the_tests
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import DataError, OperationalError
from django.http import HttpResponse
from django.template import engines
from django.test import Client

from nlweb_ask.models import AccessGrant, Grantee
from tests.factories import AccessGrantFactory
from tests.web import broken_sessions

# In a cookie that is a NUL, which PostgreSQL cannot hold.
NUL = {"Cookie": f'{of_the_tests.SESSION_COOKIE_NAME}="\\000aaaaaaaaaaaa"'}
ADDRESSES = ["/ask?query=tide&streaming=0", "/sites", "/ask/results/?q=tide"]
REFUSED = ["/ask/results/?q=tide" + "&a" * 1001, "/ask/results/?q=%ff"]
BOX = "{% load nlweb_ask %}{% nlweb_ask_box %}"


@pytest.fixture
def quiet(articles, settings):
    """A client that is given a 500 as others are."""
    settings.NLWEB_ASK = {"SITES_ENDPOINT": True}
    return Client(raise_request_exception=False)


@pytest.fixture(params=[DataError, ValueError])
def unreadable(settings, monkeypatch, request):
    """A store that breaks over the cookie, as each database does in its own way."""
    settings.SESSION_ENGINE = broken_sessions.__name__
    error = request.param()
    monkeypatch.setattr(broken_sessions.SessionStore, "error", error, raising=False)


@pytest.fixture
def down(settings, monkeypatch):
    settings.SESSION_ENGINE = broken_sessions.__name__
    error = OperationalError()
    monkeypatch.setattr(broken_sessions.SessionStore, "error", error, raising=False)


@pytest.mark.servers
@pytest.mark.parametrize("saved", [False, True], ids=["", "saved-each-time"])
@pytest.mark.parametrize("path", [*ADDRESSES, *REFUSED])
def test_cookie_that_a_database_cannot_hold_is_no_session(quiet, settings, path, saved):
    settings.SESSION_SAVE_EVERY_REQUEST = saved

    response = quiet.get(path, headers=NUL)

    assert response.status_code == (400 if path in REFUSED else 200)


@pytest.mark.usefixtures("unreadable")
@pytest.mark.parametrize("path", [*ADDRESSES, *REFUSED])
def test_session_that_cannot_be_read_is_none(quiet, path):
    response = quiet.get(path, headers=NUL)

    assert response.status_code == (400 if path in REFUSED else 200)
    # As Django does with a cookie that it does not know.
    assert response.cookies[of_the_tests.SESSION_COOKIE_NAME]["max-age"] == 0


@pytest.mark.usefixtures("unreadable")
def test_class_of_the_site_that_reads_the_session_finds_none(quiet, settings):
    settings.NLWEB_ASK = {
        "AUTHENTICATION_CLASSES": [
            "rest_framework.authentication.SessionAuthentication"
        ]
    }

    assert quiet.get(ADDRESSES[0], headers=NUL).status_code == 200


@pytest.mark.usefixtures("unreadable")
def test_session_beside_a_key_is_left_alone(quiet):
    response = quiet.get(ADDRESSES[0], headers={**NUL, "Authorization": "Bearer x"})

    assert response.status_code == 401
    assert not response.cookies


@pytest.mark.usefixtures("down")
@pytest.mark.parametrize("path", ADDRESSES)
def test_store_that_is_down_is_a_failure(quiet, path):
    """Else a member would be shown what a stranger is, and told nothing."""
    assert quiet.get(path, headers=NUL).status_code == 500


def page_with_box(request):
    template = engines["django"].from_string(BOX)
    return HttpResponse(template.render({"request": request}))


@pytest.mark.usefixtures("unreadable")
@pytest.mark.parametrize("who", [Grantee.SIGNED_IN, Grantee.EVERYONE])
def test_box_of_a_visitor_with_such_a_cookie_is_that_of_a_stranger(rf, site, who):
    AccessGrant.objects.all().delete()
    AccessGrantFactory(kind=who)
    request = rf.get("/", headers=NUL)

    response = SessionMiddleware(AuthenticationMiddleware(page_with_box))(request)

    assert ("<form" in response.content.decode()) == (who == Grantee.EVERYONE)
    if who == Grantee.SIGNED_IN:
        assert request.user == AnonymousUser()
