"""Where the words of a question stand in a text."""
# Letters of many scripts are what is tested here.
# ruff: noqa: RUF001

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.index.matching import matching_spans
from nlweb_ask.index.question_words import analyze_question


def test_spans_are_of_the_text_as_it_stands():
    text = "Zu\u0308rich's trams, C++ and 水族館"
    wanted = frozenset(analyze_question("zürich C++ 水族館", ["en"]))
    spans = [text[start:end] for start, end, _ in matching_spans(text, wanted, "en")]
    assert spans == ["Zu\u0308rich's", "C++", "水族", "族館"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        pytest.param(
            "en", "A ket\u00adtle of the De\u00adpart\u00adment", id="soft-hyphen"
        ),
        pytest.param(
            "ja",
            unicodedata.normalize("NFD", "がくせいのパンダ"),
            id="voiced-kana-apart",
        ),
        pytest.param("ja", "ﾊﾟﾝﾀﾞ、Ｃ＋＋と１２．５ＫＢ、㈱会社", id="width"),
        pytest.param(
            "ko", unicodedata.normalize("NFD", "도서관은 매일"), id="hangul-apart"
        ),
        pytest.param("th", "น้ำดื่มทำการ", id="thai-am"),
        pytest.param("lo", "ນ້ຳ ກຳ", id="lao-am"),
        pytest.param("en", "5㎏ at 25℃ №7 ½", id="signs-of-several-letters"),
        pytest.param("ar", "ﷺ ﻣﺮﺣﺒﺎ", id="ligatures"),
    ],
)
def test_every_word_is_found_where_it_stands_however_it_is_written(language, text):
    terms = frozenset(analyze_question(text, [language]))
    spans = matching_spans(text, terms, language)
    assert terms == frozenset().union(*(found for _start, _end, found in spans))
    assert all(0 <= start < end <= len(text) for start, end, _ in spans)
    starts = [start for start, _end, _terms in spans]
    assert starts == sorted(starts)


def test_spans_hold_the_signs_of_a_word_that_are_not_read():
    text = "A ket\u00adtle, nearby"
    [(start, end, _terms)] = matching_spans(text, frozenset({"kettl"}), "en")
    assert text[start:end] == "ket\u00adtle"


PARTS = ["kettle", "Kettles,", "kettle" * 20, "a", "boil", "やかん", "tea-kettle", ""]


@given(st.lists(st.tuples(st.sampled_from(PARTS), st.sampled_from(" \n\t\u2003"))))
def test_spans_of_a_text_are_those_of_its_words_where_they_stand(parts):
    text = "".join(part + white for part, white in parts)
    wanted = frozenset(analyze_question("kettle やか", ["en"]))
    expected, place = [], 0
    for part, _white in parts:
        expected += [
            (place + start, place + end, terms)
            for start, end, terms in matching_spans(part, wanted, "en")
        ]
        place += len(part) + 1
    assert matching_spans(text, wanted, "en") == expected
