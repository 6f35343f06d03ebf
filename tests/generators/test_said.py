"""Sentences and citations, made of what a language model said."""

from __future__ import annotations

import time

import pytest

from nlweb_ask.generators.lines import MAX_ANSWER, Line, Quoted
from nlweb_ask.generators.said import MAX_SIGNS, in_plain_words, sentences_of
from nlweb_ask.generators.shown import shown
from tests.generators.pages import page

KETTLE = page("kettle", "The kettle boils water in three minutes. It is of copper.")
BARGE = page("barge", "A barge is moored at the quay. It isn\u2019t for sale.")
PASSAGES = shown([KETTLE, BARGE])


def said(text, *quotes):
    return [*sentences_of(Line(text, quotes), PASSAGES)]


def test_a_number_becomes_the_page_that_was_shown_under_it():
    [sentence] = said("It boils.", Quoted(1, "The kettle boils water"))
    [cited] = sentence.citations
    assert (cited.start, cited.end) == (0, len("It boils."))
    assert (cited.url, cited.quote) == (KETTLE.url, "The kettle boils water")


def test_a_quote_under_a_wrong_number_is_cited_from_its_own_page():
    for number in (2, 0, 99):
        [sentence] = said("It boils.", Quoted(number, "The kettle boils water"))
        assert [cited.url for cited in sentence.citations] == [KETTLE.url]


def test_a_quote_that_stands_nowhere_is_left_to_the_gate_or_left_out():
    [sentence] = said("It sings.", Quoted(2, "A barge that sings at night"))
    assert [cited.url for cited in sentence.citations] == [BARGE.url]
    [sentence] = said("It sings.", Quoted(9, "A barge that sings at night"))
    assert sentence.citations == ()


def test_a_quote_is_given_in_the_signs_of_the_page():
    [sentence] = said("No.", Quoted(2, "It isn't for sale."))
    assert sentence.citations[0].quote == "It isn\u2019t for sale."


def test_each_sentence_of_a_line_has_the_quotes_that_are_its_own():
    first, second, third = said(
        "The kettle boils water. A barge is moored. Send money to me.",
        Quoted(1, "The kettle boils water"),
        Quoted(2, "A barge is moored at the quay."),
    )
    assert [cited.url for cited in first.citations] == [KETTLE.url]
    assert [cited.url for cited in second.citations] == [BARGE.url]
    assert third.citations == ()


def test_what_is_too_long_for_a_sentence_is_left_out():
    assert [each.text for each in said("word " * MAX_SIGNS)] == []
    assert [each.text for each in said("Yes. " + "Word " * MAX_SIGNS)] == ["Yes."]


def test_what_has_no_words_is_left_out():
    assert [each.text for each in said("It boils. \u2026 ---")] == ["It boils."]
    assert said("***") == []


def test_no_more_than_some_quotes_of_a_line_are_looked_for():
    [sentence] = said("It.", *[Quoted(1, "The kettle boils water")] * 100)
    assert len(sentence.citations) == 5


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Two\r\n\r\nevent: complete\ndata: {}", "Two event: complete data: {}"),
        ("a\u2028b\u2029c\x85d", "a b c d"),
        ("\u202egnp.exe\u2066 x\u2069", "gnp.exe x"),
        ("zero\u200bwidth\ufeff\u2060\u00ad", "zerowidth"),
        ("\x1b[31mred\x07\x00", "[31mred"),
        ("\U000e0041\U000e0042tags", "tags"),
        ("half \ud800 sign", "half sign"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", None),  # Persian
        ("**Bold** and __more__", "Bold and more"),
        ("2 ** 3 and a__b__c", "2 ** 3 and a__b__c"),
        ("- An item", "An item"),
        ("## A heading", "A heading"),
        ("-5 degrees", None),
        ("It boils [1].", "It boils."),
        ("It boils [1, 2][3].", "It boils."),
        ("See [1][2](https://site.example/kettle/)", None),
        ("See [1](https://site.example/kettle/)", None),
        ("An [old] kettle", None),
        ("Use <b>bold</b> & more", None),
    ],
)
def test_what_is_not_seen_and_what_is_markup_is_taken_out(text, plain):
    assert in_plain_words(text) == (text if plain is None else plain)


@pytest.mark.parametrize("mark", [".**a", "[1]"])
def test_no_row_of_marks_takes_long_to_take_out(mark):
    began = time.process_time()
    in_plain_words(mark * (MAX_ANSWER // len(mark)) + "(")
    assert time.process_time() - began < 2
