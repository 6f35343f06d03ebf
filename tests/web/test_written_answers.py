"""The page of results shows what was written of them, each quote with its number."""

from __future__ import annotations

import re

import pytest

from nlweb_ask.plugins import (
    Citation,
    Elicitation,
    Ended,
    ModelUnavailable,
    Sentence,
    generators,
    processors,
)
from nlweb_ask.web.written import linked
from tests.factories import SiteSettingsFactory
from tests.site_in_memory import save, site_in_memory

PAGE = "/ask/results/"
WORDS = "The kettle boils its water at ninety degrees."


class Writer:
    name = "writer"

    def generate(self, question, results, deadline):
        for result in results:
            quote = result.passages[0].text
            cited = Citation(start=0, end=len(quote), url=result.url, quote=quote)
            yield Sentence(text=f"{quote} ", citations=(cited,))
            yield Sentence(text=f"{quote} ", citations=(cited,))
        yield Sentence(
            text=f"<b>See</b> {results[0].url}, or https://elsewhere.example/x."
        )


class Exhausted:
    """Stands for a generator whose model may be asked no more today."""

    name = "exhausted"

    def generate(self, question, results, deadline):
        raise ModelUnavailable(reason="budget")


@pytest.fixture
def writing(db, settings):
    SiteSettingsFactory(
        enabled=True, default_mode="generate", base_url="https://a.example"
    )
    settings.NLWEB_ASK = {"GENERATORS": ["writer"]}
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": []}]
    generators.register(Writer)
    with site_in_memory():
        save("a", "Kettle <1>", WORDS)
        save("b", "Other kettle", "Another kettle whistles while it is boiling water.")
        yield
    generators.unregister("writer")


def asked(client):
    return client.get(PAGE, {"q": "kettle"}).content.decode()


def test_each_quote_has_one_number_and_leads_to_its_page(client, writing):
    shown = asked(client)
    assert re.findall(r'href="#nlweb-ask-quote-(\d)"', shown) == ["1", "1", "2", "2"]
    quotes = re.findall(r'<li id="nlweb-ask-quote-(\d)".*?</li>', shown, re.DOTALL)
    assert quotes == ["1", "2"]
    assert '<a href="https://a.example/pages/a/">Kettle &lt;1&gt;</a>' in shown
    assert f'<q dir="auto">{WORDS}</q>' in shown


def test_what_nothing_proves_is_said_to_be_so(client, writing):
    assert asked(client).count("no page is quoted for this") == 1


def test_only_addresses_of_results_become_links(client, writing):
    shown = asked(client)
    assert '&lt;b&gt;See&lt;/b&gt; <a href="https://a.example/pages/' in shown
    assert "or elsewhere.example/x." in shown
    assert 'href="https://elsewhere' not in shown


def test_a_list_is_shown_without_a_text(client, writing, settings):
    settings.NLWEB_ASK = {"GENERATORS": [], "DEFAULT_MODE": "list"}
    assert 'class="nlweb-ask-written"' not in asked(client)


def test_why_an_answer_is_less_than_it_could_be_is_shown(client, writing, settings):
    assert 'class="nlweb-ask-notice"' not in asked(client)
    generators.register(Exhausted)
    try:
        settings.NLWEB_ASK = {"GENERATORS": ["exhausted", "writer"]}
        shown = asked(client)
    finally:
        generators.unregister("exhausted")
    [notice] = re.findall(r'<p class="nlweb-ask-notice" role="note">(.*?)</p>', shown)
    assert notice.startswith("The budget for language models is used up")
    assert shown.index(notice) < shown.index('class="nlweb-ask-written"')


def test_nothing_is_said_of_models_where_none_is_set_up(client, writing, settings):
    settings.NLWEB_ASK = {
        "PROCESSORS": ["elicit_ai", "rewrite"],
        "RANKERS": ["relevance"],
        "GENERATORS": ["ai", "writer"],
    }
    shown = asked(client)
    assert 'class="nlweb-ask-written"' in shown
    assert 'class="nlweb-ask-notice"' not in shown
    query = {"query": "kettle", "mode": "list", "streaming": "false"}
    answer = client.get("/ask", query).content
    assert b"MODELS_OFF" not in answer
    assert b"reduced" not in answer


def test_where_nothing_is_found_nothing_is_written(client, writing):
    shown = client.get(PAGE, {"q": "zeppelin"}).content.decode()
    assert 'class="nlweb-ask-written"' not in shown
    assert "Nothing found" in shown


