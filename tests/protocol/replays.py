"""What is done with each fixture: one function for a way of replaying it.

Each raises AssertionError, or whatever else goes wrong, when the fixture is not met.
The tests run them one by one, and the table of conformance counts them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from nlweb_ask.protocol.errors import Refusal, UnknownPromise
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
from nlweb_ask.protocol.reader import read_await, read_question, wants_stream
from nlweb_ask.protocol.sites import sites_document
from nlweb_ask.protocol.writers import encode, failure_document, writer_for
from tests.protocol.fixture_files import (
    INDEX,
    Entry,
    Messages,
    check_schema,
    check_stream,
    load,
    messages_of,
    raw_request,
    without_volatile,
)

# Decided before or without reading; replayed over HTTP only.
AT_THE_DOOR = {
    "bad/put-ask.json",
    "bad/await-get.json",
    "bad/await-unknown.json",
    "bad/anonymous-refused.json",
    "bad/forbidden.json",
    "bad/rate-limited.json",
    "bad/disabled.json",
}


@dataclass(frozen=True)
class Replay:
    """A way of replaying the fixtures for which `fits` says so."""

    fits: Callable[[Entry], bool]
    run: Callable[[Entry], None]

    @property
    def name(self) -> str:
        return self.run.__name__

    @property
    def entries(self) -> list[Entry]:
        return [entry for entry in INDEX if self.fits(entry)]


def in_folder(folder: str, entry: Entry) -> bool:
    return entry["file"].startswith(f"{folder}/")


# Reading


def read_into_the_model(entry: Entry) -> None:
    raw = raw_request(load(entry))

    question = read_question(raw)

    assert as_expected(question, raw.accept) == entry["expect"]["read"]


def as_expected(question: Question, accept: str) -> dict[str, Any]:
    """The question in the words of `expect.read`."""
    return {
        "version": question.version,
        "dialect": "flat" if question.version == "0.1" else "structured",
        "text": question.text,
        "site": list(question.site),
        "item_type": question.item_type,
        "prev": list(question.prev),
        "context_text": question.context_text,
        "memory": list(question.memory),
        "decontextualized_query": question.decontextualized_query,
        "mode": question.mode or "list",
        "streaming": wants_stream(question, accept),
        "response_format": question.response_format,
        "language": question.language,
        "session_context": question.session_context,
        "query_id": question.query_id,
        "offset": question.limits.offset,
    }


def await_request_read(entry: Entry) -> None:
    fixture = load(entry)

    action = read_await(raw_request(fixture))

    body, meta = fixture["body"], fixture["body"]["meta"]
    version = meta.get("version") or meta["api_version"]
    assert action.promise_token == body["promise_token"]
    assert (action.action, action.version) == (body["action"], version)


def refused_by_the_reader(entry: Entry) -> None:
    fixture = load(entry)
    read = read_await if fixture["path"] == "/await" else read_question
    legacy = {"allow_legacy": False} if "legacy-refused" in entry["file"] else {}

    with pytest.raises(Refusal) as caught:
        read(raw_request(fixture), **legacy)

    refusal, expect = caught.value, entry["expect"]
    assert (refusal.status, refusal.code) == (expect["status"], expect["error_code"])
    check_schema(failure_document(refusal), expect["response_schema"])


# Writing: what a golden answer tells is taken out of it as events, and written again.


def written_as_the_golden_document(entry: Entry) -> None:
    golden = load(entry)

    status, document = _document(entry, golden)

    # Compared as text: the order of the keys is part of a golden answer.
    written, wanted = json.dumps(document), json.dumps(golden)
    assert without_volatile(written, entry) == without_volatile(wanted, entry)
    assert status == entry["expect"]["status"]
    check_schema(document, entry["validates"])


def _document(entry: Entry, golden: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    if entry["file"] in REFUSED:
        refusal = REFUSED[entry["file"]]()
        return refusal.status, failure_document(refusal)
    if "sites" in golden:
        return 200, sites_document(golden["sites"])
    if entry["version"] == "0.1":
        question = Question(text="soup", version="0.1")
        return writer_for(question).document(_events_of_rows(golden))
    meta = golden["_meta"]
    question = Question(
        text="lentil soup",
        version=meta["version"],
        response_format=meta.get("response_format", "conv_search"),
        mode=meta.get("mode"),
    )
    return writer_for(question).document(_events_of_document(golden))


def _refusal_of(body: bytes = b"", method: str = "POST") -> Refusal:
    with pytest.raises(Refusal) as caught:
        read_question(raw_request({"method": method, "raw_body": body.decode()}))
    return caught.value


REFUSED: dict[str, Callable[[], Refusal]] = {
    "responses/failure-0.55-invalid-parameter.json": partial(
        _refusal_of, b'{"query":{"text":"soup","max_results":"ten"}}'
    ),
    "responses/failure-0.1-missing-query.json": partial(_refusal_of, method="GET"),
    "responses/failure-0.55-unknown-promise.json": UnknownPromise,
}


def _complete(meta: dict[str, Any], known: dict[str, str]) -> Complete:
    return Complete(
        response_type=meta["response_type"],
        version=meta["version"],
        mode=meta.get("mode", "list"),
        response_format=meta.get("response_format", "conv_search"),
        session_context=meta.get("session_context", {}),
        total_items=meta.get("total_items", 0),
        processing_time_ms=meta.get("processing_time_ms", 0),
        summary=meta.get("summary"),
        decontextualized_query=meta.get("decontextualized_query"),
        **known,
    )


def _ending(document: dict[str, Any]) -> list[Event]:
    if "elicitation" in document:
        asked = document["elicitation"]
        return [Elicitation(text=asked["text"], questions=tuple(asked["questions"]))]
    if "promise" in document:
        return [PromiseMade(**document["promise"])]
    if "error" in document:
        return [Failure(**document["error"])]
    return []


def _events_of_document(document: dict[str, Any]) -> list[Event]:
    meta = document["_meta"]
    known = {
        "query_id": meta.get("query_id", "q-1"),
        "conversation_id": meta.get("conversation_id", "c-1"),
    }
    items = document.get("results", document.get("structuredData", []))
    # Where nobody wrote a text these write a line themselves.
    writes_itself = meta["version"] == "0.5" or "structuredData" in document
    texts = [] if writes_itself else document.get("content", [])
    return [
        Start(version=meta["version"], **known),
        *(ResultFound(index=i, item=item) for i, item in enumerate(items)),
        *(Content(text=item["text"]) for item in texts),
        *_ending(document),
        _complete(meta, known),
    ]


def _events_of_rows(document: dict[str, Any]) -> list[Event]:
    rows = [row for row in document["results"] if row["url"]]
    texts = [row["description"] for row in document["results"] if not row["url"]]
    known = dict.fromkeys(("query_id", "conversation_id"), document["query_id"])
    return [
        Start(version="0.1", **known),
        *(ResultFound(index=i, item=_item(row)) for i, row in enumerate(rows)),
        *(Content(text=text) for text in texts),
        _complete({"response_type": "answer", "version": "0.1"}, known),
    ]


def _item(row: dict[str, Any]) -> dict[str, Any]:
    """The item that the pipeline found, from the row that 0.1 made of it."""
    urls = {"source_urls": [row["url"]]}
    added = {"site": row["site"], "score": row["score"], "grounding": urls}
    return row["schema_object"] | added


def written_as_the_golden_stream(entry: Entry) -> None:
    golden = load(entry)
    messages = messages_of(golden)
    events = list(_events_of_stream(messages))
    if entry["version"] == "0.5":  # it writes the line of text itself
        events = [event for event in events if not isinstance(event, Content)]
    writer = writer_for(_question_of(entry, messages))

    stream = b"".join(encode(message) for message in writer.messages(events)).decode()

    told = _without_comments(golden)
    assert without_volatile(stream, entry) == without_volatile(told, entry)
    check_stream(messages_of(stream), entry["validates"])


def _without_comments(stream: str) -> str:
    """Leave out the keep-alives, which the transport sends and no writer writes."""
    blocks = [b for b in stream.strip("\n").split("\n\n") if b != ": keepalive"]
    return "".join(f"{block}\n\n" for block in blocks)


def _events_of_stream(messages: Messages) -> Iterator[Event]:
    start = messages[0][1]["_meta"]
    known = {
        "query_id": start["query_id"],
        "conversation_id": start.get("conversation_id", start["query_id"]),
    }
    rows = _rows_of_stream(messages)
    for event, data in messages:
        match event or data["message_type"]:
            case "start":
                yield Start(version=start["version"], **known)
            case "result" if data["item"]["@type"] == "SearchSummary":
                yield Content(text=data["item"]["text"])
            case "result":
                row = rows.get(data["item"]["url"])
                item = _item(row) if row else data["item"]
                yield ResultFound(index=data["index"], item=item)
            case "content":
                yield Content(text=data["text"])
            case "error":
                yield Failure(code=data["code"], message=data["error"])
            case "complete":
                yield _complete(data["_meta"], known)
            case _:
                yield from _ending(data)


def _rows_of_stream(messages: Messages) -> dict[str, dict[str, Any]]:
    """The rows that 0.1 tells the older widgets, in which there is more of an item."""
    lists = {"result_batch": "results", "nlws": "items"}
    told = ((lists.get(data.get("message_type", "")), data) for _, data in messages)
    return {row["url"]: row for name, data in told if name for row in data[name]}


def _question_of(entry: Entry, messages: Messages) -> Question:
    version = messages[0][1]["_meta"]["version"]
    name = entry["file"]
    return Question(
        text="lentil soup",
        version=version,
        legacy_stream="generate_mode" in name,
        ask_family="api_version" in name,
        mode="generate" if name.endswith("mode-generate.txt") else "list",
        response_format=None if version == "0.1" else "conv_search",
    )


READ = Replay(lambda entry: "read" in entry["expect"], read_into_the_model)
READ_AWAIT = Replay(
    lambda entry: entry["file"].startswith("requests/await-"), await_request_read
)
REFUSED_BY_READER = Replay(
    lambda entry: in_folder("bad", entry) and entry["file"] not in AT_THE_DOOR,
    refused_by_the_reader,
)
DOCUMENTS = Replay(partial(in_folder, "responses"), written_as_the_golden_document)
STREAMS = Replay(partial(in_folder, "sse"), written_as_the_golden_stream)

WITHOUT_HTTP = (READ, READ_AWAIT, REFUSED_BY_READER, DOCUMENTS, STREAMS)
