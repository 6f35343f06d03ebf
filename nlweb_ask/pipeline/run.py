"""What is noted while one question is answered, and the event that closes it."""

from __future__ import annotations

import math
import threading
import time
import uuid
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from typing import Final

from django.utils.translation import gettext as _

from nlweb_ask.conf import SiteConf, deployment
from nlweb_ask.index.freshness import Stamps
from nlweb_ask.pipeline.scope import AskScope
from nlweb_ask.pipeline.trace import Trace
from nlweb_ask.pipeline.without_model import Task, notice_without_model
from nlweb_ask.plugins import Models, NoModel, Question, Reference, Step, Viewer
from nlweb_ask.protocol.events import (
    Complete,
    Completeness,
    Content,
    Elicitation,
    Event,
    Failure,
    Notice,
    PromiseMade,
    ResponseType,
    ResultFound,
    Start,
)
from nlweb_ask.protocol.question import DEFAULT_FORMAT, Mode

# Finer times would tell how much was searched for in vain; staff may know.
TIME_STEP_MS: Final = 50

# The notice of an answer whose pages a ranker dropped, each of them.
NONE_FITS: Final = "NONE_FITS"

# The models that a question may ask, by what it asks them for.
ModelsAt = Callable[[Step], Models]


@dataclass(slots=True)
class Run:
    """One question on its way: the stages read and note here what they share."""

    question: Question
    viewer: Viewer
    scope: AskScope
    stop: threading.Event
    query_id: str
    conversation_id: str
    mode: Mode
    models: ModelsAt | None = None  # None: this question may cost nothing
    asks_for_type: bool = False  # the caller named one
    none_left: str = ""  # what a ranker that left no page says of it
    began: float = field(default_factory=time.monotonic)
    trace: Trace = field(default_factory=Trace)
    results: int = 0
    completeness: Completeness = "complete"
    notice: Notice | None = None
    undone: set[Task] = field(default_factory=set)  # what no model did that was to
    generator: str | None = None
    text: str = ""
    response_type: ResponseType = "answer"
    error_code: str = ""
    is_over: bool = False  # everything is told but the closing event
    # Documents whose public flag the live rules contradict.
    outdated: Set[Reference] = frozenset()
    # How the words of visible pages stood when it was asked who may see them.
    stamps: Stamps = field(default_factory=dict)
    # The addresses of pages that were told.
    told: list[str] = field(default_factory=list)
    # What was found and permitted, but is not in the index.
    unindexed: set[Reference] = field(default_factory=set)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def start(self) -> Start:
        return Start(
            version=self.question.version,
            query_id=self.query_id,
            conversation_id=self.conversation_id,
        )

    def note(self, event: Event) -> None:
        """Note what an event that is told says of the whole answer."""
        match event:
            case Start():
                self.query_id = event.query_id
                self.conversation_id = event.conversation_id
            case ResultFound():
                self.results += 1
                self.told.append(str(event.item["url"]))
            case Content():
                self.text += event.text
            case Failure():
                self.response_type = event.response_type
                self.error_code = event.code
            case Elicitation() | PromiseMade():
                self.response_type = event.response_type

    def reduce(self, completeness: Completeness, code: str, text: str) -> None:
        """Note that the answer is less than it could be, and why."""
        self.completeness = completeness
        self.notice = Notice(code=code, text=text)

    def step_down(self, task: Task, reason: NoModel) -> None:
        """Note what a language model was to do and did not, and why.

        Where a part of the search is missing that is told, since it weighs more.
        """
        self.undone.add(task)
        notice = notice_without_model(reason, self.undone, self.scope.conf)
        if notice and self.completeness != "partial":
            self.reduce("reduced", notice.code, notice.text)

    def remark(self, code: str, text: str) -> None:
        """Note what of the question was not kept to, where nothing worse is noted."""
        self.notice = self.notice or Notice(code=code, text=text)

    @property
    def is_cut_short(self) -> bool:
        """Whether it was stopped while it still looked like an answer."""
        return self.stop.is_set() and self.response_type == "answer"

    def break_off(self) -> Failure:
        """Note that the answer ended before it was whole, and say so."""
        late = self.seconds >= deployment().stream_deadline
        failure = (
            Failure(code="TIMEOUT", message=_("The answer took too long."))
            if late
            else Failure(code="CANCELLED", message=_("The answer was broken off."))
        )
        self.note(failure)
        return failure

    def complete(self) -> Complete:
        question = self.question
        return Complete(
            response_type=self.response_type,
            version=question.version,
            query_id=self.query_id,
            conversation_id=self.conversation_id,
            mode=self.mode,
            response_format=question.response_format or DEFAULT_FORMAT,
            session_context={
                **question.session_context,
                "conversation_id": self.conversation_id,
            },
            total_items=self.results,
            processing_time_ms=self._milliseconds(),
            completeness=self.completeness,
            summary=self.text if self.mode == "summarize" and self.text else None,
            decontextualized_query=question.decontextualized_query,
            corrected_query=question.corrected_text,
            generator=self.generator,
            notice=self.notice,
        )

    def _milliseconds(self) -> int:
        # A site's own user model need not know of staff.
        if getattr(self.viewer.user, "is_staff", False):
            return round(self.seconds * 1000)
        return max(math.ceil(self.seconds * 1000 / TIME_STEP_MS), 1) * TIME_STEP_MS


def unanswered() -> str:
    return _("The site does not seem to answer this.")


def begin(
    question: Question,
    viewer: Viewer,
    scope: AskScope,
    stop: threading.Event,
    models: ModelsAt | None = None,
) -> Run:
    """Settle the ids and the mode of a question.

    The conversation is the one the caller named, else a new one; in 0.1 it is known by
    the id of the query (the NLWeb reference, section 6.2).
    """
    query_id = question.query_id or uuid.uuid4().hex
    said = question.conversation_id or question.session_context.get("conversation_id")
    new = query_id if question.version == "0.1" else uuid.uuid4().hex
    return Run(
        question=question,
        viewer=viewer,
        scope=scope,
        stop=stop,
        query_id=query_id,
        conversation_id=said if isinstance(said, str) else new,
        mode=settled_mode(question, scope.conf),
        models=models,
        asks_for_type=bool(question.item_type),
    )


def settled_mode(question: Question, conf: SiteConf) -> Mode:
    """Return the mode asked for, or the list where no generator can write."""
    wanted = question.mode or conf.default_mode
    return wanted if deployment().generators else "list"
