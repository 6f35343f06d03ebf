"""Asking a whole site in tests, with everything that is registered."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from nlweb_ask.conf import ProfileConf, RetrieverChoice, SiteConf
from nlweb_ask.conf.sites import sites
from nlweb_ask.pipeline.ask import AskScope, answer
from nlweb_ask.plugins import Question, UserLike, Viewer
from tests.asking import ANONYMOUS, Answer

PROFILE = ProfileConf(name="default", retrievers=(RetrieverChoice(name="keyword"),))


def ask_site(
    text: str,
    *,
    user: UserLike = ANONYMOUS,
    site_id: int | None = None,
    session_marks: Mapping[str, Any] | None = None,
    **question: Any,
) -> Answer:
    asked = Question(text=text, query_id="q", conversation_id="c", **question)
    site_id = sites().default() if site_id is None else site_id
    conf = SiteConf(site_id=site_id, base_url="https://site.example")
    scope = AskScope(conf=conf, profiles=(PROFILE,))
    viewer = Viewer(user=user, site_id=site_id, session_marks=session_marks or {})
    return Answer(list(answer(asked, viewer, scope, threading.Event())))
