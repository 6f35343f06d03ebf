from __future__ import annotations

import json
import time

import pytest

from nlweb_ask.protocol.errors import (
    InvalidParameter,
    InvalidRequest,
    MissingField,
    PayloadTooLarge,
    Refusal,
    UnsupportedVersion,
)
from nlweb_ask.protocol.question import Limits
from nlweb_ask.protocol.reader import (
    BODY_LIMIT,
    MAX_OFFSET,
    RawRequest,
    read_await,
    read_question,
)

FORM = "application/x-www-form-urlencoded"


def read(body, **request):
    """Read a body that is given as text, as bytes or as what JSON it holds."""
    encoded = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_question(RawRequest(body=encoded, **request))


def read_url(*pairs, **request):
    return read_question(RawRequest(method="GET", query=pairs, **request))


def soup(**members):
    return {"query": {"text": "soup"}} | members


def refusal_of(body, **request):
    with pytest.raises(Refusal) as caught:
        read(body, **request)
    return caught.value


# Limits before meaning


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        pytest.param(b"[" * 16_384, InvalidParameter, id="16-KB-of-brackets"),
        pytest.param(b'{"a":' * 10_000, InvalidParameter, id="deep-objects"),
        pytest.param(b'{"query":NaN}', InvalidRequest, id="NaN"),
        pytest.param(b'{"query":{"text":"a","b":-Infinity}}', InvalidRequest, id="inf"),
        pytest.param(b'{"query":{"text":"a","b":1e999}}', InvalidRequest, id="1e999"),
        pytest.param(b'{"query":"a","b":%b}' % (b"9" * 5000), InvalidRequest, id="int"),
        pytest.param(b'{"query":"a","b":-%b}' % (b"9" * 300), InvalidRequest, id="300"),
        pytest.param(rb'{"query":"\ud83d soup"}', InvalidRequest, id="lone-surrogate"),
        pytest.param(rb'{"\udc00":1,"query":"a"}', InvalidRequest, id="surrogate-key"),
        pytest.param(b'{"query":"a","query":"b"}', InvalidRequest, id="key-twice"),
        pytest.param(b"\xff\xfe{}", InvalidRequest, id="not-utf-8"),
        pytest.param(b"a" * (BODY_LIMIT + 1), PayloadTooLarge, id="too-large"),
        pytest.param(b" \r\n\t ", MissingField, id="white-space-only"),
        pytest.param(b"\xef\xbb\xbf", MissingField, id="byte-order-mark-only"),
        pytest.param(b"null", InvalidRequest, id="null"),
    ],
)
def test_hostile_body_is_refused(body, kind):
    assert type(refusal_of(body)) is kind


def test_depth_of_twenty_is_read_and_brackets_in_strings_do_not_count():
    # The body itself and its query are the first two levels.
    nested = json.loads("[" * 18 + '"[[[[[\\"[[["' + "]" * 18)

    question = read({"query": {"text": "soup [[[[[[[[[[[[[[[[[[[[[", "x": nested}})

    assert question.filters["x"] == nested


