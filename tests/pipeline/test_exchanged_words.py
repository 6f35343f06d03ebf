"""A sentence that puts one word of its quote for another is not borne by it."""

from __future__ import annotations

import pytest

from nlweb_ask.pipeline.receipts import grounded
from nlweb_ask.pipeline.support import bears, names_only
from nlweb_ask.plugins import Citation, PassageText, Reference, Result, Sentence


@pytest.mark.parametrize(
    ("language", "quote", "sentence"),
    [
        pytest.param(
            "en", "It opens at 9 am daily.", "It opens at 9 pm daily.", id="pm"
        ),
        pytest.param(
            "en", "It opens at 9 pm daily.", "It opens at 9 am daily.", id="am"
        ),
        pytest.param("en", "Take 5 mg of it.", "Take 5 g of it.", id="unit"),
        pytest.param(
            "en", "Take 5 mg of it daily.", "One should take 5 g.", id="freely"
        ),
        pytest.param("en", "It takes 20 minutes.", "It takes 20 hours.", id="time"),
        pytest.param(
            "fr",
            "Ouvert le lundi de 9 heures.",
            "Ouvert le mardi de 9 heures.",
            id="day",
        ),
        pytest.param("fr", "Fermé le 3 mai.", "Fermé le 3 juin.", id="month"),
        pytest.param("es", "Abre los lunes.", "Abre los martes.", id="last-word"),
        pytest.param(
            "en", "The gate opens at dusk.", "The gate closes at dusk.", id="verb"
        ),
        pytest.param(
            "en", "It has vitamin D in it.", "It has vitamin A in it.", id="letter"
        ),
        pytest.param("en", "Take gate A there.", "Take gate B there.", id="from-a"),
    ],
)
def test_one_word_put_for_another_is_not_borne(language, quote, sentence):
    assert not bears([quote], sentence, language)


@pytest.mark.parametrize(
    ("quote", "sentence"),
    [
        pytest.param("He mends each kettle.", "He mended each kettle.", id="form"),
        pytest.param(
            "It boils at 90 degrees here.", "At 90 degrees it boils?", id="not-in-order"
        ),
        pytest.param(
            "The kettle boils at 90 degrees.", "the kettle boils when at 90", id="cut"
        ),
        pytest.param("In 1995 Ann came.", "In 1995, Ann came along.", id="comma"),
        pytest.param("Call 5 persons.", "Call a 5 person crew.", id="stem-of-unit"),
    ],
)
def test_other_forms_and_freer_words_are_borne_as_before(quote, sentence):
    expected = "?" not in sentence
    assert bears([quote], sentence, "en") is expected


@pytest.mark.parametrize(
    ("language", "quote", "sentence"),
    [
        pytest.param(
            "en",
            "The pool opens at noon on all days.",
            "the p\u043e\u043el opens at noon",  # with two Cyrillic letters
            id="two-scripts-in-a-word",
        ),
        pytest.param(
            "en",
            "The pool opens at noon on all days.",
            "the pool \u202eopens at noon",
            id="turned-on-the-screen",
        ),
        pytest.param(
            "en",
            "The pool opens at noon on all days.",
            "the po\u200bol opens at noon",
            id="a-sign-of-no-width",
        ),
        pytest.param(
            "en",
            "The pool opens at noon on all days.",
            "das opens ist der und nicht die pool",
            id="another-language",
        ),
        pytest.param(
            "de",
            "Das Bad ist am Mittag offen und geheizt.",
            "this is not the one that is with offen",
            id="english-of-a-german-page",
        ),
    ],
)
def test_what_cannot_be_compared_is_not_borne(language, quote, sentence):
    assert not bears([quote], sentence, language)
    assert bears([sentence], sentence, language)  # the page's own words


def test_a_denial_in_the_title_of_a_page_is_no_doubt():
    assert names_only(["Why not swim?"], "Why not swim?:", "en")
    assert not names_only(["Why swim?"], "Why not swim?:", "en")
    assert not names_only(["Not open"], "Not open: never", "en")


PAGE = "The man with the hat bit the old dog."


def page(text=PAGE, url="https://site.example/a/", language="en"):
    passage = PassageText(
        ordinal=0,
        heading="",
        anchor="",
        text=text,
        start=0,
        end=len(text),
        words_hash="0" * 32,
    )
    return Result(
        reference=Reference(source="memory", object_id="a", language=language),
        public_id="a",
        url=url,
        name="A page",
        site="site.example",
        score=100.0,
        description="",
        schema_object={},
        passages=(passage,),
    )


def word_by_word(text, quote=PAGE):
    citations, begin = [], 0
    for word in text.split():
        start = text.index(word, begin)
        begin = start + len(word)
        citations.append(
            Citation(start=start, end=begin, url="https://site.example/a/", quote=quote)
        )
    return Sentence(text=text, citations=tuple(citations))


def doubts(sentence, of):
    return [mark.doubt for mark in grounded(sentence, [of], 0).marks]


def test_a_citation_for_each_word_does_not_hide_their_order():
    assert doubts(word_by_word("the man bit the dog"), page()) == []
    assert doubts(word_by_word("the dog bit the man"), page()) == ["unsupported"]


def test_a_quote_is_the_pages_words_where_its_address_is_no_link():
    text = "詳しくは https://elsewhere.example/x を見てください。"
    shown = text.replace("https://", "")
    url = "https://site.example/a/"
    said = Sentence(
        text=shown,
        citations=(Citation(start=0, end=len(shown), url=url, quote=text),),
    )
    assert doubts(said, page(text, language="ja")) == []
