"""Version 0.1: rows in JSON, messages told apart by `message_type` in a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any, Final

from nlweb_ask.protocol.events import (
    Complete,
    Content,
    Elicitation,
    Event,
    Failure,
    PromiseMade,
    ResultFound,
    Start,
)
from nlweb_ask.protocol.question import Question
from nlweb_ask.protocol.writers.failure import error_object
from nlweb_ask.protocol.writers.folding import (
    Folded,
    fold,
    in_one_piece,
    told,
)
from nlweb_ask.protocol.writers.message import Message
from nlweb_ask.protocol.writers.rows import (
    answer_row,
    own_object,
    row,
    summary_object,
)
from nlweb_ask.protocol.writers.widgets import WidgetMessages

OK: Final = 200

_META: Final = {"response_type": "nlws", "version": "0.1"}


class LegacyWriter:
    """Writes the answer to one question in the form of 0.1."""

    def __init__(self, question: Question) -> None:
        self.question = question

    def document(self, events: Iterable[Event]) -> tuple[int, dict[str, Any]]:
        answer = fold(told(events))
        rows = [row(item) for item in answer.items]
        said = [answer_row(text, cited, rows) for text, cited in _texts(answer)]
        results = said + rows
        document: dict[str, Any] = {"query_id": answer.start.query_id}
        if not isinstance(answer.ending, Failure | PromiseMade):
            return OK, document | {"results": results}
        document["_meta"] = {"response_type": "failure", "version": "0.1"}
        document |= {"results": results} if results else {}
        return OK, document | {"error": error_object(_failure(answer.ending))}

    def messages(self, events: Iterable[Event]) -> Iterator[Message]:
        stream = _Stream()
        widgets = WidgetMessages(self.question.mode)
        for event in in_one_piece(told(events)):
            if self.question.legacy_stream:
                yield from (Message(None, data) for data in widgets.before(event))
            yield Message(None, stream.message(event))


class _Stream:
    """What the messages of one stream have to remember of the earlier ones."""

    def __init__(self) -> None:
        self.results = 0
        self.error: str | None = None

    def message(self, event: Event) -> dict[str, Any]:
        match event:
            case Start():
                meta = _META | {"query_id": event.query_id}
                return {"message_type": "start", "_meta": meta}
            case ResultFound():
                return self._result(event.index, own_object(event.item))
            case Content() | Elicitation():
                summary = summary_object(event.text, _cited(event))
                return self._result(self.results, summary)
            case Complete():
                return {"message_type": "complete", "_meta": self._meta(event)}
            case Failure() | PromiseMade():
                return self._error(_failure(event))

    def _result(self, index: int, item: dict[str, Any]) -> dict[str, Any]:
        self.results += 1
        return {"message_type": "result", "index": index, "item": item}

    def _error(self, failure: Failure) -> dict[str, Any]:
        self.error = failure.message
        return {
            "message_type": "error",
            "code": failure.code,
            "error": failure.message,
        }

    def _meta(self, complete: Complete) -> dict[str, Any]:
        meta = _META | {"session_context": dict(complete.session_context)}
        if self.error is not None:
            meta["error"] = self.error
        if complete.generator is not None:
            meta["generator"] = complete.generator
        if complete.completeness != "complete":
            meta["completeness"] = complete.completeness
        if complete.notice is not None:
            meta["notice"] = asdict(complete.notice)
        return meta


def _failure(event: Failure | PromiseMade) -> Failure:
    """Return a failure as it is; a promise is one to a caller who cannot come back."""
    if isinstance(event, Failure):
        return event
    return Failure(
        code="UNSUPPORTED_VERSION",
        message="This answer takes longer than a request of version 0.1 can wait.",
    )


def _texts(answer: Folded) -> list[tuple[str, list[str]]]:
    """Return what was written or asked back, each with the addresses that it cites.

    0.1 has a row for text and no other.
    """
    said = [answer.content, answer.ending]
    return [
        (event.text, _cited(event))
        for event in said
        if isinstance(event, Content | Elicitation)
    ]


def _cited(event: Content | Elicitation) -> list[str]:
    citations = event.citations if isinstance(event, Content) else ()
    return list(dict.fromkeys(receipt.url for receipt in citations))
