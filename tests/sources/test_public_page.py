"""Which fetched pages are for everybody, and what they say."""

from __future__ import annotations

import pytest

from nlweb_ask.sources.fetching import Fetched, Refused
from nlweb_ask.sources.public_page import read_page
from nlweb_ask.sources.web_address import web_address

ADDRESS = web_address("https://a.example/scones/")


def read(html, kind="text/html; charset=utf-8", robots=(), at=ADDRESS):
    body = html if isinstance(html, bytes) else html.encode()
    return read_page(Fetched(at, kind, tuple(robots), body), ADDRESS)


def text_of(page):
    return [(section.heading, section.text) for section in page.sections]


# Whether it is for everybody


@pytest.mark.parametrize(
    "html",
    [
        '<form><input type="password"></form>',
        "<form><INPUT TYPE=' PassWord '></form>",
        '<main>Text</main><div hidden><input type="password" hidden></div>',
        '<input type="text" autocomplete="section-a current-password">',
        '<meta name="robots" content="noindex">',
        '<meta name="ROBOTS" content="follow, NOINDEX">',
        '<meta name="robots" content="none">',
        '<meta name="robots" content="nosnippet">',
        '<meta http-equiv="Refresh" content="0; URL=/login/">',
        '<link rel="canonical" href="https://a.example/buns/">',
        '<link rel="canonical" href="https://b.example/scones/">',
        '<link rel="Canonical nofollow" href="/">',
        '<link rel="canonical" href="mailto:someone">',
    ],
)
def test_a_page_that_is_not_for_everybody_or_not_itself_is_refused(html):
    with pytest.raises(Refused):
        read(html)


@pytest.mark.parametrize(
    "html",
    [
        '<form action="/search"><input type="search" name="q"></form>',
        '<meta name="robots" content="index, follow, max-image-preview:none">',
        '<meta http-equiv="refresh" content="600">',
        '<link rel="canonical" href="/scones">',
        '<link rel="canonical" href="http://a.example/scones/#top">',
        "<p>The word password and &lt;input type=password&gt;</p>",
        '<!-- <input type="password"> -->',
    ],
)
def test_a_page_for_everybody_is_read(html):
    assert read(html)


@pytest.mark.parametrize("rule", ["noindex", "NONE", "otherbot: noindex, nofollow"])
def test_a_header_for_robots_counts_like_the_page(rule):
    with pytest.raises(Refused, match="search engines"):
        read("<p>x", robots=[rule])


def test_a_header_that_only_limits_pictures_keeps_nobody_away():
    assert read("<p>x", robots=["max-image-preview: none", "noarchive"])


@pytest.mark.parametrize("kind", ["", "text/plain", "application/pdf", "text/html2"])
def test_what_is_no_html_is_refused(kind):
    with pytest.raises(Refused, match="not text/html"):
        read("<p>x", kind)


@pytest.mark.parametrize("target", ["/login/?next=/scones/", "/", "/buns/"])
def test_a_page_that_was_led_to_another_one_is_refused(target):
    with pytest.raises(Refused, match="redirects"):
        read("<p>x", at=web_address(f"https://a.example{target}"))


def test_a_slash_at_the_end_makes_no_other_page():
    assert read("<p>x", at=web_address("https://a.example/scones"))


def test_html_that_would_take_long_to_read_is_refused():
    with pytest.raises(Refused):
        read("<div>" * 20_000 + "<p>x</p>" * 20_000)


# What it says


def test_the_words_of_the_page_are_cut_at_its_headings():
    page = read(
        "<html lang='en-GB'><head><title>Scones | A</title>"
        "<meta name='description' content=' Warm  ones. '></head><body>"
        "<header><h1>The A site</h1></header><nav>Menu</nav>"
        "<main><h1>Scones</h1><p>Rub in.</p><h2>Oven</h2><p>Hot.</p>"
        "<form>Comment</form><aside>Also read</aside></main>"
        "<footer>Imprint</footer></body></html>"
    )
    assert (page.name, page.description, page.language) == (
        "Scones",
        "Warm ones.",
        "en-gb",
    )
    assert text_of(page) == [("", "Rub in."), ("Oven", "Hot.")]


def test_without_a_main_part_what_stands_around_is_left_out():
    page = read("<header>Logo</header><nav>Menu</nav><p>Text</p><footer>Foot</footer>")

    assert text_of(page) == [("", "Text")]


def test_a_page_without_a_heading_is_named_by_its_title():
    assert read("<title>Scones</title><p>x").name == "Scones"
    assert read('<meta property="og:title" content="Buns"><title>A</title>').name == (
        "Buns"
    )
    assert read("<p>x").name == "/scones/"


def test_an_ill_formed_language_is_none():
    assert read("<html lang='x y'><p>x").language == ""
    assert read("<html lang='en-aaaaaaaa-bbbbbbbb'><p>x").language == ""


def test_what_the_page_says_of_itself_is_kept():
    block = '{"@context": "https://schema.org", "@type": "Recipe", "url": "/scones/"}'
    page = read(f'<script type="application/ld+json">{block}</script><p>x')

    assert page.said["@type"] == "Recipe"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("<p>caf\u00e9".encode(), "text/html"),
        (b"\xef\xbb\xbf<p>caf\xc3\xa9", "text/html"),
        ("<p>caf\u00e9".encode("latin-1"), "text/html; charset=ISO-8859-1"),
        (b"<meta charset='windows-1252'><p>caf\xe9", "text/html"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=latin9'>", ""),
    ],
)
def test_a_page_is_decoded_as_it_says(body, kind):
    if not kind:
        with pytest.raises(Refused, match="encoded"):
            read(body, "text/html")
    else:
        assert text_of(read(body, kind)) == [("", "caf\u00e9")]


@pytest.mark.parametrize("charset", ["utf-7", "idna", "zlib", "unicode_escape", "x"])
def test_an_encoding_that_browsers_do_not_know_is_refused(charset):
    with pytest.raises(Refused, match="encoded"):
        read("<p>x", f"text/html; charset={charset}")
