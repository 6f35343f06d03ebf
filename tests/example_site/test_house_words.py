from __future__ import annotations

import pytest

from example_site.house_words import HouseWords
from nlweb_ask.conf import deployment
from nlweb_ask.plugins import Question
from nlweb_ask.sources.viewers import anonymous_viewer


def processed(**asked) -> Question:
    return HouseWords().process(Question(**asked), anonymous_viewer())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a brew", "a brew tea", id="the-meaning-is-added"),
        pytest.param("a BREW!", "a BREW! tea", id="case-and-punctuation-do-not-matter"),
        pytest.param("brew, brew", "brew, brew tea", id="a-meaning-is-added-once"),
        pytest.param("brewery", "brewery", id="a-part-of-a-word-is-no-house-word"),
        pytest.param("tea", "tea", id="other-questions-stay"),
    ],
)
def test_house_words_are_searched_for_with_their_meaning(text, expected):
    assert processed(text=text).search_text == expected


def test_question_keeps_the_words_as_they_were_typed():
    assert processed(text="a brew").text == "a brew"


def test_question_that_the_caller_rewrote_is_left_alone():
    asked = processed(text="a brew", decontextualized_query="a brew of beer")
    assert asked.search_text == "a brew of beer"


def test_settings_let_the_plugin_run():
    assert "house_words" in deployment().processors
