from __future__ import annotations

import json
from dataclasses import replace
from types import MappingProxyType

import pytest

from nlweb_ask.protocol.errors import InvalidParameter, MissingField, UnknownPromise
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
from nlweb_ask.protocol.question import Question
from nlweb_ask.protocol.writers import (
    Unfinished,
    dumps,
    encode,
    failure_document,
    writer_for,
)

LEGACY = Question(text="soup", version="0.1")
WIDGETS = replace(LEGACY, legacy_stream=True)
NEWEST = Question(text="soup", response_format="conv_search")
TYPESPEC = replace(NEWEST, version="0.5")
CHATGPT = replace(NEWEST, response_format="chatgpt_app")
ASK_FAMILY = replace(NEWEST, ask_family=True)
DIALECTS = {
    "0.1": LEGACY,
    "widgets": WIDGETS,
    "0.5": TYPESPEC,
    "0.55": NEWEST,
    "chatgpt": CHATGPT,
    "ask-family": ASK_FAMILY,
}

START = Start(version="0.55", query_id="q-1", conversation_id="c-1")
COMPLETE = Complete(
    response_type="answer",
    version="0.55",
    query_id="q-1",
    conversation_id="c-1",
    mode="list",
    response_format="conv_search",
    session_context={"conversation_id": "c-1"},
    total_items=0,
    processing_time_ms=50,
)
BROKEN_OFF = Failure(code="INTERNAL_ERROR", message="The answer broke off.")


def found(index=0, **members):
    url = f"https://example.org/{index}/"
    item = {"@type": "Article", "@id": url, "url": url, "name": f"Page {index}"}
    added = {"site": "example.org", "score": 90, "description": "words around it"}
    return ResultFound(index=index, item=item | added | members)


def events(*between, **complete):
    return [START, *between, replace(COMPLETE, **complete)]


def written(question, *between, **complete):
    return writer_for(question).document(events(*between, **complete))[1]


def streamed(question, *between, **complete):
    return list(writer_for(question).messages(events(*between, **complete)))


@pytest.fixture(params=DIALECTS)
def question(request):
    return DIALECTS[request.param]


def test_result_goes_out_before_the_text_is_written(question):
    asked_for = []

    def slowly():
        for event in events(found(), Content(text="a text")):
            asked_for.append(type(event))
            yield event

    messages = writer_for(question).messages(slowly())
    sent = ""
    while "Page 0" not in sent:
        sent = encode(next(messages)).decode()

    assert asked_for == [Start, ResultFound]


def test_nothing_follows_the_terminal(question):
    ended = events(found())

    once = list(writer_for(question).messages(ended))
    with_more = list(writer_for(question).messages([*ended, found(1), COMPLETE]))

    assert with_more == once


def test_stream_without_complete_has_no_terminal_and_no_document(question):
    broken = [START, found()]

    sent = b"".join(map(encode, writer_for(question).messages(broken)))

    assert b"complete" not in sent
    with pytest.raises(Unfinished):
        writer_for(question).document(broken)


def test_read_only_mappings_can_be_written(question):
    frozen = MappingProxyType({"conversation_id": "c-1", "deep": MappingProxyType({})})
    told = events(found(author=frozen), session_context=frozen)

    messages = list(writer_for(question).messages(told))

    assert dumps(writer_for(question).document(told)[1])
    assert all(map(encode, messages))


@pytest.mark.parametrize("dialect", [NEWEST, TYPESPEC], ids=["0.55", "0.5"])
def test_failure_midway_keeps_what_was_found_beside_the_error(dialect):
    between = [found(), Content(text="Half a sen"), BROKEN_OFF]

    document = written(dialect, *between, response_type="failure", total_items=1)

    assert document["_meta"]["response_type"] == "failure"
    assert document["results"] == [found().item]
    assert document["content"][0] == {"type": "text", "text": "Half a sen"}
    assert document["error"]["code"] == "INTERNAL_ERROR"


def test_failure_midway_in_0_1_keeps_rows_and_text():
    between = [found(), Content(text="Half a sen"), BROKEN_OFF]

    document = written(LEGACY, *between)

    assert [row["name"] for row in document["results"]] == ["Answer", "Page 0"]
    assert document["_meta"] == {"response_type": "failure", "version": "0.1"}
    assert document["error"]["code"] == "INTERNAL_ERROR"


def test_failure_midway_in_a_0_1_stream_sends_the_text_there_is():
    sent = streamed(LEGACY, Content(text="Half"), Content(text=" a sen"), BROKEN_OFF)

    kinds = [message.data["message_type"] for message in sent]
    assert kinds == ["start", "result", "error", "complete"]
    assert sent[1].data["item"]["text"] == "Half a sen"


def test_failure_keeps_its_details(question):
    failure = replace(BROKEN_OFF, details=MappingProxyType({"parameter": "x"}))

    document = written(question, failure, response_type="failure")

    assert document["error"]["details"] == {"parameter": "x"}


