"""Sentences leave with a receipt for each quote that stands in a page, or with a mark."""

from __future__ import annotations

import json
import time

import pytest

from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.pipeline import standing
from nlweb_ask.pipeline.quotes import place_of
from nlweb_ask.pipeline.support import bears
from nlweb_ask.plugins import Citation, Sentence, generators
from nlweb_ask.protocol.events import Content
from tests.asking import MEMBER, ask
from tests.site_in_memory import SiteInMemory, save

pytestmark = pytest.mark.django_db

WATER = "The kettle boils at 90 degrees, not at 100."
PATCH = "Mr Reed mends each kettle in the barge on Mondays. It is closed. Ask Ann."


def cited(text, url="https://site.example/pages/a/", quote=None, **places):
    span = {"start": 0, "end": len(text.rstrip())} | places
    return Sentence(
        text=text, citations=(Citation(url=url, quote=quote or text.strip(), **span),)
    )


@pytest.fixture
def told(site, settings):
    """Let a generator write these sentences of two pages; give what leaves the site."""
    save("a", "Kettle", WATER)
    save("b", "Barge", PATCH)

    class Teller:
        name = "teller"
        sentences = ()

        def generate(self, question, results, deadline):
            for sentence in self.sentences:
                yield sentence() if callable(sentence) else sentence

    generators.register(Teller)

    def tell(*sentences, user=MEMBER, **keys):
        settings.NLWEB_ASK = {"GENERATORS": ["teller"], "HANDLERS": [], **keys}
        Teller.sentences = sentences
        answered = ask("kettle", user, mode="generate")
        return [event for event in answered.events if isinstance(event, Content)]

    yield tell
    generators.unregister("teller")


def doubts(contents):
    return [mark.doubt for content in contents for mark in content.marks]


def test_a_receipt_says_where_in_which_passage_the_words_stand(told):
    [content] = told(cited(WATER))
    [receipt] = content.citations
    assert (receipt.start, receipt.end) == (0, len(WATER))
    assert receipt.quote == WATER
    assert receipt.span == (0, len(WATER))
    assert receipt.url == "https://site.example/pages/a/"
    assert content.marks == ()


def test_a_quote_that_is_broken_otherwise_is_told_as_it_stands_there(told):
    [content] = told(cited(WATER.replace(" ", "\n ")))
    assert content.citations[0].quote == WATER


def test_a_receipt_leads_to_the_heading_of_its_passage(told, site):
    SiteInMemory.pages["a"].parts = {"Heat": "A kettle sings before its water boils."}
    refresh_objects("memory", ["a"])
    quote = "A kettle sings before its water boils."
    contents = told(cited(quote), cited(WATER))
    urls = {receipt.url for content in contents for receipt in content.citations}
    assert urls <= {
        "https://site.example/pages/a/#heat",
        "https://site.example/pages/a/",
    }
    assert len(urls) == 1  # of the one passage that was read


@pytest.mark.parametrize(
    ("sentence", "doubt"),
    [
        pytest.param(
            cited("It boils.", quote="The kettle sings."), "uncited", id="forged"
        ),
        pytest.param(
            cited("At 90.", quote="at 90 degrees"), "uncited", id="too-few-words"
        ),
        pytest.param(
            cited("Kettle.", quote="kettle boils at 90 degr"), "uncited", id="half-word"
        ),
        pytest.param(cited("It.", url="https://x.example/"), "uncited", id="elsewhere"),
        pytest.param(cited(WATER, end=900), "uncited", id="out-of-the-sentence"),
        pytest.param(Sentence(text="That is all."), "uncited", id="no-citation"),
        pytest.param(
            cited("It boils at 95 degrees.", quote=WATER), "unsupported", id="number"
        ),
        pytest.param(
            cited("Smith says it boils.", quote=WATER), "unsupported", id="name"
        ),
        pytest.param(
            cited("The kettle boils at 90 degrees.", quote=WATER),
            "unsupported",
            id="denial-left-out",
        ),
        pytest.param(
            cited("The kettle boils at 100 degrees, not at 90.", quote=WATER),
            "unsupported",
            id="order",
        ),
    ],
)
def test_what_is_not_proved_is_marked(told, sentence, doubt):
    assert doubts(told(sentence)) == [doubt]


