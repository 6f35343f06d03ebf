"""Every form of an answer is a fold of the same events.

What a client puts together from the stream alone is the JSON answer, except for what
the stream of a dialect never carries.
"""

from __future__ import annotations

import json
import os
import string
from collections import Counter
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nlweb_ask.protocol.events import (
    Citation,
    Complete,
    Content,
    Elicitation,
    Failure,
    Notice,
    PromiseMade,
    ResultFound,
    Start,
)
from nlweb_ask.protocol.question import MODES, Question
from nlweb_ask.protocol.writers import encode, writer_for

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "200"))

many = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

texts = st.text(max_size=12)
words = st.text(string.ascii_letters, min_size=1, max_size=8)
mappings = st.dictionaries(words, texts | st.integers(), max_size=3)


@st.composite
def items(draw):
    url = f"https://example.org/{draw(words)}/"
    item = {"@type": "Article", "@id": url, "url": url, "name": draw(texts)}
    item |= draw(st.just({}) | st.fixed_dictionaries({"abstract": texts}))
    return item | {
        "site": draw(words),
        "score": draw(st.integers(0, 100)),
        "description": draw(texts),
        "grounding": {"source_urls": [url]},
    }


@st.composite
def contents(draw):
    text = draw(texts)
    bounds = st.integers(0, len(text))
    citations = st.builds(
        Citation, start=bounds, end=bounds, url=words, quote=texts, name=texts
    )
    return Content(text=text, citations=tuple(draw(st.lists(citations, max_size=2))))


endings = {
    "answer": st.nothing(),
    "elicitation": st.builds(
        Elicitation, text=words, questions=st.lists(mappings, max_size=2).map(tuple)
    ),
    "promise": st.builds(PromiseMade, token=words, message=st.none() | texts),
    "failure": st.builds(
        Failure, code=words.map(str.upper), message=texts, details=st.none() | mappings
    ),
}


@st.composite
def answers(draw, kinds=tuple(endings)):
    """(question, events) without the dialect."""
    kind = draw(st.sampled_from(kinds))
    mode = draw(st.sampled_from(MODES))
    found = draw(st.lists(items(), max_size=4))
    order = draw(st.permutations(range(len(found))))
    between = [ResultFound(index=index, item=found[index]) for index in order]
    for content in draw(st.lists(contents(), max_size=3)):
        between.insert(draw(st.integers(0, len(between))), content)
    if kind != "answer":
        between.append(draw(endings[kind]))
    known = {"query_id": draw(words), "conversation_id": draw(words)}
    complete = Complete(
        response_type=kind,
        version="0.55",
        mode=mode,
        response_format="conv_search",
        session_context=draw(mappings),
        total_items=len(found),
        processing_time_ms=draw(st.integers(0, 500)),
        completeness=draw(st.sampled_from(["complete", "partial", "reduced"])),
        summary=draw(st.none() | texts),
        corrected_query=draw(st.none() | texts),
        notice=draw(st.none() | st.builds(Notice, code=words, text=texts)),
        **known,
    )
    question = Question(text=draw(words), mode=mode)
    return question, [Start(version="0.55", **known), *between, complete]


def in_dialect(answer, **dialect):
    question, told = answer
    question = replace(question, **dialect)
    version = question.version
    return question, [
        replace(event, version=version) if hasattr(event, "version") else event
        for event in told
    ]


def sent(question, told):
    """(event, data) as a client reads them off the stream."""
    for message in writer_for(question).messages(told):
        lines = encode(message).decode().removesuffix("\n\n").split("\n")
        fields = dict(line.split(": ", 1) for line in lines)
        yield fields.get("event"), json.loads(fields["data"])


def received(question, told):
    """The JSON answer as a client reads it."""
    return json.loads(json.dumps(writer_for(question).document(told)[1]))


STRUCTURED = {
    "0.5": {"version": "0.5", "response_format": "conv_search"},
    "0.54": {"version": "0.54", "response_format": "conv_search"},
    "0.55": {"version": "0.55", "response_format": "conv_search"},
    "chatgpt_app": {"version": "0.55", "response_format": "chatgpt_app"},
    "ask-family": {"version": "0.54", "ask_family": True},
}

LEGACY = [{"version": "0.1"}, {"version": "0.1", "legacy_stream": True}]


