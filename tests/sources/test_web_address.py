"""Addresses of web pages, in one form."""

from __future__ import annotations

import pytest

from nlweb_ask.sources.web_address import NoWebAddress, web_address


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("https://Example.ORG", "https://example.org/"),
        ("https://example.org:443/a?b=c#d", "https://example.org/a?b=c"),
        ("http://example.org:8000/a", "http://example.org:8000/a"),
        ("https://example.org/caf\u00e9", "https://example.org/caf%C3%A9"),
        ("https://b\u00fccher.example/", "https://xn--bcher-kva.example/"),
    ],
)
def test_an_address_has_one_form(written, read):
    assert str(web_address(written)) == read


@pytest.mark.parametrize(
    "written",
    [
        "",
        "/a",
        "//example.org/a",
        "ftp://example.org/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https:///a",
        "https://user@example.org/",
        "https://user:word@example.org/",
        "https://example.org\\@other.example/",
        "https://exa mple.org/",
        "https://example.org/a\r\nHost: other",
        "https://example.org:port/",
        "https://[::1]/",
        "https://[",
        "https://" + "a" * 70 + ".example/",
    ],
)
def test_what_is_no_address_of_a_page_is_refused(written):
    with pytest.raises(NoWebAddress):
        web_address(written)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://example.org/a", "https://example.org/a/", True),
        ("http://example.org/a", "https://example.org/a", True),
        ("https://example.org", "https://example.org/", True),
        ("https://example.org/a", "https://example.org/b", False),
        ("https://example.org/a", "https://example.org/a?b", False),
        ("https://example.org/a", "https://www.example.org/a", False),
        ("https://example.org/a", "https://example.org:8000/a", False),
    ],
)
def test_addresses_of_one_page(one, other, same):
    assert web_address(one).is_page(web_address(other)) is same


def test_links_are_joined_to_their_page():
    page = web_address("https://example.org/a/b")

    assert str(page.join(" c ")) == "https://example.org/a/c"
    assert str(page.join("//other.example/")) == "https://other.example/"
    with pytest.raises(NoWebAddress):
        page.join("mailto:someone")
    with pytest.raises(NoWebAddress):
        page.join("http://[")
