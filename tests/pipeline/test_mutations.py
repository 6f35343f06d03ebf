"""Nothing that a page does not say passes for its words: ten thousand attempts each."""

from __future__ import annotations

import os
import random

import pytest

from nlweb_ask.index.stopwords import STOP_WORDS
from nlweb_ask.pipeline.quotes import place_of
from nlweb_ask.pipeline.support import bears
from tests.pipeline.mutations import (
    DENIALS,
    another_word,
    contradictions,
    misquotations,
    passages,
    sentences,
)

pytestmark = pytest.mark.first_leg

COUNT = int(os.environ.get("MUTATIONS", "10000"))
COLLECTIONS = ("stackfaq", "xquad-mixed6")


@pytest.fixture(scope="module")
def pages():
    return passages(*COLLECTIONS)


def test_no_mutated_quote_is_found_where_it_does_not_stand(pages):
    for page in pages:
        for quote in sentences(page.text):
            assert place_of(quote, page.text) is not None, quote
    for page, quote, wrong in misquotations(random.Random(17), pages, COUNT):
        assert place_of(wrong, page.text) is None, (quote, wrong)


def test_no_sentence_that_says_otherwise_is_borne_by_its_quote(pages):
    for page, quote, wrong in contradictions(random.Random(23), pages, COUNT):
        assert not bears([quote], wrong, page.language), (quote, wrong)


def test_no_sentence_with_one_word_put_for_another_is_borne_by_its_quote(pages):
    chance = random.Random(29)
    listed = [page for page in pages if page[0] in DENIALS and sentences(page[1])]
    tried = 0
    while tried < COUNT // 5:
        (language, text), (other_language, other) = chance.sample(listed, 2)
        sentence = chance.choice(sentences(text))
        if language != other_language:
            continue
        told = chance.choice(sentences(other))
        wrong = another_word(chance, sentence, told, STOP_WORDS[language])
        if wrong is None:
            continue
        assert not bears([sentence], wrong, language), (sentence, wrong)
        tried += 1


def test_every_sentence_is_borne_by_itself(pages):
    for language, text in pages[:500]:
        for sentence in sentences(text):
            assert bears([sentence], sentence, language)