def test_a_text_that_broke_off_is_not_called_no_answer(client, writing, settings):
    class BreaksOff:
        name = "breaks_off"

        def generate(self, question, results, deadline):
            yield Sentence(text="The kettle boils. ")
            raise ModelUnavailable(reason="fault")

    generators.register(BreaksOff)
    try:
        settings.NLWEB_ASK = {"GENERATORS": ["breaks_off"]}
        shown = asked(client)
    finally:
        generators.unregister("breaks_off")
    assert "The kettle boils." in shown
    assert "The answer could not be written to its end." in shown
    assert "The question could not be answered" not in shown


@pytest.mark.parametrize(
    ("query", "is_written"),
    [
        ({"mode": "list"}, False),
        ({"mode": "generate"}, True),
        ({"mode": "list", "generate_mode": "generate"}, False),
        ({"mode": "sing"}, True),
        ({}, True),
    ],
)
def test_the_mode_of_an_address_is_kept_to(client, writing, query, is_written):
    shown = client.get(PAGE, {"q": "kettle", **query}).content.decode()
    assert ('class="nlweb-ask-written"' in shown) is is_written
    assert "Kettle &lt;1&gt;" in shown


def test_next_question_goes_on_in_the_mode_of_the_address(client, writing):
    data = {"q": "kettle", "mode": "summarize"}
    shown = client.get(PAGE, data).content.decode()
    field = '<input type="hidden" name="mode" value="summarize">'
    assert shown.count('role="search"') == shown.count(field) == 2


def test_next_question_goes_on_as_the_site_is_set_where_the_address_says_nothing(
    client, writing
):
    shown = client.get(PAGE, {"q": "kettle"}).content.decode()
    assert 'name="mode"' not in shown


class AsksBack:
    """Asks back as `elicit_ai` does: one question, in the words of the whole."""

    name = "asks_back"

    def process(self, question, viewer):
        text = "What are you looking for?"
        options = ["NewsArticle", "TVSeries", "GmbH", "Organization"]
        asked = {"id": "type", "text": text, "options": options}
        raise Ended(Elicitation(text=text, questions=(asked,)))


def test_what_is_asked_back_is_asked_once_and_types_are_named_as_in_results(
    client, writing, settings
):
    processors.register(AsksBack)
    try:
        settings.NLWEB_ASK = {"PROCESSORS": ["asks_back"], "GENERATORS": ["writer"]}
        data = {"q": "kettle", "mode": "list"}
        shown = client.get(PAGE, data).content.decode()
    finally:
        processors.unregister("asks_back")
    assert shown.count("What are you looking for?") == 1
    options = re.findall(r'<li><a href="[^"]*q=(\w+)&amp;[^"]*">(.*?)</a></li>', shown)
    assert options == [
        ("NewsArticle", "News"),
        ("TVSeries", "TV series"),
        ("GmbH", "GmbH"),
        ("Organization", "Organisation"),
    ]
    assert shown.count("&amp;mode=list") == 4


@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)",
        "![x](https://evil.example/pixel.png)",
        '"><script>alert(1)</script>',
        "https://a.example/pages/a/?steal=1",
        "https://a.example/pages/a/\\@evil.example",
    ],
)
def test_nothing_else_in_a_text_is_html(text):
    shown = linked(text, ["https://a.example/pages/a/", "javascript:alert(1)"])
    assert "<script" not in shown
    assert "<img" not in shown
    assert "javascript:" not in re.findall(r'href="([^"]*)', shown)
    assert all(
        url == "https://a.example/pages/a/"
        for url in re.findall(r'href="([^"]*)', shown)
    )


def test_a_question_that_is_asked_back_is_shown_with_its_options(
    client, writing, settings
):
    settings.NLWEB_ASK = {
        "PROCESSORS": ["elicit"],
        "ELICIT": [
            {
                "when": "word",
                "words": ["kettle"],
                "text": "There are two kinds.",
                "questions": [{"text": "Which one?", "options": ["copper", "<tin>"]}],
            }
        ],
    }
    shown = asked(client)
    assert "There are two kinds." in shown
    assert "Which one?" in shown
    assert ">copper</a></li>" in shown
    assert ">&lt;tin&gt;</a></li>" in shown
    assert "Nothing found" not in shown
