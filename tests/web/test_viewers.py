from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.signed_cookies import SessionStore

from nlweb_ask.conf import SiteConf
from nlweb_ask.protocol.question import Question
from nlweb_ask.web.viewers import anonymous_or, preferred_language, speaking, viewer_for
from tests.factories import UserFactory


@pytest.fixture
def request_in_session(rf):
    """A request of a browser whose session the site has noted something in."""
    request = rf.get("/ask", headers={"Accept-Language": "fr-CA, en;q=0.5"})
    session = SessionStore()
    session["passed_passwords"] = [7]
    session["_auth_user_id"] = "1"
    session.save()
    request.session = SessionStore(session.session_key)
    return request


def viewer(request, *, user=None, foreign=False):
    conf = SiteConf(site_id=3)
    return viewer_for(request, conf, user=user or AnonymousUser(), foreign=foreign)


def test_viewer_is_of_the_site_and_in_the_language_of_the_browser(request_in_session):
    found = viewer(request_in_session)

    assert (found.site_id, found.language, found.is_anonymous) == (3, "fr-ca", True)


def test_language_that_the_question_names_goes_before(request_in_session):
    question = Question(text="tide", language="de")

    assert speaking(viewer(request_in_session), question).language == "de"


def test_marks_of_the_session_come_along_without_djangos_own(request_in_session):
    assert dict(viewer(request_in_session).session_marks) == {"passed_passwords": [7]}


def test_foreign_call_brings_no_marks(request_in_session):
    assert not viewer(request_in_session, foreign=True).session_marks


@pytest.mark.parametrize("session", [None, SessionStore()])
def test_request_without_a_session_has_no_marks(rf, session):
    request = rf.get("/ask")
    if session is not None:
        request.session = session

    assert not viewer(request).session_marks


@pytest.mark.django_db
def test_nobody_and_a_user_who_was_shut_out_are_anonymous():
    member = UserFactory()

    assert anonymous_or(member) is member
    assert anonymous_or(None).is_authenticated is False
    assert anonymous_or(UserFactory(is_active=False)).is_authenticated is False


@pytest.mark.parametrize(
    ("header", "language"),
    [
        pytest.param("", "", id="none"),
        pytest.param("*", "", id="any"),
        pytest.param("da, en-gb;q=0.8, en;q=0.7", "da", id="first"),
        pytest.param("en;q=0.2, ja;q=0.9", "ja", id="by-weight"),
        pytest.param("en;q=0", "", id="refused"),
        pytest.param(";;;,,q=x", "", id="junk"),
    ],
)
def test_language_is_the_one_the_header_prefers(header, language):
    assert preferred_language(header) == language
