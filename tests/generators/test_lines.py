"""What can be read of what a language model writes, however it is wrapped."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.generators.lines import MAX_ANSWER, MAX_TRIED, Line, Quoted, lines

ONE = {"text": "It boils.", "quotes": [{"id": 3, "quote": "The kettle boils"}]}
TWO = {"text": "It whistles.", "quotes": []}
READ = [
    Line(text="It boils.", quotes=(Quoted(3, "The kettle boils"),)),
    Line(text="It whistles."),
]


def written(*objects, **how):
    return "\n".join(json.dumps(each, **how) for each in objects)


WRAPPED = {
    "lines": written(ONE, TWO),
    "windows-lines": written(ONE, TWO).replace("\n", "\r\n"),
    "fenced": f"```json\n{written(ONE, TWO)}\n```",
    "among-chatter": f"Sure! Here {{you}} are:\n{written(ONE, TWO)}\nHope it helps.",
    "behind-chatter": f"Answer: {written(ONE)}\nand {written(TWO)}.",
    "array": json.dumps([ONE, TWO]),
    "broken-array": json.dumps([ONE, TWO], indent=2),
    "object-around": json.dumps({"sentences": [ONE, TWO]}),
    "commas": f"[\n{json.dumps(ONE)},\n{json.dumps(TWO)}\n]",
    "in-one-line": json.dumps(ONE) + json.dumps(TWO),
    "broken-over-lines": written(ONE, TWO, indent=2),
    "behind-an-open-bracket": "{\n" + written(ONE, TWO),
    "behind-thoughts": f"<think>\n{written(TWO)}\nHm.</think>{written(ONE, TWO)}",
    "behind-half-an-object": '{"text": "It\n' + written(ONE, TWO),
    "broken-behind-half-an-object": '{"text": "It\n' + written(ONE, TWO, indent=2),
}


@pytest.mark.parametrize("text", WRAPPED.values(), ids=[*WRAPPED])
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_lines_are_read_however_they_are_wrapped_and_come(text, size):
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    assert [*lines(pieces)] == READ


def test_a_line_is_read_before_the_next_one_comes():
    def pieces():
        yield written(ONE) + "\n"
        pytest.fail("the second piece was waited for")

    assert next(lines(pieces())) == READ[0]


@pytest.mark.parametrize(
    "junk",
    [
        "",
        "I cannot help with that.",
        "null",
        "[1, 2]",
        '{"text": 3}',
        '{"text": "  "}',
        '{"text": null, "quotes": []}',
        '{"quotes": [{"id": 1, "quote": "The kettle boils"}]}',
        '{"text": "cut o',
        "<html><body>502 Bad Gateway</body></html>",
        "{" * 900,
        '{"a":' * 2000,
        "[" * 5000,
        '{"text": ' + "9" * 5000 + "}",
    ],
)
def test_what_cannot_be_read_is_left_out(junk):
    assert [*lines([junk])] == []
    assert [*lines([f"{junk}\n{written(ONE)}\n{junk}"])] == READ[:1]


@pytest.mark.parametrize(
    ("quotes", "read"),
    [
        ({"id": 1, "quote": "a"}, (Quoted(1, "a"),)),
        ([{"id": "2", "quote": "a"}], (Quoted(2, "a"),)),
        ([{"id": "[2]", "quote": "a"}], (Quoted(2, "a"),)),
        ([{"quote": "a"}], (Quoted(0, "a"),)),
        ([{"id": -1, "quote": "a"}], (Quoted(0, "a"),)),
        ([{"id": True, "quote": "a"}], (Quoted(0, "a"),)),
        ([{"id": "9" * 5000, "quote": "a"}], (Quoted(0, "a"),)),
        ([{"id": "\u00b2", "quote": "a"}], (Quoted(0, "a"),)),
        (["a", {"id": 1}, {"id": 1, "quote": 2}, None], ()),
        ("a", ()),
        (None, ()),
    ],
)
def test_quotes_are_read_as_far_as_they_can_be(quotes, read):
    [line] = lines([json.dumps({"text": "t", "quotes": quotes})])
    assert line.quotes == read


@pytest.mark.parametrize("said", ['{"answered": false}', '{"answered": "False"}'])
def test_that_nothing_answers_is_a_line_without_a_text(said):
    assert [*lines([f"Hm.\n{said}\n"])] == [Line(text="")]


def test_no_more_is_read_of_an_answer_without_an_end():
    read = []

    def pieces():
        while True:
            read.append("x" * 100)
            yield read[-1]

    assert [*lines(pieces())] == []
    assert len(read) == MAX_ANSWER // 100 + 1


@pytest.mark.parametrize(
    "text",
    [
        "{" * MAX_ANSWER,
        '{"a":' * (MAX_ANSWER // 5),
        "{\n" * (MAX_ANSWER // 2),
        '{"":' * 700 + "\n" + "}\n" * 10_000,
    ],
    ids=["open", "nested", "rows", "nested-rows"],
)
def test_no_answer_takes_long_to_read(text):
    began = time.process_time()
    assert [*lines([text])] == []
    assert time.process_time() - began < 5


def test_a_row_full_of_brackets_that_begin_nothing_is_given_up():
    assert [*lines(["{ " * MAX_TRIED + '{"text": "a"}'])] == []
    assert [*lines(["{ " * (MAX_TRIED - 1) + '{"text": "a"}'])] == [Line(text="a")]


@given(st.text(alphabet='{}[]":,\\\ntextquoids123 ', max_size=200))
def test_nothing_that_is_written_breaks_the_reading(text):
    for line in lines([text]):
        assert isinstance(line, Line)