def folded_by_a_client(stream, rows):
    meta, results, said, cited, ending = {}, {}, "", [], {}
    for event, data in stream:
        match event:
            case "result":
                results[data["index"]] = data["item"]
            case "content":
                cited += shifted(data.get("citations", []), len(said))
                said += data["text"]
            case "elicitation" | "promise" | "failure":
                ending = {k: v for k, v in data.items() if k != "_meta"}
                meta |= data["_meta"]
            case "start" | "complete":
                meta |= data["_meta"]
    found = [results[index] for index in sorted(results)]
    text = {"type": "text", "text": said} | ({"citations": cited} if cited else {})
    document = {"_meta": meta, rows: found} | ({"content": [text]} if said else {})
    return document | ending


def shifted(citations, by):
    return [c | {"start": c["start"] + by, "end": c["end"] + by} for c in citations]


@many
@given(answer=answers())
def test_structured_stream_folds_to_the_document(answer):
    for name, dialect in STRUCTURED.items():
        question, told = in_dialect(answer, **dialect)
        rows = "structuredData" if name == "chatgpt_app" else "results"

        document = received(question, told)
        folded = folded_by_a_client(sent(question, told), rows)

        if rows not in document:
            # An ending without findings: the stream says more of the way to it.
            assert not folded.pop(rows)
            meta = document["_meta"]
            folded["_meta"] = {name: folded["_meta"][name] for name in meta}
        elif name == "0.5":
            document["content"] = without_resource(document)
        if document.get("content") == []:
            del document["content"]
        assert folded == document, name


def without_resource(document):
    resource = {"type": "resource", "resource": {"data": document["results"]}}
    assert document["content"][-1] == resource
    return document["content"][:-1]


@many
@given(answer=answers())
def test_ask_family_reads_the_answer_from_results_alone(answer):
    question, told = in_dialect(answer, **STRUCTURED["ask-family"])

    seen = [row for _, data in sent(question, told) for row in data.get("results", [])]

    document = received(question, told)
    content = document.get("content", [])
    summaries = [{"@type": "Summary", "text": item["text"]} for item in content]
    pages = [row for row in seen if row["@type"] != "Summary"]
    assert sorted(pages, key=json.dumps) == sorted(
        document.get("results", []), key=json.dumps
    )
    assert [row for row in seen if row["@type"] == "Summary"] == summaries


@many
@given(answer=answers())
def test_0_1_stream_folds_to_the_objects_and_texts_of_the_document(answer):
    question, told = in_dialect(answer, version="0.1")
    messages = [data for _, data in sent(question, told)]

    document = received(question, told)

    said = [m for m in messages if m["message_type"] == "result"]
    texts = [m["item"] for m in said if m["item"]["@type"] == "SearchSummary"]
    found = [m for m in said if m["item"]["@type"] != "SearchSummary"]
    objects = [m["item"] for m in sorted(found, key=lambda m: m["index"])]
    rows = document.get("results", [])
    assert [row["schema_object"] for row in rows] == texts + objects
    assert messages[0]["_meta"]["query_id"] == document["query_id"]
    errors = [(m["code"], m["error"]) for m in messages if m["message_type"] == "error"]
    error = document.get("error")
    assert errors == ([(error["code"], error["message"])] if error else [])


@many
@given(answer=answers())
def test_widgets_get_all_rows_and_texts_of_the_document(answer):
    question, told = in_dialect(answer, version="0.1", legacy_stream=True)
    messages = [data for _, data in sent(question, told)]

    rows, texts = [], []
    for data in messages:
        rows += data.get("results", []) + data.get("items", [])
        kind = {"summary": "message", "nlws": "answer", "ask_user": "message"}
        if name := kind.get(data["message_type"]):
            texts.append(data[name])

    document = received(question, told)
    answers_first = [row["description"] for row in document.get("results", [])]
    pages = document.get("results", [])[len(texts) :]
    assert texts == answers_first[: len(texts)]
    assert sorted(rows, key=json.dumps) == sorted(pages, key=json.dumps)


@many
@given(answer=answers(), more=st.lists(contents(), max_size=2))
def test_stream_has_one_terminal_and_it_is_last(answer, more):
    for dialect in [*STRUCTURED.values(), *LEGACY]:
        question, told = in_dialect(answer, **dialect)
        last = ["complete"] if question.version == "0.1" else ["complete", "end"]

        stream = sent(question, [*told, *more])
        names = [event or data["message_type"] for event, data in stream]

        counted = Counter(names)
        assert names[0] == "start"
        assert names[-len(last) :] == last
        assert {counted[name] for name in ("start", *last)} == {1}
