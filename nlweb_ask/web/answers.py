"""An answer on its way out: a document, or the chunks of a stream."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from django.utils.translation import gettext as _

from nlweb_ask.pipeline.ask import AskScope, answer
from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.pipeline.run import begin
from nlweb_ask.plugins.types import Viewer
from nlweb_ask.protocol.events import Complete, Event, Failure
from nlweb_ask.protocol.question import Question
from nlweb_ask.protocol.writers import Message, encode, writer_for
from nlweb_ask.web.streaming import Chunks


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that has passed the door, with all that is needed to answer it.

    The mode of the question is settled.
    """

    question: Question
    viewer: Viewer
    scope: AskScope

    def events(self, stop: threading.Event) -> Iterator[Event]:
        return answer(self.question, self.viewer, self.scope, stop)

    @property
    def takes_long(self) -> bool:
        """Whether something slow will be asked: lists are made in milliseconds."""
        return self.question.mode != "list"


class StreamedAnswer:
    """The chunks of one stream, which ends properly whatever happens in it.

    The thread that makes the chunks may hang when the time is up, and the writer with
    it; so the events are kept, and another writer tells what the first one had not.
    """

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._run = begin(
            asked.question, asked.viewer, asked.scope, stop=threading.Event()
        )
        self._events: list[Event] = []

    def chunks(self, stop: threading.Event) -> Chunks:
        written = 0
        try:
            for message in self._messages(self._kept(stop)):
                yield encode(message)
                written += 1
        except Exception as error:  # noqa: BLE001 - a stream that began can only be ended
            log_failure("stream", error)
            # The event that no writer could write.
            del self._events[-1:]
            yield from self._closing(written, _broken_off())

    def farewell(self, sent: int) -> Iterator[bytes]:
        """The closing chunks of a stream whose time is up after `sent` chunks."""
        message = _("The answer took too long.")
        return self._closing(sent, Failure(code="TIMEOUT", message=message))

    def _kept(self, stop: threading.Event) -> Iterator[Event]:
        for event in self._unbroken(self._asked.events(stop)):
            # An answer that is stopped ends in haste, as if it were whole.
            if not stop.is_set():
                self._events.append(event)
            yield event

    def _unbroken(self, events: Iterable[Event]) -> Iterator[Event]:
        try:
            yield from events
        except Exception as error:  # noqa: BLE001 - what was found has been told
            log_failure("stream", error)
            yield from self._missing(self._events, _broken_off())

    def _closing(self, sent: int, failure: Failure) -> Iterator[bytes]:
        """Write the whole answer once more, without what was sent of it."""
        told = list(self._events)
        told += self._missing(told, failure)
        return map(encode, islice(self._messages(told), sent, None))

    def _missing(self, told: Sequence[Event], failure: Failure) -> list[Event]:
        """Return what is missing to make a whole answer of the events told."""
        if any(isinstance(event, Complete) for event in told):
            return []
        run = replace(self._run)
        for event in told:
            run.note(event)
        missing: list[Event] = [] if told else [run.start()]
        if run.response_type == "answer":
            run.note(failure)
            missing.append(failure)
        return [*missing, run.complete()]

    def _messages(self, events: Iterable[Event]) -> Iterator[Message]:
        return writer_for(self._asked.question).messages(events)


def _broken_off() -> Failure:
    return Failure(code="INTERNAL_ERROR", message=_("The answer broke off."))
