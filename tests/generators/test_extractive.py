"""Answers made of the site's own sentences."""

from __future__ import annotations

import threading
import time
import unicodedata

import pytest
from django.utils import translation

from nlweb_ask.generators.extractive import ExtractiveGenerator
from nlweb_ask.plugins import Deadline, Question, Result
from nlweb_ask.protocol.events import Content
from nlweb_ask.testing import check_generator
from tests.asking import MEMBER, ask
from tests.generators.pages import page
from tests.site_in_memory import save

REFUSED = "The site does not seem to answer this."
FILLER = "Lawns and paths lead round the park. Benches stand under old trees."


@pytest.fixture
def written(site, settings):
    """Ask as a visitor does, and return what is written."""
    settings.NLWEB_ASK = {"GENERATORS": ["extractive"]}

    def write(text: str, mode: str = "generate", **more) -> list[Content]:
        events = ask(text, mode=mode, **more).events
        return [event for event in events if isinstance(event, Content)]

    return write


def joined(contents: list[Content]) -> str:
    return "".join(content.text for content in contents)


def cited(contents: list[Content]) -> list[str]:
    return [receipt.url for content in contents for receipt in content.citations]


def write_pages():
    save(
        "kettle",
        "Kettles",
        f"{FILLER} A kettle boils water in three minutes. {FILLER} "
        "Never boil an empty kettle.",
    )
    save("teapot", "Teapots", f"{FILLER} A teapot keeps tea warm. {FILLER}")
    save("park", "Parks", FILLER)


def test_the_sentence_that_holds_the_question_is_quoted(written):
    write_pages()
    contents = written("How long does a kettle take to boil water?")
    assert "A kettle boils water in three minutes." in joined(contents)
    assert cited(contents)[0].startswith("https://site.example/pages/kettle/")


def test_every_sentence_is_a_quote_of_its_page(written):
    write_pages()
    contents = written("boil water in a kettle")
    for content in contents:
        (receipt,) = content.citations
        said = content.text[receipt.start : receipt.end]
        assert said == " ".join(receipt.quote.split()) == content.text.strip()


@pytest.mark.parametrize(
    ("language", "lines", "asked"),
    [
        (
            "hi",
            "पानी की कीमत बहुत कम हो गयी\nनगर में नए नल लगाए गए",
            "पानी की कीमत",
        ),
        (
            "th",
            "ร้านอาหารเปิดทุกวันตั้งแต่แปดโมงเช้าที่นี่\nสวนสาธารณะอยู่ไกล",
            "ร้านอาหารเปิดทุกวันที่นี่",
        ),
        ("my", "ဆိုင်ကိုနေ့တိုင်းဖွင့်သည်\nပန်းခြံသည်ဝေးသည်", "ဆိုင်ကိုဖွင့်သည်"),
        ("ta", "குளிர்சாதனப் பெட்டியின் விலை மிகவும் குறைவு\nபூங்கா", "பெட்டியின் விலை"),
        ("ar", "المكتبةُ مفتوحةٌ كلَّ يومٍ في بلدٍ\nبعيدةٌ الحديقة", "المكتبة مفتوحة"),
        (
            "vi",
            unicodedata.normalize("NFD", "Thư viện mở cửa mỗi ngày ở đó\nCông viên"),
            "thư viện mở cửa",
        ),
        (
            "en",
            "A kettle boils.\n\u200bIt is safe to boil a kettle here.",
            "safe to boil",
        ),
    ],
    ids=["hi", "th", "my", "ta", "ar", "vi", "zero-width"],
)
def test_a_line_that_ends_with_a_mark_or_begins_unseen_is_proved(
    written, language, lines, asked
):
    save("page", "Page", lines, language=language)
    contents = written(asked)
    assert cited(contents)
    assert not any(content.marks for content in contents)


@pytest.mark.parametrize("language", ["en", "hi"])
def test_a_quote_that_loses_a_link_is_borne_whatever_blanks_it_has(written, language):
    text = "See [the guide to\u00a0kettles](https://other.example/) and [12]: it boils."
    save("kettle", "Page", text, language=language)
    [content] = written("guide to kettles that boils water")
    assert content.text.startswith("See the guide to kettles and")
    assert content.citations
    assert not content.marks


def test_words_with_soft_hyphens_answer(written):
    text = "A ket\u00adtle boils wa\u00adter in three min\u00adutes."
    save("kettle", "Page", f"{FILLER} {text} {FILLER}")
    save("park", "Parks", FILLER)
    assert joined(written("minutes a kettle boils water?")) == text


def test_sentences_of_a_page_come_in_reading_order(written):
    write_pages()
    text = joined(written("boil water in an empty kettle"))
    assert 0 <= text.index("A kettle boils") < text.index("Never boil")


def test_at_most_five_sentences_are_quoted(written):
    for number in range(8):
        words = ". ".join(f"Kettle {number}{letter} boils tea" for letter in "abcdefg")
        save(str(number), f"Kettle {number}", f"{words}.")
    assert 1 <= len(written("kettle boils tea")) <= 5


def test_what_two_pages_say_alike_is_said_once(written):
    for name in ("a", "b", "c"):
        save(name, f"Page {name}", "A kettle boils water in three minutes.")
    assert len(written("kettle boils water")) == 1


def test_code_is_not_quoted(written):
    code = ">>> kettle.boil(water)"
    save("a", "Kettles", f"A kettle boils water for tea.\n\n{code}")
    assert ">>>" not in joined(written("kettle boil water"))


