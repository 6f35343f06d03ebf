"""The words of a text as they stand."""

from __future__ import annotations

import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.index import words
from nlweb_ask.index.analysis import MAX_TERM_LENGTH
from nlweb_ask.index.words import plain_words, word_count


@given(st.text(st.sampled_from(string.printable + "\0\x1c\u2019\u2026\u00a0")))
def test_plain_words_are_the_same_beside_a_letter_that_is_not_of_ascii(text):
    assert [*plain_words(text), "é"] == plain_words(f"{text} é")


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("two words", 2), ("水族館へ", 2), ("水 a", 2), ("it's", 2)],
)
def test_words_are_counted(text, count):
    assert word_count(text) == count


def test_words_that_were_read_are_forgotten_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(words, "MAX_CHUNKS", 3)
    known = words._Known(str.upper)
    text = "a b c d " + "e" * (MAX_TERM_LENGTH + 1)
    assert list(known.of(text)) == text.upper().split()
    assert list(known) == ["d"]


@pytest.mark.parametrize(
    "text", ["도서관은 매일 엽니다", "がくせいのパンダ", "Zürich am See"]
)
def test_words_are_counted_alike_composed_and_decomposed(text):
    apart = unicodedata.normalize("NFD", text)
    assert word_count(apart) == word_count(text)
