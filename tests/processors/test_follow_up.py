"""What a short question takes from those before it, and what is left alone."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.plugins import Question, Viewer
from nlweb_ask.processors.follow_up import MAX_LENGTH, FollowUp, completed
from nlweb_ask.testing import check_processor
from tests.asking import ANONYMOUS, ask
from tests.processors.follow_ups import figures
from tests.site_in_memory import save

COLLECTIONS = Path(__file__).parents[1] / "data" / "retrieval"
VIEWER = Viewer(user=ANONYMOUS)
PASSPORT = "How do I renew my passport?"


def processed(text, prev=(), **question):
    asked = Question(text=text, prev=tuple(prev), **question)
    return FollowUp().process(asked, VIEWER)


@pytest.mark.parametrize("part", ["tuned", "measured", "held_out"])
def test_of_questions_written_by_hand_the_bar_is_met(part):
    reached = figures(part)
    assert reached.right >= 0.85
    assert reached.spoiled <= 0.05


def real_questions():
    """Yield questions of people who asked nothing before, with their language."""
    for name in ("stackfaq", "django-docs", "xquad-mixed6"):
        with (COLLECTIONS / name / "queries.jsonl").open(encoding="utf-8") as lines:
            for asked in map(json.loads, lines):
                yield asked.get("lang", "en"), asked["text"]


def test_real_questions_that_stand_alone_are_left_alone_whatever_was_asked_before():
    last, changed, number = {}, [], 0
    for language, text in real_questions():
        number += 1
        if language in last and completed(text, [last[language]]):
            changed.append(text)
        last[language] = text
    assert number > 2000
    assert len(changed) <= 0.005 * number, changed


def test_the_processor_keeps_its_contract():
    check_processor(FollowUp(), Question(text="and in winter?", prev=(PASSPORT,)))


def test_a_question_without_earlier_ones_is_the_same_question():
    asked = Question(text="and in winter?")
    assert FollowUp().process(asked, VIEWER) is asked


def test_what_the_caller_has_completed_is_left_as_it_is():
    done = processed("and in winter?", [PASSPORT], decontextualized_query="snow chains")
    assert done.decontextualized_query == "snow chains"


def test_the_question_itself_stays_as_it_was_typed():
    asked = processed("How long does it take?", [PASSPORT])
    assert asked.text == "How long does it take?"
    assert asked.search_text == "How long does it take? (renew passport)"


def test_words_come_from_the_last_subject_and_not_from_the_one_before_it():
    before = ["How do I clean a bike chain?", PASSPORT, "How long does it take?"]
    assert completed("And what does it cost?", before) == (
        "And what does it cost? (renew passport)"
    )


def test_a_follow_up_to_a_follow_up_keeps_the_subject():
    before = ["How do I clean a bike chain?", "and the brakes?"]
    assert completed("in winter?", before) == "How do I clean the brakes in winter?"


def test_signs_of_a_name_stay_with_it():
    assert completed("and C#?", ["Is C++ fast?"]) == "Is C# fast?"
    assert completed("and .NET?", ["Where is C++ taught?"]) == "Where is .NET taught?"


def test_thanks_in_between_are_no_subject():
    assert completed("and online?", [PASSPORT, "Thanks!"]) == (
        "How do I renew my passport online?"
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Thank you very much", id="thanks"),
        pytest.param("By the way, how does it work?", id="announced-change-of-subject"),
        pytest.param("Who are you?", id="asks-who-answers"),
        pytest.param("Is it allowed to feed the ducks?", id="it-announces-a-verb"),
        pytest.param("What if my bike is stolen and I find it?", id="it-is-explained"),
        pytest.param("C++", id="a-name"),
        pytest.param("???", id="no-words"),
    ],
)
def test_a_question_that_needs_nothing_takes_nothing(text):
    assert completed(text, [PASSPORT]) == ""


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("Was kostet der Eintritt für Erwachsene?", "Und für Schüler?"),
        ("Combien coûte l'entrée pour les élèves ?", "Et pour les bébés ?"),
        ("Wann öffnet das Café?", "Und am Sonntag?"),
    ],
)
def test_letters_with_their_marks_apart_are_the_same(before, text):
    def apart(text):
        return unicodedata.normalize("NFD", text)

    told = completed(text, [before])
    assert told
    assert completed(apart(text), [apart(before)]) == told


def test_a_word_with_vowel_signs_is_one_word():
    before = "संग्रहालय कब खुलता है?"
    assert "संग्रहालय" in completed("और क्या?", [before], ["hi"])


def test_a_language_without_rules_completes_only_a_question_of_stop_words():
    pesto = ["Come si prepara il pesto?"]
    assert completed("perché?", pesto) == "perché? (prepara pesto)"
    assert completed("e il basilico?", pesto) == ""


def test_a_language_without_stop_words_is_left_alone():
    assert completed("冬は?", ["自転車のチェーンを掃除する方法は?"]) == ""


@given(st.text(max_size=80), st.lists(st.text(max_size=80), max_size=12))
def test_any_texts_give_a_question_within_the_limit(text, earlier):
    assert len(completed(text, earlier)) <= MAX_LENGTH


@given(
    st.sampled_from(["and {}?", "how much is it {}", "und {}?", "et {} ?", "{}?"]),
    st.text(st.characters(categories=["L", "N", "P", "Z"]), max_size=40),
    st.sampled_from([PASSPORT, "Wo ist der Bus nach Ulm?", "Où est l'eau ?"]),
)
def test_a_completed_question_keeps_every_word_that_was_typed(form, words, before):
    text = form.format(words)
    done = completed(text, [before])
    own = text.split()[1:-1]
    assert not done or all(word.rstrip("?!.,;:\u2026") in done for word in own)


def test_a_very_long_question_before_gives_a_few_of_its_words():
    long = " ".join(f"word{number}" for number in range(2000))
    assert len(completed("and why?", [long]).split()) < 40


@pytest.mark.django_db
def test_the_answer_says_what_was_searched_for(site, settings):
    settings.NLWEB_ASK = {"HANDLERS": [], "PROCESSORS": ["follow_up"]}
    save("a", "Passport", "Renew a passport at the town hall.")
    save("b", "Hours", "It takes how long it takes.")
    answer = ask("How long does it take?", prev=(PASSPORT,))
    assert answer.complete.decontextualized_query == (
        "How long does it take? (renew passport)"
    )
    assert answer.names[0] == "Passport"


@pytest.mark.django_db
def test_completing_a_question_costs_no_query(django_assert_num_queries):
    with django_assert_num_queries(0):
        processed("and in winter?", [PASSPORT] * 10)
