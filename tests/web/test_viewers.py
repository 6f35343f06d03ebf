from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.signed_cookies import SessionStore

from nlweb_ask.conf import SiteConf
from nlweb_ask.protocol.question import Question
from nlweb_ask.web.viewers import anonymous_or, speaking, viewer_for
from tests.factories import UserFactory


@pytest.fixture
def request_in_session(rf):
    """A request of a browser whose session the site has noted something in."""
    request = rf.get("/ask")
    session = SessionStore()
    session["passed_passwords"] = [7]
    session["_auth_user_id"] = "1"
    session.save()
    request.session = SessionStore(session.session_key)
    return request


def viewer(request, *, user=None, with_session=True):
    conf = SiteConf(site_id=3)
    user = user or AnonymousUser()
    return viewer_for(request, conf, user=user, with_session=with_session)


def test_viewer_is_of_the_site(request_in_session):
    found = viewer(request_in_session)

    assert (found.site_id, found.is_anonymous) == (3, True)


@pytest.mark.parametrize(
    ("named", "accepted", "language"),
    [
        pytest.param("de", ("fr-ca", "en"), "de", id="the-question-goes-before"),
        pytest.param(None, ("fr-ca", "en"), "fr-ca", id="else-the-browser-s-best"),
        pytest.param(None, (), "", id="else-none"),
    ],
)
def test_viewer_speaks_the_language_of_the_question(
    request_in_session, named, accepted, language
):
    question = Question(text="tide", language=named, accepted_languages=accepted)

    assert speaking(viewer(request_in_session), question).language == language


def test_marks_of_the_session_come_along_without_djangos_own(request_in_session):
    assert dict(viewer(request_in_session).session_marks) == {"passed_passwords": [7]}


def test_viewer_without_the_session_has_none_of_its_marks(request_in_session):
    assert not viewer(request_in_session, with_session=False).session_marks


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
