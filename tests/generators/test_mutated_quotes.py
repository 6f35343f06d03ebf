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
    DENIALS,
    another_name,
    another_number,
    denied,
    misquoted,
    names_in,
    passages,
    reordered,
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
    found = [each for name in COLLECTIONS for each in passages(name)]
    return [(language, text) for language, text in found if sentences(text)]


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


def stands_in(quote, text):
    return " ".join(quote.split()) in " ".join(text.split())


def test_no_misquoted_words_get_a_receipt(pages):
    chance = random.Random(29)
    tried = 0
    while tried < COUNT:
        language, text = chance.choice(pages)
        quote = chance.choice(sentences(text))
        wrong = misquoted(chance, quote)
        if stands_in(wrong, text):
            continue  # cut at either end it may be a quote still
        shown = [page_of(language, text)]
        contents = [*told(quote, wrong, shown)]
        assert not any(content.citations for content in contents), (quote, wrong)
        doubts = {mark.doubt for content in contents for mark in content.marks}
        assert doubts == {"uncited"}, (quote, wrong)
        tried += 1


def said_otherwise(chance, language, sentence, names):
    match chance.randrange(4):
        case 0:
            return another_number(chance, sentence)
        case 1:
            return another_name(chance, sentence, names)
        case 2:
            return denied(chance, sentence, language)
        case _:
            return reordered(chance, sentence)


def test_no_sentence_that_says_otherwise_than_its_quote_is_left_unmarked(pages):
    chance = random.Random(31)
    names = names_in(text for _language, text in pages)
    listed = [each for each in pages if each[0] in DENIALS]
    tried = 0
    while tried < COUNT:
        language, text = chance.choice(listed)
        sentence = chance.choice(sentences(text))
        wrong = said_otherwise(chance, language, sentence, names)
        if wrong is None or wrong.casefold().split() == sentence.casefold().split():
            continue
        contents = [*told(wrong, sentence, [page_of(language, text)])]
        assert any(content.marks for content in contents), (sentence, wrong)
        tried += 1


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
