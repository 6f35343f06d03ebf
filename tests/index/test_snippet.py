"""The lines around the words that a question found."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlweb_ask.index.analysis import analyze
from nlweb_ask.index.letters import cuts_letter
from nlweb_ask.index.matching import matching_spans, matching_spans_of_lines
from nlweb_ask.index.question_words import analyze_question
from nlweb_ask.index.snippet import ELLIPSIS, matched_spans, snippet, snippets

FILLER = "Lawns and paths lead round the park. " * 12
WORDS = [
    "alpha",
    "beta,",
    "gamma.",
    "delta's",
    "HX-42",
    "水族館は九時",
    "épsilon",
    "\n",
    "\t ",
    "zeta!",
    "&",
]


def cut_out(text: str, question: str, length: int = 100, language: str = "en") -> str:
    terms = analyze_question(question, [language])
    return snippet(text, terms, length=length, language=language)


@pytest.mark.parametrize("language", ["en", "ja"])
@given(
    words=st.lists(st.sampled_from(WORDS), max_size=80),
    asked=st.sampled_from(WORDS),
    length=st.integers(0, 120),
)
def test_it_is_a_cut_of_the_text_and_never_too_long(language, words, asked, length):
    text = " ".join(words)
    shown = cut_out(text, asked, length, language)
    assert len(shown) <= length
    assert shown.strip(ELLIPSIS) in " ".join(text.split())


@given(st.lists(st.sampled_from(["alpha", "beta,", "gamma."]), max_size=60))
@example(["alpha", *["gamma."] * 4, "beta,", "alpha"])
@example(["beta,", *["gamma."] * 4, "beta,", "alpha"])
def test_it_cuts_no_word(words):
    shown = cut_out(" ".join(words), "beta", 40).strip(ELLIPSIS)
    assert set(shown.split()) <= {"alpha", "beta,", "gamma."}


@given(
    st.lists(st.lists(st.sampled_from([*WORDS, "ALPHA", "x" * 70]), max_size=40)),
    st.sampled_from(WORDS),
    st.integers(0, 120),
)
@example([["alpha"], ["ALPHA"], ["alpha"]] * 2, "alpha", 5)
def test_of_several_texts_each_is_cut_as_if_it_were_alone(texts, asked, length):
    lines = [" ".join(words) for words in texts]
    terms = analyze_question(asked, ["en"])
    alone = [snippet(line, terms, length=length, language="en") for line in lines]
    assert snippets(lines, terms, length=length, language="en") == alone


@given(
    st.lists(st.text(max_size=60) | st.sampled_from([*WORDS, "ALPHA"]), max_size=6),
    st.sampled_from(WORDS),
    st.sampled_from(["en", "ja"]),
)
def test_words_are_found_in_several_texts_as_in_each_alone(texts, asked, language):
    wanted = frozenset(analyze_question(asked, [language]))
    lines = [text.split() for text in texts]
    alone = [matching_spans(" ".join(line), wanted, language) for line in lines]
    assert matching_spans_of_lines(lines, wanted, language) == alone


def test_a_short_text_is_shown_whole_in_one_line():
    assert cut_out("Two\n\n  lines.", "lines") == "Two lines."


def test_without_a_match_the_beginning_is_shown():
    assert cut_out(FILLER, "kettle").startswith("Lawns and paths lead")
    assert snippet(FILLER, [], length=50).startswith("Lawns and paths lead")


def test_the_matched_words_are_in_it():
    text = f"{FILLER}The crêperies open at noon. {FILLER}"
    assert "The crêperies open at noon." in cut_out(text, "creperie", language="fr")


def test_the_place_with_most_of_the_words_is_chosen():
    text = f"A kettle. {FILLER}A copper kettle sings. {FILLER}A kettle."
    assert "copper kettle" in cut_out(text, "copper kettle")


def test_it_begins_with_a_sentence_where_it_can():
    text = f"{FILLER}Here a copper kettle sings. {FILLER}"
    assert cut_out(text, "copper kettle").startswith(f"{ELLIPSIS}Here a copper")


def test_the_end_of_a_text_fills_the_room():
    text = f"{FILLER}It is here: kettle."
    shown = cut_out(text, "kettle", 100)
    assert shown.endswith("kettle.")
    assert len(shown) > 70


def test_ellipses_say_where_text_is_missing():
    shown = cut_out(f"{FILLER}kettle {FILLER}", "kettle", 60)
    assert shown.startswith(ELLIPSIS)
    assert shown.endswith(ELLIPSIS)


def test_japanese_is_cut_between_signs():
    text = "吾輩は猫である。" * 30 + "水族館は九時に開きます。" + "名前は無い。" * 30
    shown = cut_out(text, "水族館は何時に開きますか", 40, "ja")
    assert "水族館は九時に開きます。" in shown
    assert len(shown) == 40


def test_a_word_longer_than_the_snippet_is_cut():
    assert cut_out("x" * 500, "kettle", 20) == "x" * 18 + ELLIPSIS


def test_the_cut_of_a_text_with_entities_resolved_holds_no_entity():
    text = (
        "Alle Kindergärten & Horte der Stadt <Mitte> auf einen Blick, "
        "mit Öffnungszeiten."
    )
    shown = cut_out(text, "Kindergärten Öffnungszeiten", 30, "de")
    assert shown == f"Alle Kindergärten & Horte{ELLIPSIS}"


@pytest.mark.parametrize(
    ("text", "question", "language", "marked"),
    [
        pytest.param(
            "Ran, runs and running", "run", "en", ["runs", "running"], id="stem"
        ),
        pytest.param("Die Crêperie", "creperie", "fr", ["Crêperie"], id="accent"),
        pytest.param("水族館は九時", "水族館", "ja", ["水族館"], id="one-span"),
        pytest.param("C and C++", "C++", "en", ["C", "C++"], id="name-of-signs"),
        pytest.param("drivers on a river", "river", "en", ["river"], id="not-inside"),
        pytest.param(
            "Who we are", "who are we", "en", ["Who", "we", "are"], id="stops"
        ),
        pytest.param("nothing", "", "en", [], id="no-question"),
    ],
)
def test_whole_words_are_marked(text, question, language, marked):
    terms = analyze_question(question, [language])
    spans = matched_spans(text, terms, language)
    assert [text[start:end] for start, end in spans] == marked


@pytest.mark.parametrize("length", range(50, 90, 3))
@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("ที่นี่สวนน้ำเปิดทุกวัน" * 9 + "ราคาถูกที่สุด" + "ที่นี่สวนน้ำเปิดทุกวัน" * 9, "ราคาถูก"),
        ("ភាសាខ្មែរជា" * 20 + "ទឹកស្អាតថោក" + "ភាសាខ្មែរជា" * 20, "ទឹកស្អាត"),
        (
            unicodedata.normalize("NFD", "がぎぱ" * 40 + "ざじず" + "がぎぱ" * 40),
            "ざじ",
        ),
    ],
    ids=["thai", "khmer", "kana-apart"],
)
def test_no_mark_is_torn_off_its_letter(text, question, length):
    terms = analyze_question(question, ["th"])
    found = snippet(text, terms, length=length, language="th").strip("…")
    place = text.index(found)
    assert not cuts_letter(text, place)
    assert not cuts_letter(text, place + len(found))


@given(st.text(max_size=200), st.text(max_size=30))
@example(text="¼", question="¼")
def test_marks_are_in_order_and_do_not_overlap(text, question):
    spans = matched_spans(text, analyze_question(question, ["en"]), "en")
    flat = [place for span in spans for place in span]
    assert flat == sorted(flat)
    assert all(start < end for start, end in spans)


def test_words_seen_before_are_marked_for_another_question_too():
    text = f"Kettles boil. {'x' * 100} boils {'x' * 100}."
    assert matched_spans(text, analyze("kettle", "en"), "en") == [(0, 7)]
    [boil, boils] = matched_spans(text, analyze("boiling", "en"), "en")
    assert (text[slice(*boil)], text[slice(*boils)]) == ("boil", "boils")
    assert len(matched_spans(text, analyze("x" * 100, "en"), "en")) == 2
