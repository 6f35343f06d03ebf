"""The sentences of a page come best first, however few of its paragraphs are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.generators.evidence import Evidence, Page, Worth
from nlweb_ask.generators.ranking import BestFirst
from nlweb_ask.index import cuts
from nlweb_ask.index.matching import matching_spans
from tests.generators.pages import page

WORDS = {"kettl": 1, "boil": 2, "sing": 4}
LINES = ["A kettle boils.", "Kettles sing! They boil?", "- Boil it", "Old trees."]
LINES += ["Sing, kettle, and boil: it is time for tea now.", "$ boil --kettle", ""]
SHARES = Worth([0.5, 0.3, 0.2])


def page_of(*texts: str, named: int = 0) -> Page:
    result = page("kettles", *texts)
    hits = [
        [
            (start, end, sum(WORDS[term] for term in terms))
            for start, end, terms in matching_spans(text, frozenset(WORDS), "en")
        ]
        for text in texts
    ]
    return Page(result, list(zip(result.passages, hits, strict=True)), named, 7, 1.0)


def quotes_of(page: Page) -> list[tuple[float, int, int, str]]:
    quotes = BestFirst(Evidence(SHARES, [page]), 0)
    return [(-q.value, q.passage, q.start, q.quote) for q in quotes]


@given(
    texts=st.lists(st.lists(st.sampled_from(LINES)).map("\n".join), max_size=3),
    named=st.integers(0, 7),
)
def test_quotes_come_best_first_and_ties_in_reading_order(texts, named):
    found = quotes_of(page_of(*texts, named=named))
    assert found == sorted(found)
    for number, text in enumerate(texts):
        shown = [quote for _loss, passage, _start, quote in found if passage == number]
        assert all(quote in text for quote in shown)


def test_the_first_sentence_may_be_quoted_without_a_word_of_the_question():
    found = quotes_of(page_of("$ boil --kettle\n\nOld trees.\n\nKettles sing now."))
    assert [quote for *_place, quote in found] == ["Kettles sing now."]
    found = quotes_of(page_of("Old trees.\n\nKettles sing now."))
    assert [quote for *_place, quote in found] == ["Kettles sing now.", "Old trees."]


def test_a_word_that_the_page_is_named_by_is_worth_half():
    [plain] = quotes_of(page_of("Old kettles are heavy things."))
    [named] = quotes_of(page_of("Old kettles are heavy things.", named=1))
    assert -plain[0] == pytest.approx(0.5 + 0.03)
    assert -named[0] == pytest.approx(0.25 + 0.03)


def test_paragraphs_that_hold_less_are_not_cut(monkeypatch):
    monkeypatch.setattr(cuts, "_kept", {})
    text = "Old trees stand here.\n\nA kettle boils and sings now.\n\nBoil it again."
    best = BestFirst(Evidence(SHARES, [page_of(text)]), 0).best
    assert best is not None
    assert best.quote == "A kettle boils and sings now."
    [kept] = cuts._kept.values()
    assert [*kept._sentences] == [1]