def test_other_words_for_the_same_are_borne(told):
    said = "a kettle is boiling, not at 100 but at 90"
    assert doubts(told(cited(said, quote=WATER))) == ["unsupported"]  # turned round
    said = "the kettle boils when at 90 degrees, and not at 100"
    assert doubts(told(cited(said, quote=WATER))) == []


def test_a_whole_sentence_of_two_words_is_quote_enough(told):
    url = "https://site.example/pages/b/"
    assert doubts(told(cited("Ask Ann.", url=url))) == []
    assert doubts(told(cited("It is closed.", url=url))) == []
    assert doubts(told(cited("each kettle", url=url))) == ["uncited"]


def test_the_name_of_a_page_may_stand_before_its_quote(told):
    text = f"Kettle: {WATER}"
    named = Sentence(
        text=text,
        citations=(
            Citation(
                start=len("Kettle: "),
                end=len(text),
                url="https://site.example/pages/a/",
                quote=WATER,
            ),
        ),
    )
    assert doubts(told(named)) == []


def test_sentences_that_quote_nothing_are_left_out_where_the_owner_says_so(told):
    contents = told(
        Sentence(text="I think so. "), cited(WATER), UNCITED_SENTENCES="drop"
    )
    assert [content.text for content in contents] == [WATER]


def test_when_nothing_is_left_the_answer_says_so(told):
    [content] = told(Sentence(text="I think so."), UNCITED_SENTENCES="drop")
    assert content.text == "The site does not seem to answer this."
    assert content.citations == ()


# Still there when quoted


def closed():
    SiteInMemory.pages["a"].readers = "staff"
    return cited(WATER)


def deleted():
    del SiteInMemory.pages["a"]
    return cited(WATER)


def rewritten():
    SiteInMemory.pages["a"].text = "The kettle was redacted in the meantime."
    refresh_objects("memory", ["a"])
    return cited(WATER)


@pytest.mark.parametrize("change", [closed, deleted, rewritten])
def test_words_of_a_page_that_changed_meanwhile_do_not_leave_the_site(
    told, change, monkeypatch
):
    monkeypatch.setattr(standing, "LOOK_AGAIN_SECONDS", -1.0)
    quote = "Mr Reed mends each kettle in the barge on Mondays."
    contents = told(cited(quote, url="https://site.example/pages/b/"), change)
    assert [content.text for content in contents] == [quote]
    assert "90" not in json.dumps([content.text for content in contents])


