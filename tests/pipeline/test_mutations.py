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
    another_name,
    another_number,
    another_word,
    denied,
    misquoted,
    names_in,
    passages,
    reordered,
    sentences,
)

pytestmark = pytest.mark.first_leg

COUNT = int(os.environ.get("MUTATIONS", "10000"))
COLLECTIONS = ("stackfaq", "xquad-mixed6")


@pytest.fixture(scope="module")
def pages():
    return [page for name in COLLECTIONS for page in passages(name)]


def test_no_mutated_quote_is_found_where_it_does_not_stand(pages):
    chance = random.Random(17)
    tried = 0
    while tried < COUNT:
        _language, text = chance.choice(pages)
        told = sentences(text)
        if not told:
            continue
        quote = chance.choice(told)
        assert place_of(quote, text) is not None
        wrong = misquoted(chance, quote)
        # Cut at either end it may be a quote still.
        if wrong in " ".join(text.split()):
            continue
        assert place_of(wrong, text) is None, (quote, wrong)
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


def test_no_sentence_that_says_otherwise_is_borne_by_its_quote(pages):
    chance = random.Random(23)
    names = names_in(text for _language, text in pages)
    listed = [page for page in pages if page[0] in DENIALS]
    tried = 0
    while tried < COUNT:
        language, text = chance.choice(listed)
        told = sentences(text)
        if not told:
            continue
        sentence = chance.choice(told)
        wrong = said_otherwise(chance, language, sentence, names)
        if wrong is None or wrong.casefold().split() == sentence.casefold().split():
            continue
        assert not bears([sentence], wrong, language), (sentence, wrong)
        tried += 1


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