def test_depth_is_scanned_in_linear_time():
    began = time.thread_time()

    refusal_of(b'"\\' * (BODY_LIMIT // 3))
    refusal_of(b'"' + b'\\"' * (BODY_LIMIT // 3))

    assert time.thread_time() - began < 2


def test_json_in_a_url_parameter_is_bounded_like_a_body():
    question = read_url(("query", "soup"), ("prev", "[" * 900))

    assert question.prev == ("[" * 900,)


def test_lone_surrogate_in_the_url_is_refused():
    with pytest.raises(InvalidRequest):
        read_url(("query", "a\udcff"))


def test_url_over_the_limit_is_refused():
    with pytest.raises(PayloadTooLarge):
        read_url(("query", "a"), ("x", "y" * BODY_LIMIT))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"query=%ff", id="not-utf-8"),
        pytest.param(b"query=%ed%a0%80", id="surrogate"),
        pytest.param(b"a&" * 1001 + b"query=a", id="too-many-fields"),
    ],
)
def test_broken_form_is_refused_as_0_1(body):
    refusal = refusal_of(body, content_type=FORM)

    assert (refusal.code, refusal.version) == ("INVALID_REQUEST", "0.1")


def test_form_with_raw_utf_8_is_read():
    assert read("query=café".encode(), content_type=FORM).text == "café"


def test_json_that_is_labelled_as_a_form_is_read_as_json():
    question = read(soup(), content_type=FORM)

    assert (question.text, question.version) == ("soup", "0.55")


# The text


@pytest.mark.parametrize(
    "text",
    ["kiln\x00firing", "kiln\nfiring", "kiln\x85firing", " kiln\u2028firing\t"],
    ids=["NUL", "newline", "C1-control", "line-separator"],
)
def test_control_characters_are_white_space(text):
    assert read({"query": {"text": text}}).text == "kiln firing"


@pytest.mark.parametrize("text", ["\x00", " \t\r\n", "", "\x00\x1f\u3000"])
def test_text_of_nothing_but_space_and_controls_is_missing(text):
    assert refusal_of({"query": {"text": text}}).code == "MISSING_FIELD"


@pytest.mark.parametrize("text", ["?!", "…", "。"])
def test_lone_punctuation_is_a_question(text):
    assert read({"query": {"text": text}}).text == text


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        pytest.param("a" * 1000, True, id="1000"),
        pytest.param("a" * 1001, False, id="1001"),
        pytest.param("\ufdfa" * 56, False, id="18-characters-each-after-NFKC"),
        pytest.param("e\u0301" * 1000, True, id="2000-that-compose-to-1000"),
    ],
)
def test_text_is_measured_after_nfkc(text, accepted):
    body = json.dumps({"query": {"text": text}}, ensure_ascii=False).encode()

    if accepted:
        assert read(body).text == text
    else:
        assert refusal_of(body).code == "INVALID_PARAMETER"


def test_text_that_is_slow_to_normalise_is_refused_at_once():
    # Marks of two classes have to be sorted, which takes quadratic time.
    text = "a" + "\u0300" * 15_000 + "\u0316" * 15_000
    body = json.dumps({"query": {"text": text}}, ensure_ascii=False).encode()
    began = time.thread_time()

    assert refusal_of(body).code == "INVALID_PARAMETER"
    assert time.thread_time() - began < 2


def test_rewritten_question_has_the_limit_of_the_question():
    refusal = refusal_of(soup(decontextualized_query="a" * 1001))

    assert refusal.details["parameter"] == "decontextualized_query"


# Fields and their aliases


@pytest.mark.parametrize(
    ("members", "field", "value"),
    [
        pytest.param({"site": "a, b,all"}, "site", ("a", "b"), id="site-flat"),
        pytest.param({"site": ["*", "a", "a", 7]}, "site", ("a",), id="site-once"),
        pytest.param(
            {"site": '["a", "b, c"]'}, "site", ("a", "b", "c"), id="site-json-list"
        ),
        pytest.param({"site": {"x": 1}}, "site", (), id="site-unreadable"),
        pytest.param({"itemType": "Recipe"}, "item_type", "Recipe", id="type-flat"),
        pytest.param(
            {"required_item_type": ["", "HTTP://schema.org/Event"]},
            "item_type",
            "Event",
            id="type-list-and-address",
        ),
        pytest.param({"prev": " a , ,b"}, "prev", ("a", "b"), id="prev-flat"),
        pytest.param({"prev": {"query": "a"}}, "prev", ("a",), id="prev-object"),
        pytest.param(
            {"prev": "[a, b"}, "prev", ("[a", "b"), id="prev-bracket-but-no-json"
        ),
        pytest.param(
            {"context": {"prev": []}, "prev": ["a"]}, "prev", ("a",), id="prev-empty"
        ),
        pytest.param(
            {"prev": list("abcdefghijkl")},
            "prev",
            tuple("cdefghijkl"),
            id="prev-last-ten",
        ),
        pytest.param(
            {"prev": ["a" * 1001]}, "prev", ("a" * 1000,), id="prev-cut-like-a-question"
        ),
        pytest.param(
            {"context_description": "x"}, "context_text", "x", id="context-description"
        ),
        pytest.param({"context": {"memory": "x"}}, "memory", ("x",), id="memory"),
        pytest.param({"generate_mode": "none"}, "mode", "list", id="mode-none"),
        pytest.param({"mode": "Summary"}, "mode", "summarize", id="mode-summary"),
        pytest.param(
            {"prefer": {"mode": ["list", "GENERATE"]}}, "mode", "generate", id="modes"
        ),
        pytest.param({"prefer": {"mode": "haiku"}}, "mode", None, id="mode-unknown"),
        pytest.param({"mode": 7}, "mode", None, id="mode-no-string"),
        pytest.param(
            {"return_response": {"format": "chatgptapp"}},
            "response_format",
            "chatgpt_app",
            id="format",
        ),
        pytest.param(
            {"prefer": {"accept-language": "de;q=0.5, pt_BR"}},
            "language",
            "pt-br",
            id="language-weights",
        ),
        pytest.param(
            {"prefer": {"accept-language": "'; drop"}}, "language", None, id="no-tag"
        ),
        pytest.param({"query_id": 17}, "query_id", "17", id="query-id-number"),
        pytest.param({"query_id": "a b"}, "query_id", None, id="query-id-unsafe"),
        pytest.param({"query_id": "x" * 65}, "query_id", None, id="query-id-long"),
        pytest.param({"query_id": True}, "query_id", None, id="query-id-boolean"),
    ],
)
def test_field_is_read_wherever_clients_put_it(members, field, value):
    assert getattr(read(soup(**members)), field) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((yes, True) for yes in (True, 1, 1.0, "true", "TRUE", "1", "yes", " on ")),
        *((no, False) for no in (False, 0, "False", "0", "no", "OFF")),
        *((absent, None) for absent in ("", "maybe", 2, None, [True], {}, 10**200)),
    ],
    ids=str,
)
def test_streaming_is_read_in_every_spelling(value, expected):
    assert read(soup(prefer={"streaming": value})).streaming is expected


