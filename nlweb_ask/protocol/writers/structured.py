"""The structured versions, 0.5, 0.54 and 0.55: JSON documents and named events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from nlweb_ask.protocol.events import (
    Complete,
    Content,
    Elicitation,
    Ending,
    Event,
    Failure,
    PromiseMade,
    Receipt,
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

Items = Sequence[dict[str, Any]]

OK: Final = 200
ACCEPTED: Final = 202


@dataclass(frozen=True, slots=True)
class Shape:
    """How a format lays out results and text beside `_meta`."""

    body: Callable[[Items, list[dict[str, Any]]], dict[str, Any]]
    # The text of an answer to which nobody wrote one; None where text is optional.
    line: Callable[[Question, Items], str] | None = None


class StructuredWriter:
    """Writes the answer to one question in one shape.

    All three versions and both formats have the same events; they differ in the shape
    of the document and in whether there is always some text.
    """

    def __init__(self, question: Question, shape: Shape) -> None:
        self.question = question
        self.shape = shape

    def document(self, events: Iterable[Event]) -> tuple[int, dict[str, Any]]:
        answer = fold(self._told(events))
        document = {"_meta": _document_meta(answer)}
        if answer.ending is None or answer.has_findings:
            document |= self.shape.body(answer.items, _content_items(answer.content))
        if answer.ending is not None:
            document |= _ending(answer.ending)
        made_promise = isinstance(answer.ending, PromiseMade)
        return (ACCEPTED if made_promise else OK), document

    def messages(self, events: Iterable[Event]) -> Iterator[Message]:
        identity: dict[str, Any] = {}
        for event in self._told(events):
            match event:
                case Start():
                    identity = _identity(event)
                    meta = {"response_type": "answer"} | identity
                    yield Message("start", {"_meta": meta})
                case ResultFound():
                    yield Message("result", self._result(event))
                case Content():
                    yield Message("content", self._content(event))
                case Complete():
                    yield Message("complete", {"_meta": _complete_meta(event)})
                    yield Message("end", {})
                case _:
                    yield _ending_message(event, identity)

    def _told(self, events: Iterable[Event]) -> Iterator[Event]:
        events = told(events)
        if self.shape.line is not None:
            events = self._with_line(events, self.shape.line)
        return in_one_piece(events) if self.question.ask_family else iter(events)

    def _with_line(
        self, events: Iterable[Event], line: Callable[[Question, Items], str]
    ) -> Iterator[Event]:
        """Add a line to an answer that would end without any text."""
        items: list[dict[str, Any]] = []
        has_text = False
        for event in events:
            if isinstance(event, ResultFound):
                items.append(dict(event.item))
            has_text = has_text or isinstance(event, Content | Ending)
            if isinstance(event, Complete) and not has_text:
                yield Content(text=line(self.question, items))
            yield event

    def _result(self, event: ResultFound) -> dict[str, Any]:
        item = dict(event.item)
        extra = {"results": [item]} if self.question.ask_family else {}
        return {"index": event.index, "item": item} | extra

    def _content(self, event: Content) -> dict[str, Any]:
        summary = {"@type": "Summary", "text": event.text}
        extra = {"results": [summary]} if self.question.ask_family else {}
        return _content_item(event) | extra


def conv_search_body(items: Items, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {"results": list(items)} | ({"content": content} if content else {})


def typespec_body(items: Items, content: list[dict[str, Any]]) -> dict[str, Any]:
    """Both readings of 0.5 at once: `results`, and `content` with text and resource."""
    resource = {"type": "resource", "resource": {"data": list(items)}}
    return {"results": list(items), "content": [*content, resource]}


def chatgpt_body(items: Items, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {"content": content, "structuredData": list(items)}


def count_line(question: Question, items: Items) -> str:
    noun = "result" if len(items) == 1 else "results"
    return f"{len(items)} {noun} for: {question.text}"


def result_lines(question: Question, items: Items) -> str:
    """Return a line for each result, or one that says there is none."""
    return "\n".join(map(_result_line, items)) or count_line(question, items)


def _result_line(item: dict[str, Any]) -> str:
    name, description = str(item.get("name", "")), str(item.get("description", ""))
    return ": ".join(part for part in (name, description) if part)


CONV_SEARCH: Final = Shape(conv_search_body)
TYPESPEC: Final = Shape(typespec_body, count_line)
CHATGPT_APP: Final = Shape(chatgpt_body, result_lines)


def _identity(start: Start) -> dict[str, Any]:
    return {
        "version": start.version,
        "query_id": start.query_id,
        "conversation_id": start.conversation_id,
    }


def _document_meta(answer: Folded) -> dict[str, Any]:
    """Return as much `_meta` as the kind of answer has something to say in."""
    complete = answer.complete
    kind = {"response_type": complete.response_type}
    if isinstance(answer.ending, Failure) and not answer.has_findings:
        return kind | {"version": answer.start.version}
    session = {"session_context": dict(complete.session_context)}
    if answer.ending is not None and not answer.has_findings:
        return kind | _identity(answer.start) | session
    return (
        kind
        | _identity(answer.start)
        | _way(complete)
        | _said(complete)
        | (_work(complete) | session)
    )


def _complete_meta(complete: Complete) -> dict[str, Any]:
    return {
        "response_type": complete.response_type,
        "version": complete.version,
        **_way(complete),
        **_work(complete),
        "session_context": dict(complete.session_context),
        **_said(complete),
    }


def _way(complete: Complete) -> dict[str, Any]:
    return {"response_format": complete.response_format, "mode": complete.mode}


def _work(complete: Complete) -> dict[str, Any]:
    return {
        "total_items": complete.total_items,
        "processing_time_ms": complete.processing_time_ms,
    }


def _said(complete: Complete) -> dict[str, Any]:
    """Return the optional members: those that have something to say."""
    is_whole = complete.completeness == "complete"
    optional = {
        "summary": complete.summary if complete.mode == "summarize" else None,
        "decontextualized_query": complete.decontextualized_query,
        "corrected_query": complete.corrected_query,
        "generator": complete.generator,
        "completeness": None if is_whole else complete.completeness,
        "notice": asdict(complete.notice) if complete.notice else None,
    }
    return _present(optional)


def _ending_message(event: Ending, identity: dict[str, Any]) -> Message:
    meta = {"response_type": event.response_type} | identity
    return Message(event.response_type, {"_meta": meta} | _ending(event))


def _ending(event: Ending) -> dict[str, Any]:
    match event:
        case Elicitation():
            questions = [dict(question) for question in event.questions]
            return {"elicitation": {"text": event.text, "questions": questions}}
        case PromiseMade():
            return {"promise": _present(asdict(event))}
        case Failure():
            return {"error": error_object(event)}


def _present(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _content_items(content: Content | None) -> list[dict[str, Any]]:
    return [] if content is None else [_content_item(content)]


def _content_item(content: Content) -> dict[str, Any]:
    item: dict[str, Any] = {"type": "text", "text": content.text}
    if content.citations:
        item["citations"] = [_citation(receipt) for receipt in content.citations]
    if content.marks:
        item["marks"] = [
            {"text_span": [mark.start, mark.end], "mark": mark.doubt}
            for mark in content.marks
        ]
    return item


def _citation(receipt: Receipt) -> dict[str, Any]:
    return {
        "text_span": [receipt.start, receipt.end],
        "index": receipt.index,
        "url": receipt.url,
        "passage": receipt.passage,
        "span": list(receipt.span),
        "words_hash": receipt.words_hash,
        "quote": receipt.quote,
    }
