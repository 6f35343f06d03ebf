"""On whose behalf a request asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import DataError
from django.http import HttpRequest

from nlweb_ask.conf import SiteConf
from nlweb_ask.plugins.types import UserLike, Viewer
from nlweb_ask.protocol.question import Question

# Django's own session entries (who is signed in, when it expires) begin with this.
PRIVATE_MARK = "_"


def anonymous_or(user: UserLike | None) -> UserLike:
    """Return `user`, looked up, or the anonymous one where nobody is signed in."""
    if user is None or not user.is_authenticated or not user.is_active:
        return AnonymousUser()
    return user


def viewer_for(
    request: HttpRequest, conf: SiteConf, *, user: UserLike, with_session: bool
) -> Viewer:
    """Make the viewer of this request, `with_session` with the marks of its session.

    Its language is known once the question is read: see `speaking`.
    """
    return Viewer(
        user=user,
        site_id=conf.site_id,
        session_marks=session_marks(request) if with_session else {},
    )


def speaking(viewer: Viewer, question: Question) -> Viewer:
    """Return the viewer in the language that the question names, else the browser."""
    accepted = next(iter(question.accepted_languages), "")
    return replace(viewer, language=question.language or accepted)


def session_marks(request: HttpRequest) -> Mapping[str, Any]:
    """What the site has noted in this session, such as passed page passwords."""
    forget_unreadable_session(request)
    session = getattr(request, "session", None)
    # Without a cookie there is nothing in it: looking would only cost a query.
    if session is None or session.session_key is None:
        return MappingProxyType({})
    return MappingProxyType(
        {
            mark: value
            for mark, value in session.items()
            if not mark.startswith(PRIVATE_MARK)
        }
    )


def forget_unreadable_session(request: HttpRequest) -> None:
    """Take a session that cannot be looked up for none, as Django does of an unknown one.

    A cookie may hold signs that no database can, such as NUL in PostgreSQL. A store that
    is down is no such case: then it is not known who asks, and that is a failure.
    """
    session = getattr(request, "session", None)
    if session is None or session.session_key is None:
        return
    try:
        session.keys()  # loads it, once
    except (DataError, ValueError):
        # A new one, also for whatever looks into the session after us.
        request.session = type(session)()
