"""Asking the pipeline in tests, without HTTP."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser, User

from nlweb_ask.conf import ProfileConf, RetrieverChoice, SiteConf
from nlweb_ask.pipeline.ask import AskScope, answer
from nlweb_ask.pipeline.run import ModelsAt
from nlweb_ask.plugins import Question, UserLike, Viewer
from nlweb_ask.protocol.events import Complete, Event, Failure, ResultFound

ANONYMOUS = AnonymousUser()
MEMBER = User(pk=101, username="member")
STAFF = User(pk=102, username="staff", is_staff=True)


@dataclass(frozen=True)
class Answer:
    events: Sequence[Event]

    @property
    def items(self) -> list[dict[str, Any]]:
        return [dict(e.item) for e in self.events if isinstance(e, ResultFound)]

    @property
    def names(self) -> list[str]:
        return [found["name"] for found in self.items]

    @property
    def complete(self) -> Complete:
        assert isinstance(self.events[-1], Complete)
        return self.events[-1]

    @property
    def failure(self) -> Failure | None:
        return next((e for e in self.events if isinstance(e, Failure)), None)


def make_scope(
    *retrievers: RetrieverChoice | str, fusion: str = "weighted", **conf: Any
) -> AskScope:
    chosen = tuple(
        RetrieverChoice(name=r) if isinstance(r, str) else r
        for r in retrievers or ("keyword",)
    )
    return AskScope(
        conf=SiteConf(site_id=0, base_url="https://site.example", **conf),
        profiles=(
            ProfileConf(
                name="default", sources=("memory",), retrievers=chosen, fusion=fusion
            ),
        ),
    )


def ask(
    text: str,
    user: UserLike = ANONYMOUS,
    scope: AskScope | None = None,
    models: ModelsAt | None = None,
    **question: Any,
) -> Answer:
    asked = Question(text=text, query_id="q", conversation_id="c", **question)
    viewer, stop = Viewer(user=user), threading.Event()
    return Answer(list(answer(asked, viewer, scope or make_scope(), stop, models)))
