"""Pages that hold too little of the question are dropped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.plugins import Question
from nlweb_ask.rankers.words import WordsRanker, probability
from nlweb_ask.testing import check_ranker
from tests.asking import MEMBER, ask
from tests.rankers.results import make_result, names
from tests.site_in_memory import save

MOST = {"WORDS_MIN_PROBABILITY": 0.6}


def helps(text, result, **question):
    return probability(Question(text=text, **question), result)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("how do I mend a puncture", 1.0, id="all-words"),
        pytest.param("mend a kettle", 0.5, id="one-of-two"),
        pytest.param("kettle", 0.0, id="none"),
        pytest.param("mending punctures", 1.0, id="other-endings"),
        pytest.param("?!", 1.0, id="no-words"),
    ],
)
def test_probability_is_the_share_of_the_words_that_the_page_holds(text, expected):
    page = make_result("Puncture", "Mend it with a patch.")
    assert helps(text, page) == pytest.approx(expected)


def test_a_word_put_right_counts_half():
    page = make_result("Kettle", "Water")
    assert helps("ketle", page, corrected_text="kettle") == pytest.approx(0.5)


def test_a_property_of_the_page_counts():
    page = make_result("Pesto", "Basil", recipeIngredient=["pine nuts"])
    assert helps("pesto nuts", page) == pytest.approx(1.0)


def test_a_page_is_read_in_its_own_language():
    page = make_result("Häuser", "Alte Häuser", language="de")
    assert helps("altes Haus", page) == pytest.approx(1.0)


def test_pages_that_help_too_little_are_dropped_and_the_others_keep_their_order(
    settings,
):
    settings.NLWEB_ASK = {"WORDS_MIN_PROBABILITY": 0.6}
    pages = [make_result("Kettle"), make_result("Red"), make_result("Red kettle")]
    question = Question(text="red kettle")
    assert names(WordsRanker().rank(question, pages)) == ["Red kettle"]


def test_no_more_pages_are_left_than_the_setting_says(settings):
    settings.NLWEB_ASK = {"WORDS_MAX_PAGES": 2, "WORDS_MIN_PROBABILITY": 0}
    pages = [make_result(name) for name in "abc"]
    assert names(WordsRanker().rank(Question(text="x"), pages)) == ["a", "b"]


def test_the_ranker_keeps_its_contract():
    pages = [make_result("a", "kettle"), make_result("b", "barge")]
    check_ranker(WordsRanker(), Question(text="kettle"), pages)


@given(st.text(), st.text(), st.sampled_from(["", "en", "de", "ja", "xx"]))
def test_any_texts_give_a_probability(text, words, language):
    page = make_result("page", words, language=language)
    assert 0.0 <= helps(text, page) <= 1.0


@pytest.mark.django_db
def test_where_no_page_helps_the_answer_has_none(site, settings):
    settings.NLWEB_ASK = {"HANDLERS": [], "RANKERS": ["words"], **MOST}
    save("a", "Kettle", "The kettle boils.")
    assert ask("kettle").names == ["Kettle"]
    assert ask("kettle on a purple submarine").names == []


@pytest.mark.django_db
def test_hidden_pages_change_nothing_of_what_is_left(site, settings):
    settings.NLWEB_ASK = {"HANDLERS": [], "RANKERS": ["type", "words"]}
    save("a", "Kettle", "The kettle boils on the stove.")
    save("b", "Stove", "A stove for barges.")
    without = ask("kettle on the stove").items
    for number in range(5):
        save(f"h{number}", "Kettle stove", "Kettle stove", readers="staff")
    assert ask("kettle on the stove").items == without


@pytest.mark.django_db
def test_it_is_told_when_no_page_that_was_found_helps(site, settings):
    save("a", "Kettle", "A kettle boils.")
    settings.NLWEB_ASK = {"HANDLERS": [], "RANKERS": ["words"], **MOST}
    left = ask("kettle ferry quay harbour", MEMBER)
    assert left.names == []
    assert left.complete.notice.code == "NONE_FITS"
    assert ask("zeppelin", MEMBER).complete.notice is None
