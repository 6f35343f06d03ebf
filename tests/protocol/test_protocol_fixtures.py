"""The fixtures of the protocol, replayed against reader and writers."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlencode

import jsonschema
import pytest

from nlweb_ask.protocol.errors import Refusal
from nlweb_ask.protocol.events import (
    Complete,
    Content,
    Elicitation,
    Failure,
    PromiseMade,
    ResultFound,
    Start,
)
from nlweb_ask.protocol.question import Question
from nlweb_ask.protocol.reader import (
    RawRequest,
    read_await,
    read_question,
    wants_stream,
)
from nlweb_ask.protocol.writers import encode, failure_document, writer_for

FIXTURES = Path(__file__).parent / "fixtures"
INDEX = json.loads((FIXTURES / "index.json").read_text())["fixtures"]

# What the door of the web room decides, before or without reading.
DECIDED_ELSEWHERE = {
    "bad/put-ask.json",
    "bad/await-get.json",
    "bad/await-unknown.json",
    "bad/anonymous-refused.json",
    "bad/forbidden.json",
    "bad/rate-limited.json",
    "bad/disabled.json",
}


def entries(folder, wanted=lambda entry: True):
    chosen = [e for e in INDEX if e["file"].startswith(folder) and wanted(e)]
    return [pytest.param(entry, id=Path(entry["file"]).stem) for entry in chosen]


def load(entry):
    return json.loads((FIXTURES / entry["file"]).read_text())


def raw_request(fixture):
    headers = fixture.get("headers", {})
    if "raw_body" in fixture:
        body = raw_bytes(fixture["raw_body"])
    else:
        body = json.dumps(fixture["body"]).encode() if "body" in fixture else b""
    return RawRequest(
        method=fixture["method"],
        query=[tuple(pair) for pair in fixture.get("query", [])],
        body=body,
        content_type=headers.get("Content-Type", ""),
        accept=headers.get("Accept", ""),
    )


def raw_bytes(text):
    described = "(send the bytes "
    if text.startswith(described):
        return bytes.fromhex(text.removeprefix(described).rstrip(")"))
    return text.encode()


def as_expected(question, accept):
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


def check_schema(document, name):
    schema = json.loads((FIXTURES / name).read_text())
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize("entry", entries("requests/", lambda e: "read" in e["expect"]))
def test_request_is_read_into_the_one_model(entry):
    raw = raw_request(load(entry))

    question = read_question(raw)

    assert as_expected(question, raw.accept) == entry["expect"]["read"]


@pytest.mark.parametrize("entry", entries("requests/await-"))
def test_await_request_is_read(entry):
    fixture = load(entry)

    action = read_await(raw_request(fixture))

    meta = fixture["body"]["meta"]
    assert (action.promise_token, action.action, action.version) == (
        fixture["body"]["promise_token"],
        fixture["body"]["action"],
        meta.get("version") or meta["api_version"],
    )


@pytest.mark.parametrize(
    "entry", entries("bad/", lambda e: e["file"] not in DECIDED_ELSEWHERE)
)
def test_bad_request_is_refused_with_status_code_and_failure_document(entry):
    fixture = load(entry)
    read = read_await if fixture["path"] == "/await" else read_question
    legacy = {"allow_legacy": False} if "legacy-refused" in entry["file"] else {}

    with pytest.raises(Refusal) as caught:
        read(raw_request(fixture), **legacy)

    refusal = caught.value
    expected = (entry["expect"]["status"], entry["expect"]["error_code"])
    assert (refusal.status, refusal.code) == expected
    check_schema(failure_document(refusal), "schemas/response-failure.json")


def test_request_body_that_is_a_form_is_read_like_a_query_string():
    pairs = [("query", "café & more"), ("site", "blog"), ("site", "shop")]

    in_url = read_question(RawRequest(method="GET", query=pairs))
    in_body = read_question(
        RawRequest(
            body=urlencode(pairs).encode(),
            content_type="application/x-www-form-urlencoded; charset=utf-8",
        )
    )

    assert in_body == in_url


# Writing: the events that a golden answer tells are taken out of it and written again.


def complete_of(meta, **known):
    return Complete(
        response_type=meta["response_type"],
        version=meta["version"],
        query_id=known["query_id"],
        conversation_id=known["conversation_id"],
        mode=meta.get("mode", "list"),
        response_format=meta.get("response_format", "conv_search"),
        session_context=meta.get("session_context", {}),
        total_items=meta.get("total_items", 0),
        processing_time_ms=meta.get("processing_time_ms", 0),
        summary=meta.get("summary"),
        decontextualized_query=meta.get("decontextualized_query"),
    )


def ending_of(document):
    if "elicitation" in document:
        asked = document["elicitation"]
        return [Elicitation(text=asked["text"], questions=tuple(asked["questions"]))]
    if "promise" in document:
        return [PromiseMade(**document["promise"])]
    if "error" in document:
        return [Failure(**document["error"])]
    return []


def events_of_document(document):
    meta = document["_meta"]
    known = {
        "query_id": meta.get("query_id", "q-1"),
        "conversation_id": meta.get("conversation_id", "c-1"),
    }
    items = document.get("results", document.get("structuredData", []))
    has_own_text = meta["version"] != "0.5" and "structuredData" not in document
    texts = document.get("content", []) if has_own_text else []
    return [
        Start(version=meta["version"], **known),
        *(ResultFound(index=i, item=item) for i, item in enumerate(items)),
        *(Content(text=item["text"]) for item in texts),
        *ending_of(document),
        complete_of(meta, **known),
    ]


@pytest.mark.parametrize(
    "entry",
    entries(
        "responses/",
        lambda e: e["version"] != "0.1" and "INVALID" not in json.dumps(load(e)),
    ),
)
def test_structured_document_is_written_as_the_golden_one(entry):
    golden = load(entry)
    meta = golden["_meta"]
    question = Question(
        text="lentil soup",
        version=meta["version"],
        response_format=meta.get("response_format", "conv_search"),
        mode=meta.get("mode"),
    )

    status, document = writer_for(question).document(events_of_document(golden))

    # Compared as text: the order of the keys is part of the golden answer.
    assert json.dumps(document) == json.dumps(golden)
    assert status == entry["expect"]["status"]
    check_schema(document, entry["validates"])


@pytest.mark.parametrize(
    "entry", entries("responses/", lambda e: e["file"].count("answer-0.1"))
)
def test_legacy_document_is_written_as_the_golden_one(entry):
    golden = load(entry)
    rows = [row for row in golden["results"] if row["url"]]
    texts = [row["description"] for row in golden["results"] if not row["url"]]
    known = {"query_id": golden["query_id"], "conversation_id": golden["query_id"]}
    events = [
        Start(version="0.1", **known),
        *(ResultFound(index=i, item=item_of(row)) for i, row in enumerate(rows)),
        *(Content(text=text) for text in texts),
        complete_of({"response_type": "answer", "version": "0.1"}, **known),
    ]

    status, document = writer_for(Question(text="soup", version="0.1")).document(events)

    assert (status, json.dumps(document)) == (200, json.dumps(golden))
    check_schema(document, entry["validates"])


def item_of(row):
    """The item that the pipeline found, from the row that 0.1 made of it."""
    urls = {"source_urls": [row["url"]]}
    added = {"site": row["site"], "score": row["score"], "grounding": urls}
    return row["schema_object"] | added


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        (
            "failure-0.55-invalid-parameter.json",
            RawRequest(body=b'{"query":{"text":"soup","max_results":"ten"}}'),
        ),
        ("failure-0.1-missing-query.json", RawRequest(method="GET")),
    ],
    ids=["invalid-parameter", "0.1-missing-query"],
)
def test_refusal_is_written_as_the_golden_failure(name, raw):
    golden = json.loads((FIXTURES / "responses" / name).read_text())

    with pytest.raises(Refusal) as caught:
        read_question(raw)

    document = failure_document(caught.value, query_id="a1b2c3")
    assert json.dumps(document) == json.dumps(golden)


def stream_messages(text):
    """(event, data) of each event of a stream without comments."""
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines())
        if "data" in lines:
            yield lines.get("event"), json.loads(lines["data"])


def events_of_stream(messages):
    """The events that a golden stream tells; 0.1 tells what is in its rows apart."""
    start = messages[0][1]["_meta"]
    known = {
        "query_id": start["query_id"],
        "conversation_id": start.get("conversation_id", start["query_id"]),
    }
    rows = rows_of_stream(messages)
    for event, data in messages:
        match event or data["message_type"]:
            case "start":
                yield Start(version=start["version"], **known)
            case "result" if data["item"]["@type"] == "SearchSummary":
                yield Content(text=data["item"]["text"])
            case "result":
                row = rows.get(data["item"]["url"])
                item = item_of(row) if row else data["item"]
                yield ResultFound(index=data["index"], item=item)
            case "content":
                yield Content(text=data["text"])
            case "error":
                yield Failure(code=data["code"], message=data["error"])
            case "complete":
                yield complete_of(data["_meta"], **known)
            case _:
                yield from ending_of(data)


def rows_of_stream(messages):
    lists = {"result_batch": "results", "nlws": "items"}
    told = ((lists.get(data.get("message_type")), data) for _, data in messages)
    return {row["url"]: row for name, data in told if name for row in data[name]}


def question_of(entry, messages):
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


def without_derived_text(entry, events):
    """0.5 writes the line itself when nobody wrote a text."""
    derived = entry["version"] == "0.5"
    return [e for e in events if not (derived and isinstance(e, Content))]


@pytest.mark.parametrize("entry", entries("sse/"))
def test_stream_is_written_as_the_golden_one(entry):
    golden = (FIXTURES / entry["file"]).read_text()
    messages = list(stream_messages(golden))
    events = without_derived_text(entry, list(events_of_stream(messages)))
    writer = writer_for(question_of(entry, messages))

    written = b"".join(encode(message) for message in writer.messages(events)).decode()

    assert same_but_volatile(written) == same_but_volatile(golden)
    for event, data in stream_messages(written):
        document = data if event is None else {"event": event, "data": data}
        check_schema(document, entry["validates"])


def same_but_volatile(stream):
    """The stream without comments and the conversation, which golden ones mix."""
    blocks = [b for b in stream.strip("\n").split("\n\n") if not b.startswith(":")]
    return [block.replace('"c-4"', '"c-3"') for block in blocks]


def test_every_fixture_has_a_place_in_the_index():
    listed = {entry["file"] for entry in INDEX}
    stored = {
        str(path.relative_to(FIXTURES))
        for folder in ("requests", "bad", "responses", "sse")
        for path in (FIXTURES / folder).iterdir()
    }

    assert stored == listed