# Citations

FIRST = Receipt(
    start=0,
    end=3,
    index=0,
    url="https://example.org/0/#shore",
    passage="p0",
    span=(4, 7),
    words_hash="w0",
    quote="Sea",
)
SECOND = replace(FIRST, start=1, end=4, index=1, url="https://example.org/1/")
DOUBTED = Mark(start=0, end=3, doubt="unsupported")


def test_citations_of_later_pieces_are_shifted_by_code_points():
    pieces = [
        Content(text="Sea 🌊. ", citations=(FIRST,)),
        Content(text=" fog.", citations=(SECOND,)),
    ]

    (item,) = written(NEWEST, *pieces)["content"]

    assert item["text"] == "Sea 🌊.  fog."
    spans = [tuple(c["text_span"]) for c in item["citations"]]
    assert spans == [(0, 3), (8, 11)]
    assert [item["text"][start:end] for start, end in spans] == ["Sea", "fog"]
    assert item["citations"][0] == {
        "text_span": [0, 3],
        "index": 0,
        "url": "https://example.org/0/#shore",
        "passage": "p0",
        "span": [4, 7],
        "words_hash": "w0",
        "quote": "Sea",
    }


def test_words_that_no_quote_proves_are_marked_where_they_stand():
    pieces = [Content(text="Sea. "), Content(text="Fog.", marks=(DOUBTED,))]

    (item,) = written(NEWEST, *pieces)["content"]

    assert item["marks"] == [{"text_span": [5, 8], "mark": "unsupported"}]


def test_summary_in_0_1_cites_each_address_once():
    said = Content(text="Sea, fog, sea.", citations=(FIRST, SECOND, FIRST))

    row = written(LEGACY, said)["results"][0]
    [summary] = [
        message.data["item"]
        for message in streamed(LEGACY, said)
        if message.data["message_type"] == "result"
    ]

    assert row["schema_object"]["citation"] == [FIRST.url, SECOND.url]
    assert summary == row["schema_object"]


def test_citations_in_a_stream_count_from_their_own_event():
    sent = streamed(
        NEWEST, Content(text="Sea"), Content(text=" fog", citations=(SECOND,))
    )

    cited = [m.data["citations"] for m in sent if "citations" in m.data]
    assert [c["text_span"] for (c,) in cited] == [[1, 4]]


def test_ask_family_gets_one_content_event_with_the_whole_text():
    pieces = [Content(text="Sea"), Content(text=" fog", citations=(SECOND,))]

    sent = streamed(ASK_FAMILY, pieces[0], found(), pieces[1])

    names = [message.event for message in sent]
    assert names == ["start", "result", "content", "complete", "end"]
    content = sent[2].data
    assert content["results"] == [{"@type": "Summary", "text": "Sea fog"}]
    assert content["citations"][0]["text_span"][0] == 4
    assert sent[1].data["results"] == [found().item]


# Structured versions


def test_results_stand_in_the_order_of_their_indexes(question):
    document = written(question, found(1), found(0))

    rows = document.get("results") or document["structuredData"]
    assert [row["name"] for row in rows] == ["Page 0", "Page 1"]


def test_optional_meta_is_there_only_when_it_says_something():
    plain = written(NEWEST)["_meta"]
    told = written(
        NEWEST,
        mode="summarize",
        summary="One page.",
        corrected_query="soup",
        generator="quotes",
        completeness="partial",
        notice=Notice(code="RETRIEVER_FAILED", text="Not everything was searched."),
    )["_meta"]

    assert not {"summary", "corrected_query", "completeness", "notice"} & plain.keys()
    assert told["completeness"] == "partial"
    assert told["notice"]["code"] == "RETRIEVER_FAILED"
    assert (told["summary"], told["generator"]) == ("One page.", "quotes")


def test_summary_is_named_in_summarize_mode_only():
    assert "summary" not in written(NEWEST, mode="generate", summary="x")["_meta"]


def test_stream_says_in_complete_what_the_document_says_in_meta():
    changed = {"completeness": "reduced", "decontextualized_query": "lentil soup"}

    meta = written(NEWEST, found(), **changed)["_meta"]
    complete = streamed(NEWEST, found(), **changed)[-2].data["_meta"]

    assert {**START_META, **complete} == meta


START_META = {"query_id": "q-1", "conversation_id": "c-1"}


@pytest.mark.parametrize(
    ("results", "line"),
    [
        ([], "0 results for: soup"),
        ([found()], "1 result for: soup"),
        ([found(), found(1)], "2 results for: soup"),
    ],
    ids=["none", "one", "two"],
)
def test_0_5_says_how_many_results_when_nobody_wrote_a_text(results, line):
    document = written(TYPESPEC, *results)

    text, resource = document["content"]
    assert text == {"type": "text", "text": line}
    assert resource["resource"]["data"] == document["results"]


