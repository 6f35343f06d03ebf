"""Whatever stands in a page or in a question: no failure, and a word finds its page."""
# Letters of many scripts are what is tested here.
# ruff: noqa: RUF001

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nlweb_ask.index.analysis import analyze
from tests.asking import ask
from tests.site_in_memory import save

pytestmark = pytest.mark.servers

LANGUAGES = ("en", "de", "tr", "ar", "ja", "zh", "ko", "xx", "")
# Each begins a page's text in the script that its language is written in.
SCRIPTS = {
    "en": "abcdeo'-. ",
    "de": "aeiouäöüßbnst- ",
    "tr": "ıiIİçğşüöabk ",
    "ar": "ابتثكلمنوي\u064b\u0651\u0640 ",
    "ja": "水族館九時のはがぱアイーｶﾞ ",
    "zh": "图书馆开放时间，。 ",
    "ko": "도서관은열려있다 ",
    "xx": "abc\u0301\u0300\u200d\u00ad😀 ",
}
# No lone surrogate: neither JSON nor any database takes one.
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
WRITTEN = st.sampled_from(sorted(SCRIPTS)).flatmap(
    lambda language: st.tuples(
        st.just(language), st.text(SCRIPTS[language], min_size=1, max_size=40)
    )
)

many_cases = settings(
    max_examples=25,
    deadline=None,
    # The site is emptied of what matters: each case writes the same page anew.
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@many_cases
@given(title=ANY, body=ANY, asked=ANY, language=st.sampled_from(LANGUAGES))
def test_no_text_of_a_page_or_question_breaks_the_search(
    site, title, body, asked, language
):
    save("a", title, body, language=language)
    for text in (asked, title, body):
        assert ask(text).failure is None


@many_cases
@given(written=WRITTEN)
def test_each_word_of_a_title_finds_its_page(site, written):
    language, title = written
    save("a", title, language=language)
    for word in title.split():
        if analyze(word, language):
            assert ask(word).items, (word, title)


@pytest.mark.parametrize(
    ("language", "text", "asked"),
    [
        pytest.param("en", "Rules for C++.", "C++", id="c-plus-plus"),
        pytest.param("en", "Rules for C#.", "C#", id="c-sharp"),
        pytest.param("en", "Install .NET first.", ".NET", id="dot-net"),
        pytest.param("en", "Install Node.js first.", "node.js", id="node"),
        pytest.param("en", "Prime the HX-42.", "HX-42", id="model-number"),
        pytest.param("en", "Since 3.2.1 it floats.", "3.2.1", id="version-number"),
        pytest.param("de", "Das Hafenbecken ist leer.", "Hafenbecken", id="compound"),
        pytest.param("de", "Die U-Bahn fährt.", "U-Bahn", id="hyphenated"),
        pytest.param("tr", "Iğdır kayısısı", "ığdır", id="dotless-i"),
        pytest.param("ar", "الكِتَاب هنا", "كتاب", id="vowel-points"),
        pytest.param("zh", "图书馆开放时间", "图书馆", id="chinese"),
        pytest.param("ja", "水族館は九時に開きます", "水族館", id="japanese"),
        pytest.param("ko", "도서관은 열려 있습니다", "도서관", id="korean"),
    ],
)
def test_a_name_is_found_as_it_is_typed(site, language, text, asked):
    save("a", "Harbour", text, language=language)
    save("b", "Garden", "Nothing of it.", language=language)
    assert ask(asked).names == ["Harbour"]
