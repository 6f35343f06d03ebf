from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from nlweb_ask.sources.anchors import slug, unique_anchors
from nlweb_ask.sources.html import (
    decode_entities,
    html_sections,
    html_text,
    looks_like_html,
)
from nlweb_ask.sources.html_cost import UnreadableHtml, refuse_costly


@pytest.mark.parametrize(
    ("html", "text"),
    [
        pytest.param(
            "Kinderg&auml;rten &amp; Horte", "Kindergärten & Horte", id="entities"
        ),
        pytest.param("&amp;lt;b&amp;gt;", "&lt;b&gt;", id="entities-are-decoded-once"),
        pytest.param("<p>a</p><p>b</p>", "a\nb", id="blocks-have-lines-of-their-own"),
        pytest.param("<div>a<div>b</div>c</div>", "a\nb\nc", id="nested-blocks"),
        pytest.param("H<sub>2</sub>O is <b>wet</b>.", "H2O is wet.", id="inline"),
        pytest.param("a<br>b", "a\nb", id="line-break"),
        pytest.param("soft&shy;ware fire<wbr>wall", "software firewall", id="hints"),
        pytest.param("  a \n\t b&nbsp;c ", "a b c", id="spaces-are-one"),
        pytest.param("a <b> b </b> c", "a b c", id="spaces-across-elements-are-one"),
        pytest.param("<my-card>a</my-card><my-card>b</my-card>", "a\nb", id="custom"),
        pytest.param(
            "<pre>\ndef f():\n    return 1\n</pre>x",
            "def f():\n    return 1\nx",
            id="pre-is-kept-whole",
        ),
        pytest.param(
            "<pre><span>a  =</span>\n  <b>1</b></pre>", "a  =\n  1", id="marked-up-pre"
        ),
        pytest.param(
            "<table><tr><th>Name<th>Price<tr><td>Oar<td>12<tr><td><td>3</table>",
            "Name | Price\nOar | 12\n3",
            id="table",
        ),
        pytest.param(
            "<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table>",
            "a\nb | c",
            id="blocks-in-cells",
        ),
        pytest.param("<ul><li>a<li>b</ul>", "a\nb", id="list"),
        pytest.param("<ruby>漢<rp>(</rp><rt>kan</rt></ruby>字", "漢字", id="ruby"),
        pytest.param("<title>t</title>a", "a", id="document-title"),
        pytest.param("a\x00b", "ab", id="nul"),
    ],
)
def test_text_reads_as_a_browser_lays_it_out(html, text):
    assert html_text(html) == text


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>x</script>",
        "<style>x</style>",
        "<template>x</template>",
        "<noscript>x</noscript>",
        "<iframe>x</iframe>",
        "<textarea>x</textarea>",
        "<!-- x -->",
        "<p hidden>x</p>",
        "<p hidden=''>x</p>",
        "<p aria-hidden=true>x</p>",
        "<p data-nlweb-ignore>x</p>",
        "<p data-nlweb-ignore><b>x</b> x</p>",
        "<dialog>x</dialog>",
        "<p style='display:none'>x</p>",
        "<p style='color: red; DISPLAY : None !important'>x</p>",
        "<p style='display:/**/none'>x</p>",
        "<p style='display:block;display:none'>x</p>",
        "<p style='visibility:hidden'>x</p>",
        "<p style='opacity: 0.0'>x</p>",
        "<p style='font-size:0px'>x</p>",
        "<p style='height:0;overflow:hidden'>x</p>",
        "<h2 hidden>x</h2>",
        "<svg><text>x</text></svg>",
        "<h2>a<a href='#y'>#</a></h2>",
    ],
)
def test_what_a_visitor_does_not_see_is_left_out(hidden):
    text = html_text(f"a{hidden}b")
    assert "x" not in text
    assert "#" not in text
    assert text[0] == "a"
    assert text[-1] == "b"


@pytest.mark.parametrize(
    "shown",
    [
        "<p aria-hidden=false>x</p>",
        "<p style='display:none;display:block'>x</p>",
        "<p style='opacity:0.5'>x</p>",
        "<p style='font-size:10px'>x</p>",
        "<p style='line-height:0'>x</p>",
        "<dialog open>x</dialog>",
        "<details><summary>x</summary></details>",
        "<nav><a href='/'>x</a></nav>",
        "<a href='#y'>x</a>",
    ],
)
def test_what_a_visitor_sees_is_kept(shown):
    assert "x" in html_text(shown)


def test_headings_begin_sections_with_their_anchors():
    sections = html_sections(
        "intro<h1 id=top>Ropes</h1>a<h2>Wet ropes</h2><p>b</p><h3>Wet ropes</h3>c"
        "<section id=knots><h2>Knots</h2>d</section><h2><a name=more></a>More</h2>"
    )
    assert [(s.heading, s.anchor, s.text) for s in sections] == [
        ("", "", "intro"),
        ("Ropes", "top", "a"),
        ("Wet ropes", "wet-ropes", "b"),
        ("Wet ropes", "wet-ropes-1", "c"),
        ("Knots", "knots", "d"),
        ("More", "more", ""),
    ]