def test_unreadable_preference_leaves_the_word_to_the_next_alias():
    body = soup(prefer={"streaming": "perhaps"}, streaming="false")

    assert read(body).streaming is False


def test_every_other_member_of_query_is_a_filter():
    query = {"text": "soup", "site": "x", "location": "Lyon", "price": None, "n": [1]}

    assert read({"query": query}).filters == {"location": "Lyon", "n": [1]}


@pytest.mark.parametrize("value", [42, {"@id": "Recipe"}, ["Recipe", 7], True])
def test_type_that_cannot_be_read_is_refused_rather_than_dropped(value):
    refusal = refusal_of({"query": {"text": "soup", "itemType": value}})

    assert refusal.code == "INVALID_PARAMETER"
    assert refusal.details["parameter"] == "query.itemType"


def test_body_wins_over_the_url_but_its_nulls_do_not():
    body = {"query": "from the body", "site": None, "mode": "list"}
    url = [("query", "from the url"), ("site", "blog"), ("mode", "generate")]

    question = read(body, query=url)

    assert question.text == "from the body"
    assert (question.site, question.mode) == (("blog",), "list")


def test_question_in_the_url_of_a_post_is_0_1():
    assert read({"streaming": False}, query=[("query", "soup")]).version == "0.1"
    assert read(b"", query=[("query", "soup")]).version == "0.1"


def test_sections_named_in_a_url_are_unknown_keys():
    question = read_url(("query", "soup"), ("prefer", "fast"), ("meta", "x"))

    assert question.text == "soup"


def test_0_1_body_may_have_the_sections_of_later_versions():
    question = read({"query": "tide table", "prefer": {"streaming": False}})

    assert (question.version, question.streaming) == ("0.1", False)


@pytest.mark.parametrize("name", ["prefer", "return_response", "meta", "context"])
@pytest.mark.parametrize("value", [7, True, ["x"]])
def test_section_of_the_wrong_type_is_refused(name, value):
    assert refusal_of(soup(**{name: value})).code == "INVALID_REQUEST"


def test_accept_language_header_is_kept_apart_from_what_was_asked_for():
    question = read(soup(), accept_language="fr-CA, en;q=0.3, *;q=0.1, de;q=0")

    assert question.language is None
    assert question.accepted_languages == ("fr-ca", "en")


