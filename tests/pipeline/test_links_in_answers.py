"""Only addresses of the results become links, whoever shows the answer."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.pipeline.links import unlinked
from nlweb_ask.plugins import Citation, Sentence

KNOWN = {
    "https://shop.example/returns/",
    "https://shop.example/a_(b)",
    "https://shop.example/all/#one",  # the page of a part
}
LINK = re.compile(r"(?<!\\)\]\s?\((?:[^)]*)\)|\]:|(?:[a-z]+:)?//[^\s]", re.IGNORECASE)


def text_of(text, before=""):
    return unlinked(Sentence(text=text), KNOWN, before).text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See [Returns](https://shop.example/returns/).", None),
        ("See [a](https://shop.example/a_(b) 'title').", None),
        ("See https://shop.example/returns/#how, please.", None),
        ("[a](https://shop.example/returns/)[b](https://shop.example/returns/)", None),
        ("See https://shop.example/all/#one.", None),
        ("See https://shop.example/all/#two.", "See shop.example/all/#two."),
        ("No link, a (bracket) and [one] more.", None),
        ("The [refund form](https://shop.example/refund).", "The refund form."),
        ("The [form](/refund 'now').", "The form."),
        ("![pixel](https://evil.example/p.png)Hi", "pixelHi"),
        ("![own](https://shop.example/returns/)", "own"),
        ("[![x](//evil.example/p)](https://evil.example/)", "x"),
        ("[click](javascript:alert(1))", "click"),
        ("Go to https://evil.example/x.", "Go to evil.example/x."),
        ("Go to //evil.example/x.", "Go to evil.example/x."),
        ("<https://evil.example/x>", "<evil.example/x>"),
        ("[x][1] [1]: https://evil.example/x", "[x] [1] [1] : evil.example/x"),
        ("HTTPS://EVIL.EXAMPLE/", "EVIL.EXAMPLE/"),
        ("[a](b", "[a] (b"),
    ],
)
def test_a_link_that_leads_elsewhere_becomes_its_words(text, shown):
    assert text_of(text) == (text if shown is None else shown)


def test_a_link_is_not_made_of_two_sentences():
    assert text_of("(https://evil.example/x)", before="]") == " (evil.example/x)"
    assert text_of("(https://shop.example/returns/)", before="]") == (
        " (https://shop.example/returns/)"
    )


def test_citations_stay_with_their_words():
    text = "A [b c](https://evil.example/) and //evil.example/ then the quote."
    start = text.index("the quote")
    cited = Citation(start=start, end=start + 9, url="u", quote="q")
    inner = Citation(
        start=text.index("b c"), end=text.index("b c") + 3, url="u", quote="q"
    )
    sentence = unlinked(Sentence(text=text, citations=(cited, inner)), KNOWN, "")
    assert sentence.text == "A b c and evil.example/ then the quote."
    words = [sentence.text[c.start : c.end] for c in sentence.citations]
    assert words == ["the quote", "b c"]


signs = st.text(alphabet="[]()!<>:/#ax \"'h", max_size=40)


@given(
    st.lists(signs | st.sampled_from(["https://e.x/", "[a](//e.x)", "]("]), max_size=6)
)
def test_no_text_that_is_told_piece_by_piece_holds_a_strange_link(pieces):
    told = ""
    for piece in pieces:
        told += text_of(piece, before=told[-2:])
    assert not re.search(r"\]\(", told)
    assert not re.search(r"//[^\s/<>\"'\\]", told)


@given(signs, st.integers(0, 40), st.integers(0, 40))
def test_a_citation_never_leaves_its_sentence(text, one, other):
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    cited = Citation(start=start, end=end, url="u", quote="q")
    sentence = unlinked(Sentence(text=text, citations=(cited,)), KNOWN, "")
    [moved] = sentence.citations
    assert 0 <= moved.start <= moved.end <= len(sentence.text)


@pytest.mark.parametrize(
    "text",
    [
        "http:////evil.example/x",
        "https://e.x/(https://evil.example/)",
        "[[[[x](e)](e)](e)](javascript:alert(1))",
        "![[[[x](e)](e)](e)](https:&#47;&#47;evil.example/p.png)",
        '[`a](https://shop.example/returns/ "`](https:&#47;&#47;evil.example) ")',
    ],
)
def test_no_link_hides_in_another_one(text):
    told = text_of(text)
    assert "://evil" not in told
    assert "](" not in told
