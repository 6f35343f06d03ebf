"""How a page is cut into pieces that can be quoted."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.index.letters import cuts_letter
from nlweb_ask.index.passages import (
    MAX_WORDS,
    MIN_TAIL_WORDS,
    cut,
    page_text,
    words_hash,
)
from nlweb_ask.index.words import word_count
from nlweb_ask.plugins import Section

PIECES = [
    "word ",
    "Ends here. ",
    "Really? ",
    "\n",
    "\n\n",
    "```\n",
    "水族館は九時に開きます。",
    "x" * 50,
    "    code()\n",
    "wait... ",
]
sections = st.lists(
    st.builds(
        lambda pieces, heading: Section(text="".join(pieces), heading=heading),
        st.lists(st.sampled_from(PIECES), max_size=150),
        st.sampled_from(["", "Heading"]),
    ),
    max_size=4,
)


def sentences(number: int, words: int = 10) -> str:
    return " ".join(
        " ".join([f"s{count}", *["word"] * (words - 2), "end."])
        for count in range(number)
    )


@given(sections)
def test_a_passage_is_the_pages_text_from_its_start_to_its_end(parts):
    text = page_text(parts)
    assert all(text[found.start : found.end] == found.text for found in cut(parts))


@given(sections)
def test_no_word_is_lost_and_none_is_there_twice(parts):
    kept = "".join("".join(found.text.split()) for found in cut(parts))
    assert kept == "".join("".join(part.text.split()) for part in parts)


@given(sections)
def test_passages_are_small_numbered_and_trimmed(parts):
    passages = cut(parts)
    assert [found.ordinal for found in passages] == list(range(len(passages)))
    for found in passages:
        assert word_count(found.text) < MAX_WORDS + MIN_TAIL_WORDS
        assert found.text == found.text.strip()


def test_every_heading_begins_a_passage():
    passages = cut(
        [
            Section(text="First."),
            Section(text="Second.", heading="Boats", anchor="boats"),
        ]
    )
    assert [(found.heading, found.anchor, found.text) for found in passages] == [
        ("", "", "First."),
        ("Boats", "boats", "Second."),
    ]


def test_a_heading_without_text_is_kept():
    passages = cut([Section(text=" ", heading="Boats", anchor="boats")])
    assert [(found.heading, found.text) for found in passages] == [("Boats", "")]


@pytest.mark.parametrize(
    "parts", [[], [Section(text="")], [Section(text="\n\n"), Section(text=" ")]]
)
def test_a_page_without_text_has_no_passage(parts):
    assert cut(parts) == []


def test_short_paragraphs_stay_together():
    assert len(cut([Section(text="One.\n\nTwo.\n\nThree.")])) == 1


def test_a_long_section_is_cut_between_paragraphs():
    text = f"{sentences(12)}\n\n{sentences(12)}"
    assert [found.text for found in cut([Section(text=text)])] == [sentences(12)] * 2


def test_a_long_paragraph_is_cut_between_sentences():
    passages = cut([Section(text=sentences(40))])
    assert len(passages) == 3
    assert all(found.text.endswith("end.") for found in passages)


def test_japanese_is_cut_by_its_signs():
    sentence = "水族館は九時に開きます。"
    passages = cut([Section(text=sentence * 100)])
    assert len(passages) == 4
    assert all(found.text.endswith("。") for found in passages)


def test_a_sentence_without_end_is_cut_between_words():
    passages = cut([Section(text="word " * 400)])
    assert {word for found in passages for word in found.text.split()} == {"word"}


def test_a_word_without_end_is_cut_anywhere():
    assert len(cut([Section(text="水" * 1000)])) == 3


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("ที่นี่สวนน้ำ", id="thai"),
        pytest.param("ភាសាខ្មែរជា", id="khmer"),
        pytest.param(unicodedata.normalize("NFD", "がぎぱ"), id="kana-apart"),
        pytest.param(unicodedata.normalize("NFD", "도서관"), id="hangul-apart"),
    ],
)
@pytest.mark.parametrize("begin", range(4))
def test_a_text_without_spaces_is_cut_between_letters_with_their_marks(word, begin):
    text = "x" * begin + word * 200
    passages = cut([Section(text=text)])
    assert len(passages) > 1
    assert "".join(passage.text for passage in passages) == text
    assert not any(cuts_letter(text, passage.start) for passage in passages)


def test_a_row_of_marks_without_end_is_cut_all_the_same():
    text = "a" + "\u0e48" * 3000
    assert "".join(passage.text for passage in cut([Section(text=text)])) == text


def test_a_few_last_words_stay_with_the_passage_before():
    assert len(cut([Section(text=sentences(20))])) == 1


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_a_block_of_code_is_not_cut(fence):
    code = f"{fence}python\n" + "a = 1\n\n" * 30 + fence
    text = f"{sentences(14)}\n\n{code}\n\n{sentences(14)}"
    assert code in [found.text for found in cut([Section(text=text)])]


def test_a_block_of_code_too_long_for_a_passage_is_cut_between_lines():
    code = "```\n" + "one = two. three\n" * 100 + "```"
    passages = cut([Section(text=code)])
    assert len(passages) > 1
    assert all(
        line in {"```", "one = two. three"}
        for found in passages
        for line in found.text.split("\n")
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        pytest.param("Kettle,  on\nthe stove!", True, id="signs-and-space"),
        pytest.param("kettle on the STOVE", True, id="case"),
        pytest.param("Kettle on a stove", False, id="word"),
        pytest.param("on the stove: Kettle", False, id="order"),
    ],
)
def test_the_hash_moves_with_the_words_only(text, same):
    assert (words_hash(text) == words_hash("Kettle on the stove.")) is same


def test_the_hash_tells_words_of_two_scripts_apart():
    assert words_hash("crêpe") != words_hash("crepe")
    assert words_hash("\ud800") == words_hash("")


@pytest.mark.parametrize(
    "piece",
    [
        *("a", "a b ", ".", "水", "\n", "`", "```\n", ". ", "a. ", " ", "。", "\r"),
        "\u0301\u0316",
    ],
)
def test_the_time_to_cut_grows_with_the_length_only(piece):
    text = (piece * 200_000)[:200_000]
    began = time.thread_time()
    cut([Section(text=text)])
    assert time.thread_time() - began < 5