def test_a_table_is_quoted_whole_or_not_at_all(written):
    save("a", "Hours", "Kettle workshop | Opens\nMonday | nine\nTuesday | ten")
    text = joined(written("When does the kettle workshop open?"))
    assert text == "Kettle workshop | Opens Monday | nine Tuesday | ten"


def test_a_very_long_sentence_is_cut_at_a_word_and_says_so(written):
    save("a", "Kettles", "kettle boils water and " + "then it whistles " * 60)
    (content,) = written("kettle boils water")
    assert len(content.text) < 420
    assert content.text.endswith("\u2026")
    assert content.citations[0].quote.split()[-1] in {"then", "it", "whistles"}


def test_a_summary_has_a_line_a_page_under_one_over_all(written):
    write_pages()
    save("mugs", "Mugs", "Boil water before you warm a mug. A kettle does it.")
    first, *lines = written("boil water in a kettle", "summarize")
    assert first.text.strip() in {
        "A kettle boils water in three minutes.",
        "Boil water before you warm a mug.",
    }
    names = {line.text.split(":")[0] for line in lines}
    assert names == {"Kettles", "Mugs"}
    assert all(line.citations for line in lines)


def write_honey():
    write_pages()
    save("b", "Bees", f"Bees make honey. {FILLER}")
    save("c", "Cakes", f"Cakes are made with honey. {FILLER}")


def test_a_question_of_which_little_is_held_is_said_not_to_be_answered(written):
    write_honey()
    (content,) = written("Who stole the honey trumpet?")
    assert content.text.startswith(f"{REFUSED} The nearest pages: ")
    assert set(content.text.split(": ")[1].split("; ")) == {"Bees", "Cakes"}


def test_the_nearest_pages_are_named_where_they_are_cited(written):
    write_honey()
    (content,) = written("Who stole the honey trumpet?")
    spans = [content.text[r.start : r.end] for r in content.citations]
    assert sorted(spans) == ["Bees", "Cakes"]


def test_a_page_that_holds_little_answers_nothing_even_if_it_is_the_only_one(written):
    save("b", "Bees", f"Bees make honey. {FILLER}")
    assert joined(written("Who stole the golden honey trumpet?")).startswith(REFUSED)


@pytest.mark.django_db
def test_it_refuses_in_the_language_of_the_visitor(monkeypatch):
    catalogue = translation.trans_real.translation("de")._catalog._catalogs[0]
    monkeypatch.setitem(catalogue, REFUSED, "Dazu steht hier nichts.")
    result = page("kettles", "Bees make honey.")
    with translation.override("de"):
        (sentence,) = generate("Which trumpet insurance covers honey?", [result])
    assert sentence.text.startswith("Dazu steht hier nichts.")


def test_a_page_without_words_is_named(written):
    save("kettle", "Kettles for tea")
    (content,) = written("kettles for tea")
    assert content.text == "There is no sentence to quote in: Kettles for tea"


@pytest.mark.parametrize("mode", ["generate", "summarize"])
def test_a_hidden_page_changes_no_sentence(written, mode):
    write_pages()
    question = "boil water in an empty kettle"
    before = written(question, mode)
    for number in range(20):
        save(f"h{number}", "Empty kettles", "Boil a kettle.", readers="members")
    assert written(question, mode) == before
    assert joined(written(question, mode, user=MEMBER)) != joined(before)


def generate(text: str, results: list[Result], **question):
    deadline = Deadline(at=time.monotonic() + 60, stop=threading.Event())
    asked = Question(text=text, **question)
    return list(ExtractiveGenerator().generate(asked, results, deadline))


@pytest.mark.django_db
@pytest.mark.parametrize("mode", ["generate", "summarize", None])
def test_it_keeps_the_promises_of_a_generator(mode):
    results = [
        page("a", "A kettle boils water. It whistles then."),
        page("b", "Water boils in a kettle. Tea needs it."),
    ]
    question = Question(text="kettle boils water", mode=mode)
    check_generator(ExtractiveGenerator(), question, results)


@pytest.mark.django_db
def test_sentences_of_all_given_passages_may_be_quoted():
    result = page(
        "kettles", "A kettle is made of steel.", "It boils water in a minute."
    )
    text = "".join(s.text for s in generate("kettle steel boils water", [result]))
    assert text == "A kettle is made of steel. It boils water in a minute."


@pytest.mark.django_db
def test_japanese_sentences_are_joined_without_a_space():
    result = page(
        "kettles", "水族館は九時に開く。水族館は五時に閉まる。", language="ja"
    )
    text = "".join(s.text for s in generate("水族館は九時に開く五時に閉まる", [result]))
    assert text == "水族館は九時に開く。水族館は五時に閉まる。"


@pytest.mark.django_db
def test_the_mark_of_a_list_is_not_quoted():
    result = page("kettles", "- A kettle boils water.\n- It is steel.")
    (sentence,) = generate("kettle boils water", [result])
    assert sentence.text == "A kettle boils water."


@pytest.mark.django_db
def test_nothing_is_written_when_nobody_waits():
    deadline = Deadline(at=time.monotonic() + 60, stop=threading.Event())
    deadline.stop.set()
    results = [page("kettles", "A kettle boils water.")]
    question = Question(text="kettle boils water")
    assert not list(ExtractiveGenerator().generate(question, results, deadline))


def test_a_stricter_generator_is_one_line():
    class Strict(ExtractiveGenerator):
        name = "strict"
        least_fit = 99.0

    assert Strict.least_fit > ExtractiveGenerator.least_fit
