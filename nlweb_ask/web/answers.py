"""An answer on its way out: a document, or the chunks of a stream."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.utils.translation import gettext as _

from nlweb_ask.ai.budget import Payer
from nlweb_ask.ai.calls import QuestionModels
from nlweb_ask.ai.embedders import each_paid_by
from nlweb_ask.ai.gateway import warm_up
from nlweb_ask.conf import deployment
from nlweb_ask.pipeline.ask import AskScope, answer
from nlweb_ask.pipeline.equipment import embeds_elsewhere, mode_asks_models
from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.pipeline.run import begin
from nlweb_ask.plugins.types import Viewer
from nlweb_ask.protocol.events import Complete, Event, Failure, ResultFound, Start
from nlweb_ask.protocol.question import Mode, Question
from nlweb_ask.protocol.writers import Message, dumps, encode, writer_for
from nlweb_ask.web.channel import End

Chunks = Generator[bytes, None, None]

# The messages that say how an answer ended; there is one of them at most.
ENDINGS: Final = frozenset({"elicitation", "promise", "failure", "error"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that has passed the door, with all that is needed to answer it.

    The mode of the question is settled.
    """

    question: Question
    viewer: Viewer
    scope: AskScope
    payer: Payer | None = None  # None: it may cost nothing, so no model is asked

    def events(self, stop: threading.Event) -> Iterator[Event]:
        models = self._models(stop)
        events = answer(self.question, self.viewer, self.scope, stop, models)
        return each_paid_by(self.payer, events)

    def _models(self, stop: threading.Event) -> QuestionModels | None:
        if self.payer is None or not deployment().models:
            return None
        if self._asks_models:
            warm_up()
        until = time.monotonic() + deployment().stream_deadline
        return QuestionModels(self.payer, self.scope.conf.language_model, stop, until)

    @property
    def takes_long(self) -> bool:
        """Whether something slow will be asked: lists are made in milliseconds."""
        embeds = self.payer is not None and embeds_elsewhere(self.scope)
        return self._mode != "list" or self._asks_models or embeds

    @property
    def _asks_models(self) -> bool:
        may_ask = self.payer is not None and bool(deployment().models)
        return may_ask and mode_asks_models(self._mode)

    @property
    def _mode(self) -> Mode:
        return self.question.mode or "list"


class WholeAnswer:
    """One answer, as a document or as a stream, which ends properly whatever happens.

    The thread that makes a stream may hang when the time is up, and the writer with
    it; so the events are kept, and another writer tells what the first one had not.
    """

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._run = begin(
            asked.question, asked.viewer, asked.scope, stop=threading.Event()
        )
        self._events: list[Event] = []

    def events(self, stop: threading.Event) -> Generator[Event, None, None]:
        """Yield the events of the answer; one that breaks off is told to an end."""
        for event in self._unbroken(self._asked.events(stop)):
            # An answer that is stopped ends in haste, as if it were whole.
            if not stop.is_set():
                self._events.append(event)
            yield event

    def document(
        self, told: Sequence[Event], end: End | None = End.WHOLE
    ) -> tuple[int, bytes]:
        """Return status and document of the events told before the answer ended so."""
        writer = writer_for(self._asked.question)
        try:
            status, document = writer.document(self._ended(told, end))
            return status, dumps(document)
        except Exception as error:  # noqa: BLE001 - what cannot be written is left out
            log_failure("document", error)
            status, document = writer.document(self._bare([], _failure(End.BROKEN)))
            return status, dumps(document)

    def chunks(self, stop: threading.Event) -> Chunks:
        sent: list[str] = []
        try:
            for message in self._messages(self.events(stop)):
                yield encode(message)
                sent.append(message.kind)
        except Exception as error:  # noqa: BLE001 - a stream that began can only be ended
            log_failure("stream", error)
            unwritable = self._events.pop() if self._events else None
            if isinstance(unwritable, Complete):
                # All else has been written, and some of it on account of the end.
                yield from self._last_words(sent, _failure(End.BROKEN))
            else:
                yield from self.farewell(len(sent), End.BROKEN)

    def farewell(self, sent: int, end: End | None) -> Chunks:
        """The closing chunks of a stream that ended so after `sent` chunks.

        The whole answer is written once more, and what was sent of it left out.
        """
        written: list[str] = []
        try:
            for message in self._messages(self._ended([*self._events], end)):
                chunk = encode(message)
                written.append(message.kind)
                if len(written) > sent:
                    yield chunk
        except Exception as error:  # noqa: BLE001 - nobody else would end the stream
            log_failure("stream", error)
            yield from self._last_words(written, _failure(end))

    def _last_words(self, written: Sequence[str], failure: Failure) -> Chunks:
        """End a stream in words that can always be written, after such messages."""
        done = set(written)
        if done & ENDINGS:
            done |= ENDINGS
        for message in self._messages(self._bare([*self._events], failure)):
            if message.kind not in done:
                yield encode(message)

    def _unbroken(self, events: Iterable[Event]) -> Iterator[Event]:
        try:
            yield from events
        except Exception as error:  # noqa: BLE001 - what was found has been told
            log_failure("answer", error)
            yield from self._missing(self._events, End.BROKEN)

    def _ended(self, told: Sequence[Event], end: End | None) -> Iterator[Event]:
        yield from told
        yield from self._missing(told, end)

    def _missing(self, told: Sequence[Event], end: End | None) -> list[Event]:
        """Return what is missing to make a whole answer of events that ended so."""
        if any(isinstance(event, Complete) for event in told):
            return []
        run = replace(self._run)
        for event in told:
            run.note(event)
        missing: list[Event] = [] if told else [run.start()]
        if run.response_type == "answer":
            failure = _failure(end)
            run.note(failure)
            missing.append(failure)
        return [*missing, run.complete()]

    def _bare(self, told: Sequence[Event], failure: Failure) -> list[Event]:
        """Return an answer that only counts what was told before the failure."""
        run = replace(self._run)
        for event in told:
            if isinstance(event, Start | ResultFound):
                run.note(event)
        run.note(failure)
        return [run.start(), failure, run.complete()]

    def _messages(self, events: Iterable[Event]) -> Iterator[Message]:
        return writer_for(self._asked.question).messages(events)


def _failure(end: End | None) -> Failure:
    """Say why an answer has no end of its own."""
    if end is End.BROKEN:
        return Failure(code="INTERNAL_ERROR", message=_("The answer broke off."))
    return Failure(code="TIMEOUT", message=_("The answer took too long."))