def test_hidden_headings_leave_no_trace_in_anchors():
    shown = "<h2>Plan</h2>a<h2>Plan</h2>b"
    hidden = "<div hidden><h2>Plan</h2>x<h2 id=plan-1>Plan</h2></div>"
    assert html_sections(hidden + shown) == html_sections(shown)


def test_a_heading_without_words_is_none():
    [section] = html_sections("a<h2><img src=x></h2>b")
    assert (section.heading, section.text) == ("", "a\nb")


def test_hidden_tags_of_the_site_are_left_out():
    [section] = html_sections("a<secret>x</secret>b", hidden_tags={"secret"})
    assert section.text == "ab"


@pytest.mark.parametrize("html", ["", " ", "<p></p>", "<!-- x -->", "<nav> </nav>"])
def test_a_page_without_words_has_no_sections(html):
    assert html_sections(html) == ()


def test_deep_nesting_is_read_without_recursion():
    assert html_text("<div>" * 3000 + "deep") == "deep"


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div>" * 20_000, id="elements-left-open"),
        pytest.param(
            "".join(f"<b a{n}>" for n in range(9000)) + "<p>x" * 9000, id="formatting"
        ),
        pytest.param("<p " + " ".join(f"a{n}" for n in range(20_000)), id="attributes"),
    ],
)
def test_what_cannot_be_read_in_linear_time_is_refused(html):
    with pytest.raises(UnreadableHtml):
        html_sections(html)


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<p>x" * 50_000, id="paragraphs-left-open"),
        pytest.param("<tr><td>x" * 50_000, id="cells-left-open"),
        pytest.param("<ul><li>x</ul>" * 50_000, id="many-lists"),
        pytest.param("<br>a < b" * 50_000, id="lone-signs"),
        pytest.param("<div>" * 30 + "<p>x</p>" * 50_000, id="a-long-page"),
    ],
)
def test_a_long_page_is_not_refused(html):
    refuse_costly(html)


@given(st.text(alphabet="<>/ab&;!-\"'= \n\x00") | st.text())
def test_reading_never_raises_and_gives_unique_anchors(html):
    sections = html_sections(html)
    anchors = [section.anchor for section in sections if section.anchor]
    assert len(anchors) == len(set(anchors))
    assert "\x00" not in html_text(html)


@given(st.text(alphabet="ab &<\n", max_size=30))
def test_the_words_of_plain_text_survive_escaping(text):
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    assert html_text(f"<p>{escaped}</p>").split() == text.split()


@given(st.lists(st.tuples(st.sampled_from(["a", "A", "a-1", "", "b c"]), st.just(""))))
def test_anchors_are_stable_and_unique(pairs):
    anchors = unique_anchors(pairs)
    given_anchors = [anchor for anchor in anchors if anchor]
    assert len(given_anchors) == len(set(given_anchors))
    assert anchors == unique_anchors(pairs)
    # What follows on a page does not move the anchors before it.
    assert anchors[:3] == unique_anchors(pairs[:3])


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Where boats sleep", "where-boats-sleep"),
        ("C++ & Rust", "c--rust"),
        ("nlweb_ask.E001", "nlweb_aske001"),
        ("Öffnungszeiten", "öffnungszeiten"),
        ("नमस्ते दुनिया", "नमस्ते-दुनिया"),
        ("???", "section"),
        ("x" * 500, "x" * 200),
    ],
)
def test_slugs_are_those_of_github(heading, anchor):
    assert slug(heading) == anchor


@pytest.mark.parametrize(
    ("text", "is_html"),
    [
        ("<p>a", True),
        ("a<br/>b", True),
        ("<em>a</em>", True),
        ("a <!-- b -->", True),
        ("a < b and c > d", False),
        ("List<String>", False),
        ("R&amp;D", False),
        ("", False),
    ],
)
def test_html_is_told_from_plain_text(text, is_html):
    assert looks_like_html(text) is is_html


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("R&amp;D", "R&D"),
        ("&amp;lt;", "&lt;"),
        ("Tom & Jerry &c; &nosuch;", "Tom & Jerry &c; &nosuch;"),
        ("&#8364; &#x20AC;", "€ €"),
        ("a&copy=1", "a&copy=1"),
    ],
)
def test_entities_of_plain_text_are_decoded_once(text, decoded):
    assert decode_entities(text) == decoded


def test_the_parser_still_makes_elements_of_what_is_left_out():
    # If a new version gave these no tag, `is_hidden` would not see them.
    body = LexborHTMLParser("x<noscript>a</noscript><template>b</template>").body
    assert [node.tag for node in body.iter()] == ["noscript", "template"]
