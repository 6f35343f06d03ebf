from __future__ import annotations

import pytest

from nlweb_ask.web.links import safe_url


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("https://example.org/tide/?a=1#top", id="https"),
        pytest.param("http://example.org", id="http"),
        pytest.param("/tide/", id="path"),
        pytest.param("tide/?q=a:b", id="relative-path"),
        pytest.param("https://example.org/küste", id="letters-beyond-ascii"),
    ],
)
def test_address_of_a_web_page_is_linked(url):
    assert safe_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("javascript:alert(1)", id="script"),
        pytest.param("JaVaScRiPt:alert(1)", id="script-in-capitals"),
        pytest.param("java\tscript:alert(1)", id="tab-that-browsers-drop"),
        pytest.param(" javascript:alert(1)", id="space-before"),
        pytest.param("\x01javascript:alert(1)", id="control-character-before"),
        pytest.param("data:text/html,hi", id="data"),
        pytest.param("vbscript:x", id="vbscript"),
        pytest.param("//evil.example/", id="other-host-without-scheme"),
        pytest.param("/\\evil.example/", id="backslash"),
        pytest.param("https:evil.example", id="https-without-host"),
        pytest.param("http://[evil", id="junk"),
    ],
)
def test_other_address_is_not_linked(url):
    assert safe_url(url) == ""