def test_what_was_just_seen_is_not_asked_about_again(told, site):
    SiteInMemory.asked.clear()
    told(cited(WATER), cited(WATER), cited(WATER))
    assert len(SiteInMemory.asked) == 2  # by the gate, and with the words


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("500 euros for the whole group", "It costs 1,500 euros for the whole group."),
        ("The price of it is 1", "The price of it is 1.500 euros."),
        ("5 degrees in the cellar here", "It is -5 degrees in the cellar here."),
        (
            "refundable after the first week",
            "It is non-refundable after the first week.",
        ),
        ("Members of the club can", "Members of the club can't enter."),
        ("available on all of the days", "It is un\u00adavailable on all of the days."),
        ("he ate all of the pate", "he ate all of the pate\u0301 today."),
        ("he ate all of the pate\u0301", "he ate all of the pate\u0301s today."),
        ("5 degrees in the cellar here", "It is -\u20605 degrees in the cellar here."),
        ("Members of the club can", "Members of the club can\u200b't enter."),
        (
            "every one of the family \U0001f468",
            "every one of the family \U0001f468\u200d\U0001f469",
        ),
    ],
)
def test_a_quote_cuts_no_word_and_no_number(quote, text):
    assert place_of(quote, text) is None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        pytest.param(
            "कीमत बहुत कम हो गयी", "कीमत बहुत कम हो गयी\nनए नल", id="vowel-sign"
        ),
        pytest.param("เปิดทุกวันที่นี่", "เปิดทุกวันที่นี่ ปิดเย็น", id="tone-mark"),
        pytest.param("เปิดทุกวันที่นี่", "เปิดทุกวันที่นี่ปิดเย็น", id="no-space-behind"),
        pytest.param("مفتوحةٌ كلَّ يومٍ", "مفتوحةٌ كلَّ يومٍ، صباحًا", id="vowel-point"),
        pytest.param(
            "we ship it \u2708\ufe0f", "we ship it \u2708\ufe0f\nCall", id="emoji"
        ),
        pytest.param(
            "open every day", "\u200fopen every day\u200f.", id="direction-marks"
        ),
        pytest.param(
            "\u200bOpen every day.", "Hi. \u200bOpen every day.", id="zero-width"
        ),
    ],
)
def test_a_quote_may_end_with_a_mark_or_a_sign_that_is_not_seen(quote, text):
    span = place_of(quote, text)
    assert span is not None
    assert text[slice(*span)] == quote


@pytest.mark.parametrize("unseen", ["\u200b", "\u200b\u0301"], ids=["width", "marks"])
def test_the_time_to_find_a_quote_grows_with_the_length_of_a_row_unseen(unseen):
    text = f"Hello there{unseen * 20_000}again."
    began = time.thread_time()
    for quote in (unseen[0], "there", unseen[0] * 3):
        assert place_of(quote, text) is None
    assert time.thread_time() - began < 5


def test_words_of_a_page_that_was_closed_do_not_leave_by_a_quote_that_fails(
    told, monkeypatch
):
    monkeypatch.setattr(standing, "LOOK_AGAIN_SECONDS", -1.0)

    def closing():
        SiteInMemory.pages["a"].readers = "staff"
        return cited("Words of the kettle's page.", quote="never written there")

    contents = told(closing, Sentence(text="Of no page at all."))
    assert [content.text for content in contents] == [
        "The site does not seem to answer this."
    ]


def test_a_denial_that_was_moved_denies_something_else():
    quote = "The pool isn't open on Monday and is open on Tuesday."
    assert not bears(
        [quote], "The pool is open on Monday and isn't open on Tuesday.", "en"
    )
    quote = "never closes in summer and is heated"
    assert not bears([quote], "closes in summer and is not heated", "en")


def test_a_denial_that_stands_before_the_quote_is_seen(told, site):
    save("a", "Kettle", "It is not true that the kettle boils at noon each day.")
    assert doubts(told(cited("the kettle boils at noon each day"))) == ["unsupported"]
    save("a", "Kettle", "The kettle boils at noon each day. It is not loud.")
    assert doubts(told(cited("The kettle boils at noon each day."))) == []


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("Some 10\u2076 people came to see it.", "Some 106 people came to see it."),
        ("Take five million of them home.", "Take five billion of them home."),
        ("There are thirteen boats in it.", "There are sixteen boats in it."),
        ("The pool is open on Mondays.", "The pool isn\u2018t open on Mondays."),
        ("The pool is open on Mondays.", "The pool isn\u2032t open on Mondays."),
        ("The pool is open on Mondays.", "The pool is n\u200bot open on Mondays."),
    ],
)
def test_numbers_and_denials_are_seen_however_they_are_written(quote, said):
    assert not bears([quote], said, "en")


def test_signs_of_numbers_are_no_punctuation():
    assert not bears(["It is 5 degrees here."], "It is -5 degrees here.", "en")
    assert not bears(["It costs €5 here."], "It costs $5 here.", "en")
