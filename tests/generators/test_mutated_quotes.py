"""What a language model misquotes, or says otherwise than its quote, passes for no proof."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from dataclasses import dataclass

import pytest

from nlweb_ask.generators.ai import AiGenerator
from nlweb_ask.pipeline import border
from nlweb_ask.pipeline.links import unlinked
from nlweb_ask.pipeline.receipts import grounded
from nlweb_ask.plugins import Deadline, Question
from tests.generators.pages import page
from tests.pipeline.mutations import (
    contradictions,
    misquotations,
    passages,
    sentences,
)

pytestmark = pytest.mark.first_leg

COUNT = int(os.environ.get("MODEL_QUOTES", "600"))
COLLECTIONS = ("stackfaq", "xquad-mixed6")


@dataclass(frozen=True)
class Says:
    text: str

    def stream(self, prompt, *, max_tokens):
        yield self.text


@pytest.fixture(scope="module")
def pages():
    return [page for page in passages(*COLLECTIONS) if sentences(page.text)]


def told(said, quote, shown):
    """Return what comes of a line of a model behind the gate, and the text it was of."""
    line = {"text": said, "quotes": [{"id": 1, "quote": quote}]}
    model = Says(json.dumps(line))
    deadline = Deadline(time.monotonic() + 60, threading.Event())
    generator = AiGenerator().with_models(model)
    known = {each.url for each in shown}
    for sentence in generator.generate(Question(text="?"), shown, deadline):
        yield grounded(unlinked(border.sentence(sentence), known, before=""), shown, 0)


def page_of(language, text):
    return page("page", text, language=language or "en")


def test_no_misquoted_words_get_a_receipt(pages):
    for told_of, quote, wrong in misquotations(random.Random(29), pages, COUNT):
        contents = [*told(quote, wrong, [page_of(*told_of)])]
        assert not any(content.citations for content in contents), (quote, wrong)
        doubts = {mark.doubt for content in contents for mark in content.marks}
        assert doubts == {"uncited"}, (quote, wrong)


def test_no_sentence_that_says_otherwise_than_its_quote_is_left_unmarked(pages):
    for told_of, quote, wrong in contradictions(random.Random(31), pages, COUNT):
        contents = [*told(wrong, quote, [page_of(*told_of)])]
        assert any(content.marks for content in contents), (quote, wrong)


def test_true_words_get_a_receipt_that_holds_what_the_page_says(pages):
    chance = random.Random(37)
    proved = 0
    for _ in range(COUNT):
        language, text = chance.choice(pages)
        quote = chance.choice(sentences(text))
        for content in told(quote, quote, [page_of(language, text)]):
            for receipt in content.citations:
                assert text[slice(*receipt.span)] == receipt.quote
                proved += 1
    assert proved >= 0.9 * COUNT
