"""What a language model is shown of the pages."""

from __future__ import annotations

import pytest

from nlweb_ask.generators.shown import MAX_SIGNS, MAX_SIGNS_OF_ALL, shown
from tests.generators.pages import page


def texts(results):
    return [each.text for each in shown(results)]


def test_every_page_has_its_best_passage_before_any_has_its_second():
    results = [page("a", "a0", "a1", "a2"), page("b", "b0"), page("c", "c0", "c1")]
    assert texts(results) == ["a0", "b0", "c0", "a1", "c1", "a2"]
    assert [each.number for each in shown(results)] == [1, 2, 3, 4, 5, 6]


def test_twelve_passages_are_shown_at_most():
    assert len(shown([page(str(n), "words", "more words") for n in range(9)])) == 12
    assert len(shown([page(str(n), "words") for n in range(50)])) == 12


def test_pages_without_words_are_not_shown():
    assert texts([page("a"), page("b", " \n"), page("c", "words")]) == ["words"]
    assert shown([page("a")]) == shown([]) == []


def test_a_long_passage_is_cut_behind_a_word():
    [text] = texts([page("a", "kettle " * 1000)])
    assert len(text) <= MAX_SIGNS
    assert text.split() == ["kettle"] * (MAX_SIGNS // 7)


def test_a_passage_without_a_blank_is_cut_all_the_same():
    [text] = texts([page("a", "や" * 5000)])
    assert text == "や" * MAX_SIGNS


def test_all_passages_together_have_a_limit():
    sizes = list(map(len, texts([page(str(n), "や" * 5000) for n in range(12)])))
    assert 0.8 * MAX_SIGNS_OF_ALL < sum(sizes) <= MAX_SIGNS_OF_ALL


TEXT = "Aren\u2019t kettles \u201chot\u201d \u2013 or\u00ad dinary?\n They\ufe0f boil\u200b water."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Aren't kettles", "Aren\u2019t kettles"),
        ('kettles "hot" - or', "kettles \u201chot\u201d \u2013 or"),
        ('"hot"', "hot"),
        ("or dinary? They", "or\u00ad dinary?\n They"),
        ("They boil water.", "They\ufe0f boil\u200b water."),
        ("\u201cThey boil water\u2026", "They\ufe0f boil\u200b water"),
        ("... They boil", "They\ufe0f boil"),
        ("they boil", None),
        ("They boil tea", None),
        ("Theyboil", None),
        ("", None),
        ("...", None),
        ("x" * 100_000, None),
    ],
)
def test_a_quote_in_plainer_signs_is_found_as_it_stands_there(quote, found):
    [one] = shown([page("a", TEXT)])
    assert one.as_written(quote) == found
