"""Every form of an answer is a fold of the same events.

What a client puts together from the stream alone is the JSON answer, except for what
the stream of a dialect never carries.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nlweb_ask.protocol.events import (
    Complete,
    Content,
    Elicitation,
    Failure,
    Mark,
    Notice,
    PromiseMade,
    Receipt,
    ResultFound,
    Start,
)
from nlweb_ask.protocol.question import MODES, Question
from nlweb_ask.protocol.writers import encode, writer_for
from tests.protocol import folding

pytestmark = pytest.mark.property

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "200"))

many = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

texts = st.text(max_size=8)
# Names and ids, which have no say in how an answer is folded.
words = st.sampled_from(["tide", "moon", "Soup", "q-1", "a.b"])
codes = st.sampled_from(["INTERNAL_ERROR", "TIMEOUT"])
mappings = st.dictionaries(words, texts | st.integers(), max_size=2)


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
        Receipt,
        start=bounds,
        end=bounds,
        index=st.integers(0, 9),
        url=words,
        passage=words,
        span=st.tuples(st.integers(0, 99), st.integers(0, 99)),
        words_hash=words,
        quote=texts,
    )
    doubts = st.sampled_from(["uncited", "unsupported"])
    marks = st.builds(Mark, start=bounds, end=bounds, doubt=doubts)
    return Content(
        text=text,
        citations=tuple(draw(st.lists(citations, max_size=2))),
        marks=tuple(draw(st.lists(marks, max_size=2))),
    )


kinds_of_answer = ["single_select", "multi_select", "text"]
asked_back = st.fixed_dictionaries(
    {"id": words, "text": texts, "type": st.sampled_from(kinds_of_answer)},
    optional={"options": st.lists(texts, max_size=2)},
)

endings = {
    "answer": st.nothing(),
    "elicitation": st.builds(
        Elicitation, text=words, questions=st.lists(asked_back, max_size=2).map(tuple)
    ),
    "promise": st.builds(PromiseMade, token=words, message=st.none() | texts),
    "failure": st.builds(
        Failure, code=codes, message=texts, details=st.none() | mappings
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
    known = {
        name: getattr(question, name)
        for name in ("version", "response_format")
        if getattr(question, name)
    }
    return question, [
        replace(event, **{name: known[name] for name in known if hasattr(event, name)})
        for event in told
    ]


def sent(question, told):
    """(event, data) as a client reads them off the stream."""
    messages = writer_for(question).messages(told)
    return list(folding.events_of(b"".join(map(encode, messages))))


def received(question, told):
    """The JSON answer as a client reads it."""
    return json.loads(json.dumps(writer_for(question).document(told)[1]))


STRUCTURED = {
    "0.5": {"version": "0.5", "response_format": "conv_search"},
    "0.54": {"version": "0.54", "response_format": "conv_search"},
    "0.55": {"version": "0.55", "response_format": "conv_search"},
    "chatgpt_app": {"version": "0.55", "response_format": "chatgpt_app"},
    "0.5-chatgpt_app": {"version": "0.5", "response_format": "chatgpt_app"},
    "ask-family": {
        "version": "0.54",
        "response_format": "conv_search",
        "ask_family": True,
    },
}

LEGACY = [{"version": "0.1"}, {"version": "0.1", "legacy_stream": True}]


@many
@given(answer=answers())
def test_structured_stream_folds_to_the_document(answer):
    for name, dialect in STRUCTURED.items():
        question, told = in_dialect(answer, **dialect)

        stream = sent(question, told)
        folded, document = folding.structured(
            stream,
            received(question, told),
            version=question.version,
            response_format=question.response_format,
        )

        assert folded == document, name
        if question.ask_family:
            # They read `results` alone, and all is in there too.
            read, told_to_them = folding.ask_family(stream, received(question, told))
            assert read == told_to_them


@many
@given(answer=answers())
def test_0_1_stream_folds_to_the_objects_and_texts_of_the_document(answer):
    for dialect in LEGACY:
        question, told = in_dialect(answer, **dialect)
        stream, document = sent(question, told), received(question, told)

        folded, said = folding.legacy(own_messages(stream), document)

        assert folded == said
        if question.legacy_stream:
            read, said = folding.widgets(stream, document)
            assert read == said


def own_messages(stream):
    """The messages of 0.1 without those that the older widgets read."""
    own = {"start", "result", "error", "complete"}
    return [(event, data) for event, data in stream if data["message_type"] in own]


dialects = st.sampled_from([*STRUCTURED.values(), *LEGACY])


@many
@given(answer=answers(), dialect=dialects, more=st.lists(contents(), max_size=2))
def test_stream_has_one_terminal_and_it_is_last(answer, dialect, more):
    question, told = in_dialect(answer, **dialect)
    last = folding.terminals(question.version)

    names = folding.names_of(sent(question, [*told, *more]))

    counted = Counter(names)
    assert names[0] == "start"
    assert names[-len(last) :] == last
    assert {counted[name] for name in ("start", *last)} == {1}


FIXTURES = Path(__file__).parent / "fixtures" / "schemas"
ANSWERS = {"0.1": "response-answer-0.1", "0.5": "response-answer-0.5"}


@cache
def validator(name):
    return jsonschema.Draft202012Validator(
        json.loads((FIXTURES / f"{name}.json").read_text())
    )


def schema_of(question, kind):
    if question.version == "0.1" or kind != "answer":
        return ANSWERS["0.1"] if kind == "answer" else f"response-{kind}"
    if question.response_format == "chatgpt_app":
        return "response-answer-chatgpt"
    return ANSWERS.get(question.version, "response-answer")


@many
@given(answer=answers(), dialect=dialects)
def test_document_and_messages_are_of_their_schemas(answer, dialect):
    question, told = in_dialect(answer, **dialect)
    document = received(question, told)
    kind = told[-1].response_type
    if question.version == "0.1":
        kind = "failure" if "error" in document else "answer"

    validator(schema_of(question, kind)).validate(document)
    for event, data in sent(question, told):
        if event is None:
            validator("sse-0.1-message").validate(data)
        else:
            validator("sse-named-event").validate({"event": event, "data": data})