@pytest.mark.parametrize(
    ("header", "languages"),
    [
        pytest.param("", (), id="none"),
        pytest.param("*", (), id="any"),
        pytest.param("da, en-gb;q=0.8, en;q=0.7", ("da", "en-gb", "en"), id="in-order"),
        pytest.param("en;q=0.2, ja;q=0.9", ("ja", "en"), id="by-weight"),
        pytest.param("en;q=0", (), id="refused"),
        pytest.param(";;;,,q=x", (), id="junk"),
    ],
)
def test_accepted_languages_are_those_of_the_header_best_first(header, languages):
    assert read(soup(), accept_language=header).accepted_languages == languages


# Limits a caller may ask for


@pytest.mark.parametrize(
    ("query", "meta", "limits"),
    [
        pytest.param({}, {}, Limits(), id="none"),
        pytest.param({"max_results": 0}, {}, Limits(max_results=1), id="too-low"),
        pytest.param({"max_results": 10**200}, {}, Limits(max_results=100), id="huge"),
        pytest.param({"max_results": " 7 "}, {}, Limits(max_results=7), id="string"),
        pytest.param({"max_results": 7.9}, {}, Limits(max_results=7), id="fraction"),
        pytest.param({"max_results": "7.9"}, {}, Limits(max_results=7), id="as-a-text"),
        pytest.param({"num_results": 5000}, {}, Limits(num_results=1000), id="window"),
        pytest.param({"min_score": -3}, {}, Limits(min_score=0.0), id="score-low"),
        pytest.param({"min_score": "51.5"}, {}, Limits(min_score=51.5), id="score"),
        pytest.param({}, {"start_num": -1}, Limits(offset=0), id="offset-low"),
        pytest.param({}, {"start_num": 1e300}, Limits(offset=MAX_OFFSET), id="offset"),
    ],
)
def test_limits_are_clamped(query, meta, limits):
    assert read({"query": {"text": "soup"} | query, "meta": meta}).limits == limits


@pytest.mark.parametrize("value", ["ten", "", "1e3", True, [], {}, "١٢"])
@pytest.mark.parametrize("name", ["max_results", "num_results", "min_score"])
def test_number_that_is_none_is_refused_by_name(name, value):
    refusal = refusal_of({"query": {"text": "soup", name: value}})

    assert refusal.code == "INVALID_PARAMETER"
    assert refusal.details["parameter"] == f"query.{name}"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param({"query": {}}, "The query has no text.", id="no-text"),
        pytest.param({"prev": []}, "The query is missing.", id="no-query"),
        pytest.param({"query": " "}, "The query is blank.", id="blank-query"),
        pytest.param(
            {"query": {"text": "\t"}},
            "The text of the query is blank.",
            id="blank-text",
        ),
    ],
)
def test_missing_question_is_told_in_plain_words(body, message):
    assert refusal_of(body).message == message


# Versions


@pytest.mark.parametrize(
    ("meta", "version"),
    [
        ({"version": "0.5"}, "0.5"),
        ({"version": "0.5.9"}, "0.5"),
        ({"version": "0.539"}, "0.5"),
        ({"version": "v0.54"}, "0.54"),
        ({"version": 0.54}, "0.54"),
        ({"version": "0.545"}, "0.54"),
        ({"version": "0.55-draft"}, "0.55"),
        ({"version": "0.6"}, "0.55"),
        ({"version": 1}, "0.55"),
        ({"version": "0.4"}, "0.55"),
        ({"version": "newest"}, "0.55"),
        ({"version": True}, "0.55"),
        ({"version": ["0.5"]}, "0.55"),
        ({"version": "?", "api_version": "0.54"}, "0.54"),
        ({"version": "0.5", "api_version": "0.54"}, "0.5"),
    ],
    ids=str,
)
def test_version_is_decided_by_meta(meta, version):
    assert read(soup(meta=meta)).version == version


def test_without_a_version_the_older_section_alone_means_0_5():
    assert read(soup(return_response={})).version == "0.5"
    assert read(soup(return_response={}, prefer=None)).version == "0.5"
    assert read(soup(return_response={}, prefer={})).version == "0.55"


def test_api_version_marks_the_ask_family():
    assert read(soup(meta={"api_version": "0.54"})).ask_family
    assert not read(soup(meta={"version": "0.54"})).ask_family


