"""Where sentences begin and end is kept for the next question; no word is."""

from __future__ import annotations

import pytest

from nlweb_ask.index import cuts
from nlweb_ask.index.sentences import sentences

TEXT = "The kettle sings. It boils at 90 degrees.\n\nAsk z. B. Ann. She knows."


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    kept = {}
    monkeypatch.setattr(cuts, "_kept", kept)
    return kept


def cut(text, language=""):
    found = cuts.cuts_of(text, language)
    return [
        piece
        for number in range(len(found.paragraphs))
        for piece in found.sentences(number, text, language)
    ]


@pytest.mark.parametrize("language", ["en", "de"])
def test_cuts_are_those_of_the_text_in_its_language(language):
    for _time in range(2):
        assert cut(TEXT, language) == sentences(TEXT, language)


def test_no_word_of_a_text_is_kept(nothing_kept):
    cut(TEXT)
    assert "kettle" not in repr(nothing_kept)
    [(name, found)] = nothing_kept.items()
    assert len(name) == cuts.HASH_BYTES
    kept = [*found.paragraphs, *found.sentences(0, TEXT, "")]
    assert all(type(value) is int for piece in kept for value in piece[:2])


def test_no_more_texts_are_kept_than_there_is_room_for(nothing_kept, monkeypatch):
    monkeypatch.setattr(cuts, "MAX_KEPT", 3)
    for number in range(10):
        cut(f"Kettle number {number} boils.")
        assert len(nothing_kept) <= 3
