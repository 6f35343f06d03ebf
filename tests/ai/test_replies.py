"""What is read of a model's answer, and what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.ai.replies import MAX_LENGTH, json_of, number, numbers_by_id, plain_line
from nlweb_ask.plugins import ModelUnavailable

SCORES = [{"id": 2, "score": 88}, {"id": 1, "score": 35}]
WRITTEN = json.dumps(SCORES)


def scores_of(text):
    return json_of(text, lambda value: numbers_by_id(value, "score", [1, 2]))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(WRITTEN, id="plain"),
        pytest.param(f"```json\n{WRITTEN}\n```", id="in-a-fence"),
        pytest.param(
            f"Here you go:\n```json\n{WRITTEN}\n```\nHope that helps!", id="O32"
        ),
        pytest.param(f"I gave [88] to page {{2}}: {WRITTEN} Fine?", id="in-talk"),
        pytest.param(f'He said "[" and {WRITTEN}', id="behind-an-open-bracket"),
        pytest.param(f"<think>[{{]</think>{WRITTEN}", id="behind-thoughts"),
        pytest.param(
            f'<think>Maybe [{{"id": 1, "score": 1}}]?</think>\n{WRITTEN}',
            id="thoughts-are-no-answer",
        ),
        pytest.param(f'{{"scores": {WRITTEN}}}', id="in-an-object"),
        pytest.param(f'{{"scores": {WRITTEN}, "notes": []}}', id="beside-other-lists"),
        pytest.param(f"\ufeff{WRITTEN}\n\n{WRITTEN}", id="twice"),
    ],
)
def test_json_is_read_out_of_what_stands_around_it(text):
    assert scores_of(text) == {2: 88.0, 1: 35.0}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("I cannot do that.", id="prose"),
        pytest.param("<html><body>502 Bad Gateway</body></html>", id="html"),
        pytest.param(WRITTEN[:-1], id="cut-off"),
        pytest.param("[{'id': 1, 'score': 5}]", id="not-quite-json"),
        pytest.param('{"thoughts": "ok"}', id="another-form"),
        pytest.param("[]", id="an-empty-list"),
        pytest.param("[1, 2]", id="no-objects"),
        pytest.param('[{"id": 7, "score": 5}]', id="only-unknown-ids"),
        pytest.param('[{"id": 1, "score": "high"}]', id="only-junk-scores"),
        pytest.param("[" * 60_000, id="deep"),
        pytest.param(
            f'{{"deep": {"[" * 30}{"]" * 30}, "scores": {WRITTEN}}}', id="too-deep"
        ),
        pytest.param('{"a":' * 60_000, id="deep-objects"),
        pytest.param('["' * 30_000, id="open-strings"),
        pytest.param(WRITTEN + " " * MAX_LENGTH, id="too-long"),
        pytest.param('[{"id": 1, "score": ' + "9" * 5000 + "}]", id="too-many-digits"),
    ],
)
def test_what_cannot_be_read_is_a_fault(text):
    with pytest.raises(ModelUnavailable) as raised:
        scores_of(text)
    assert raised.value.reason == "fault"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3.0),
        (2.5, 2.5),
        ("88", 88.0),
        (" 0.25 ", 0.25),
        ("-1", -1.0),
        (True, None),
        (None, None),
        ("high", None),
        ("8/10", None),
        ("1e999", None),
        ("\u0663", None),
        (float("nan"), None),
        (float("inf"), None),
        ([1], None),
        ({}, None),
    ],
)
def test_a_number_is_a_finite_one_however_it_is_written(value, expected):
    assert number(value) == expected


def test_of_an_id_that_is_there_twice_the_first_number_counts():
    rows = [{"id": 1, "score": 3}, {"id": 1, "score": 99}]
    assert numbers_by_id(rows, "score", [1]) == {1: 3.0}


@pytest.mark.parametrize("asked", [0, -1, 1.5, True, None, "one", [1], float("nan")])
def test_what_is_no_id_is_left_out(asked):
    rows = [{"id": asked, "score": 3}, {"id": "2", "score": 4}]
    assert numbers_by_id(rows, "score", [1, 2]) == {2: 4.0}


def test_what_python_reads_beyond_json_is_no_score():
    text = '[{"id": 1, "score": NaN}, {"id": 2, "score": -Infinity}]'
    with pytest.raises(ModelUnavailable):
        scores_of(text)


@given(st.text(alphabet='[]{}",:1ab \\\n'))
def test_any_text_is_read_or_a_fault(text):
    try:
        value = json_of(text)
    except ModelUnavailable:
        return
    assert isinstance(value, list | dict)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(" Which  one?\n", "Which one?", id="blanks"),
        pytest.param("and/or 3:4?", "and/or 3:4?", id="signs-of-a-text"),
        pytest.param("Does node.js run?", "Does node.js run?", id="said-with-a-dot"),
        pytest.param("", None, id="empty"),
        pytest.param("x" * 101, None, id="too-long"),
        pytest.param(None, None, id="null"),
        pytest.param(["Which?"], None, id="no-text"),
        pytest.param("See https://evil.example/x", None, id="address"),
        pytest.param("See //evil.example", None, id="address-without-a-scheme"),
        pytest.param("See evil.example", None, id="host"),
        pytest.param("See www.evil", None, id="www"),
        pytest.param("[a](b)", None, id="markdown"),
        pytest.param("[a][b]", None, id="markdown-reference"),
        pytest.param("javascript:alert(1)", None, id="scheme"),
        pytest.param("<b>Which?</b>", None, id="html"),
        pytest.param("`Which?`", None, id="code"),
        pytest.param("Wh\u202eich?", None, id="direction"),
        pytest.param("Wh\u200bich?", None, id="no-width"),
        pytest.param("Which\x00?", None, id="control"),
        pytest.param("Which\ud800?", None, id="half-a-character"),
    ],
)
def test_a_line_that_may_be_shown_has_no_links_and_nothing_unseen(said, expected):
    assert plain_line(said, 100, "What is Node.js?") == expected