def test_generate_mode_marks_older_widgets():
    assert read_url(("query", "a"), ("generate_mode", "list")).legacy_stream
    assert not read_url(("query", "a"), ("mode", "list")).legacy_stream
    assert not read(soup(generate_mode="list")).legacy_stream


@pytest.mark.parametrize(
    "raw",
    [
        RawRequest(method="GET"),
        RawRequest(body=b'{"query":"soup"}'),
        RawRequest(body=b"query=soup", content_type=FORM),
    ],
    ids=["GET", "flat-body", "form"],
)
def test_0_1_is_refused_where_it_is_switched_off(raw):
    with pytest.raises(UnsupportedVersion) as caught:
        read_question(raw, allow_legacy=False)

    assert caught.value.version == "0.1"


def test_structured_question_is_read_where_0_1_is_switched_off():
    raw = RawRequest(body=b'{"query":{"text":"soup"}}')

    assert read_question(raw, allow_legacy=False).text == "soup"


def test_refusal_knows_version_and_query_id_of_the_request():
    meta = {"version": "0.54"}
    of_section = refusal_of(soup(prefer="fast", meta=meta))
    with pytest.raises(Refusal) as of_text:
        read_url(("query", " "), ("query_id", "q-7"))

    assert of_section.version == "0.54"
    assert (of_text.value.version, of_text.value.query_id) == ("0.1", "q-7")


@pytest.mark.parametrize(
    "body",
    [
        b'{"query":{"text":"soup"},"prefer":"BESPOKE"}',
        b'{"query":["BESPOKE"]}',
        b"BESPOKE",
        b'{"query":{"text":"a"},"meta":{"session_context":"BESPOKE"}}',
    ],
)
def test_message_of_a_refusal_never_carries_the_callers_words(body):
    assert "BESPOKE" not in refusal_of(body).message


# Sessions


def test_session_comes_back_untouched_with_its_conversation():
    context = {"conversation_id": "c-1", "state": {"deep": [1, None]}}

    question = read(soup(meta={"session_context": context, "conversation_id": "c-2"}))

    assert question.session_context == context
    assert question.conversation_id == "c-1"


@pytest.mark.parametrize("unusable", [None, "", " ", [], {}, True])
def test_conversation_is_filled_in_where_the_session_names_none(unusable):
    context = {"conversation_id": unusable, "state": 1}

    question = read(soup(meta={"session_context": context, "conversation_id": "c-2"}))

    assert question.session_context == {"conversation_id": "c-2", "state": 1}


def test_query_id_begins_the_conversation_in_0_1_only():
    assert read({"query": "a", "query_id": "q"}).conversation_id == "q"
    assert read(soup(query_id="q")).conversation_id is None


@pytest.mark.parametrize(
    ("length", "accepted"),
    [(4096 - len('{"a":""}'), True), (4097 - len('{"a":""}'), False)],
    ids=["4-KiB", "one-more"],
)
def test_session_is_bounded(length, accepted):
    body = soup(meta={"session_context": {"a": "x" * length}})

    if accepted:
        assert read(body).session_context["a"] == "x" * length
    else:
        assert refusal_of(body).code == "INVALID_PARAMETER"


# The other endpoint


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "MISSING_FIELD"),
        (b"{}", "MISSING_FIELD"),
        (b'{"promise_token":"\\u0000","action":"cancel"}', "MISSING_FIELD"),
        (b'{"promise_token":7,"action":"cancel"}', "INVALID_REQUEST"),
        (b'{"promise_token":"p","action":["cancel"]}', "INVALID_ACTION"),
        (b'{"promise_token":"p","action":"cancel","meta":"x"}', "INVALID_REQUEST"),
        (b"[" * 9000, "INVALID_PARAMETER"),
        (b"x" * (BODY_LIMIT + 1), "PAYLOAD_TOO_LARGE"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_malformed_await_request_is_refused(body, code):
    with pytest.raises(Refusal) as caught:
        read_await(RawRequest(body=body))

    assert caught.value.code == code


def test_await_request_ignores_unknown_members_and_speaks_its_version():
    body = {"promise_token": " p ", "action": "cancel", "query": 7, "meta": None}

    action = read_await(RawRequest(body=json.dumps(body).encode()))

    assert (action.promise_token, action.action, action.version) == (
        "p",
        "cancel",
        "0.55",
    )
