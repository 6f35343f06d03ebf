"""An answer on its way out: a document, or the chunks of a stream."""

from __future__ import annotations

import itertools
import math
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from nlweb_ask.conf import SiteConf, deployment
from nlweb_ask.pipeline.ask import AskScope, answer
from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.plugins.types import Viewer
from nlweb_ask.protocol.events import Complete, Event, Failure, ResultFound, Start
from nlweb_ask.protocol.question import Mode, Question
from nlweb_ask.protocol.writers import writer_for
from nlweb_ask.protocol.writers.sse import encode
from nlweb_ask.web.streaming import Chunks

DEFAULT_FORMAT = "conv_search"
# Finer times would tell how much was searched for in vain.
TIME_STEP_MS = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that has passed the door, with all that is needed to answer it."""

    question: Question
    viewer: Viewer
    scope: AskScope

    def events(self, stop: threading.Event) -> Iterator[Event]:
        return answer(self.question, self.viewer, self.scope, stop)

    @property
    def takes_long(self) -> bool:
        """Whether something slow will be asked: lists are made in milliseconds."""
        return self.mode != "list"

    @property
    def mode(self) -> Mode:
        return settled_mode(self.question, self.scope.conf)


def settled_mode(question: Question, conf: SiteConf) -> Mode:
    """Return the mode that will be used: without a generator there are only lists."""
    wanted = question.mode or conf.default_mode
    return wanted if deployment().generators else "list"


class StreamedAnswer:
    """The chunks of one stream, which ends properly whatever happens in it."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._began = time.monotonic()
        self._start: Start | None = None
        self._results = 0

    def chunks(self, stop: threading.Event) -> Chunks:
        try:
            yield from self._encoded(self._told(self._asked.events(stop)))
        except Exception as error:  # noqa: BLE001 - a stream that began can only be ended
            log_failure("stream", error)
            yield from self._closing("INTERNAL_ERROR", _("The answer broke off."))

    def farewell(self) -> Iterator[bytes]:
        """The closing chunks of a stream whose time is up."""
        return self._closing("TIMEOUT", _("The answer took too long."))

    def _told(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            if isinstance(event, Start):
                self._start = event
            self._results += isinstance(event, ResultFound)
            yield event

    def _closing(self, code: str, message: str) -> Iterator[bytes]:
        """Failure and end; the writer is given a start, which is not sent twice."""
        start = self._start or self._late_start()
        failure = Failure(code=code, message=message)
        chunks = self._encoded([start, failure, self._complete(start)])
        told = len(list(self._encoded([start]))) if self._start else 0
        return itertools.islice(chunks, told, None)

    def _late_start(self) -> Start:
        question = self._asked.question
        query_id = question.query_id or uuid.uuid4().hex
        return Start(
            version=question.version,
            query_id=query_id,
            conversation_id=question.conversation_id or query_id,
        )

    def _complete(self, start: Start) -> Complete:
        question = self._asked.question
        return Complete(
            response_type="failure",
            version=start.version,
            query_id=start.query_id,
            conversation_id=start.conversation_id,
            mode=self._asked.mode,
            response_format=question.response_format or DEFAULT_FORMAT,
            session_context={
                **question.session_context,
                "conversation_id": start.conversation_id,
            },
            total_items=self._results,
            processing_time_ms=self._milliseconds(),
        )

    def _milliseconds(self) -> int:
        elapsed = (time.monotonic() - self._began) * 1000
        return math.ceil(elapsed / TIME_STEP_MS) * TIME_STEP_MS

    def _encoded(self, events: Iterable[Event]) -> Iterator[bytes]:
        return map(encode, writer_for(self._asked.question).messages(events))
