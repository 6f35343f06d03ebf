from __future__ import annotations

import pytest

from nlweb_ask.index.question_words import analyze_question
from nlweb_ask.web.marking import marked


def mark(text, question, language="en"):
    return marked(text, frozenset(analyze_question(question, [language])), language)


@pytest.mark.parametrize(
    ("text", "question", "language", "expected"),
    [
        pytest.param(
            "Soups of lentils.",
            "lentil soup",
            "en",
            "<mark>Soups</mark> of <mark>lentils</mark>.",
            id="other-forms-of-a-word",
        ),
        pytest.param(
            "The tide.", "the tide", "en", "The <mark>tide</mark>.", id="no-stop-word"
        ),
        pytest.param(
            "Boards of HX-42 in C++.",
            "HX-42 C++",
            "en",
            "Boards of <mark>HX-42</mark> in <mark>C++</mark>.",
            id="names-with-their-signs",
        ),
        pytest.param("An item.", "tide", "en", "An item.", id="nothing-found"),
        pytest.param("", "tide", "en", "", id="no-text"),
        pytest.param(
            "京都の天気です",
            "天気",
            "ja",
            "京都の<mark>天気</mark>です",
            id="without-spaces",
        ),
        pytest.param(
            "東京都庁",
            "東京都",
            "ja",
            "<mark>東京都</mark>庁",
            id="run-of-pairs-is-one-mark",
        ),
    ],
)
def test_words_of_the_question_are_marked(text, question, language, expected):
    assert mark(text, question, language) == expected


def test_text_around_and_inside_marks_is_escaped():
    html = mark('<b onclick="x">tide</b> & <script>', "tide script")

    assert html == (
        "&lt;b onclick=&quot;x&quot;&gt;<mark>tide</mark>&lt;/b&gt; &amp; "
        "&lt;<mark>script</mark>&gt;"
    )
