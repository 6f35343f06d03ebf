"""Where the words of a question stand in a text."""
# Letters of many scripts are what is tested here.

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.index.matching import matching_spans
from nlweb_ask.index.question_words import analyze_question


def test_spans_are_of_the_text_as_it_stands():
    text = "Zu\u0308rich's trams, C++ and 水族館"
    wanted = frozenset(analyze_question("zürich C++ 水族館", ["en"]))
    spans = [text[start:end] for start, end, _ in matching_spans(text, wanted, "en")]
    assert spans == ["Zu\u0308rich's", "C++", "水族", "族館"]


PARTS = ["kettle", "Kettles,", "kettle" * 20, "a", "boil", "やかん", "tea-kettle", ""]


@given(st.lists(st.tuples(st.sampled_from(PARTS), st.sampled_from(" \n\t\u2003"))))
def test_spans_of_a_text_are_those_of_its_words_where_they_stand(parts):
    text = "".join(part + white for part, white in parts)
    wanted = frozenset(analyze_question("kettle やか", ["en"]))
    expected, place = [], 0
    for part, _white in parts:
        expected += [
            (place + start, place + end, terms)
            for start, end, terms in matching_spans(part, wanted, "en")
        ]
        place += len(part) + 1
    assert matching_spans(text, wanted, "en") == expected