def test_chatgpt_app_has_a_line_for_each_result_when_nobody_wrote_a_text():
    document = written(CHATGPT, found(), found(1, description=""))

    assert "results" not in document
    assert document["content"] == [
        {"type": "text", "text": "Page 0: words around it\nPage 1"}
    ]


@pytest.mark.parametrize("dialect", [TYPESPEC, CHATGPT], ids=["0.5", "chatgpt"])
def test_text_that_was_written_replaces_the_line(dialect):
    document = written(dialect, found(), Content(text="A soup."))

    assert document["content"][0] == {"type": "text", "text": "A soup."}


def test_chatgpt_app_has_text_even_when_an_empty_one_was_written():
    document = written(CHATGPT, Content(text=""))

    assert document["content"] == [{"type": "text", "text": "0 results for: soup"}]


def test_promise_is_accepted_and_not_answered():
    promise = PromiseMade(token="p-1", estimated_time=30)

    status, document = writer_for(NEWEST).document(
        events(promise, response_type="promise")
    )

    assert status == 202
    assert document["promise"] == {"token": "p-1", "estimated_time": 30}
    assert "results" not in document


# 0.1

OWN = "The page's own words."


def test_row_has_the_passage_and_its_object_the_pages_own_description():
    (row,) = written(LEGACY, found(abstract=OWN, grounding={"source_urls": []}))[
        "results"
    ]

    assert row["description"] == "words around it"
    assert row["schema_object"]["description"] == OWN
    assert not {"site", "score", "grounding"} & row["schema_object"].keys()


def test_answer_row_is_first_in_json_and_last_in_the_stream():
    between = [Content(text="Sim"), found(), Content(text="mer.")]

    rows = written(LEGACY, *between)["results"]
    sent = streamed(LEGACY, *between)

    assert [row["name"] for row in rows] == ["Answer", "Page 0"]
    assert (rows[0]["description"], rows[0]["site"]) == ("Simmer.", "example.org")
    assert sent[-2].data["item"]["text"] == "Simmer."
    assert [m.data.get("index") for m in sent] == [None, 0, 1, None]


def test_elicitation_in_0_1_is_an_answer_row():
    asked = Elicitation(text="Which soup?")

    assert written(LEGACY, asked)["results"][0]["description"] == "Which soup?"
    assert streamed(LEGACY, asked)[1].data["item"]["text"] == "Which soup?"
    kinds = [m.data["message_type"] for m in streamed(WIDGETS, asked)]
    assert kinds == ["start", "ask_user", "result", "complete"]


def test_promise_in_0_1_is_a_failure():
    promise = PromiseMade(token="secret")

    document = json.dumps(written(LEGACY, promise))
    sent = [m.data["message_type"] for m in streamed(LEGACY, promise)]

    assert "secret" not in document
    assert "UNSUPPORTED_VERSION" in document
    assert sent == ["start", "error", "complete"]


def test_notice_of_a_0_1_stream_rides_on_its_last_message():
    notice = Notice(code="NO_MODEL", text="No model was asked.")

    said = {"completeness": "reduced", "notice": notice, "generator": "quotes"}
    last = streamed(LEGACY, **said)[-1].data

    assert last["_meta"]["generator"] == "quotes"
    assert last["_meta"]["completeness"] == "reduced"
    assert last["_meta"]["notice"]["code"] == "NO_MODEL"


def test_widgets_get_the_rows_of_an_answer_that_was_never_written():
    generate = replace(WIDGETS, mode="generate")

    sent = [m.data for m in streamed(generate, found(1), found(0))]

    kinds = [data["message_type"] for data in sent]
    assert kinds == ["start", "result", "result", "result_batch", "complete"]
    assert [row["name"] for row in sent[3]["results"]] == ["Page 0", "Page 1"]


# Refusals


def test_refusal_is_written_in_its_own_version():
    refusal = InvalidParameter("x", details={"parameter": "y"}, version="0.54")

    assert failure_document(refusal) == {
        "_meta": {"response_type": "failure", "version": "0.54"},
        "error": {
            "code": "INVALID_PARAMETER",
            "message": "x",
            "details": {"parameter": "y"},
        },
    }


def test_refusal_of_unknown_version_is_written_in_the_newest():
    assert failure_document(MissingField("x"))["_meta"]["version"] == "0.55"


def test_0_1_refusal_has_the_query_id_given_or_sent_or_a_new_one():
    sent = MissingField("x", version="0.1", query_id="sent")
    unsaid = MissingField("x", version="0.1")

    assert failure_document(sent, query_id="given")["query_id"] == "given"
    assert failure_document(sent)["query_id"] == "sent"
    first, second = (failure_document(unsaid)["query_id"] for _ in range(2))
    assert first
    assert first != second


def test_unknown_promise_is_a_failure_with_status_200():
    refusal = UnknownPromise(version="0.54")

    assert refusal.status == 200
    assert failure_document(refusal)["error"]["code"] == "UNKNOWN_PROMISE"
