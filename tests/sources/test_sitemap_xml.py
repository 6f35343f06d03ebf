"""Reading sitemaps, honest ones and others."""

from __future__ import annotations

import pytest

from nlweb_ask.sources.sitemap_xml import (
    Listed,
    UnreadableSitemap,
    read_sitemap,
)
from tests.web_server import urlset

BOMB = """<?xml version="1.0"?>
<!DOCTYPE urlset [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">]>
<urlset><url><loc>&c;</loc></url></urlset>"""
OUTSIDE = """<!DOCTYPE urlset [<!ENTITY f SYSTEM "file:///etc/passwd">]>
<urlset><url><loc>&f;</loc></url></urlset>"""


def test_pages_are_read_in_their_order_with_their_dates():
    found = read_sitemap(
        urlset(
            "<url><loc> https://a.example/1 </loc><lastmod>2026-01-02</lastmod></url>"
            "<url><loc>https://a.example/2?x=1&amp;y=2</loc></url>"
        ).encode()
    )
    assert found.pages == [
        Listed("https://a.example/1", "2026-01-02"),
        Listed("https://a.example/2?x=1&y=2"),
    ]


def test_sitemaps_of_an_index_are_read():
    found = read_sitemap(
        b"<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap>"
        b"<url><loc>https://a.example/page</loc></url></sitemapindex>"
    )
    assert [listed.url for listed in found.sitemaps] == ["https://a.example/1.xml"]


def test_addresses_of_pictures_in_an_entry_are_not_those_of_pages():
    entry = (
        '<url><i:image xmlns:i="i"><i:loc>https://a.example/p.png</i:loc></i:image>'
        "<loc>https://a.example/1</loc></url>"
    )
    assert read_sitemap(urlset(entry).encode()).pages == [Listed("https://a.example/1")]


def test_an_entry_without_an_address_or_with_an_endless_one_is_left_out():
    endless = f"<url><loc>https://a.example/{'x' * 3_000}</loc></url>"
    assert read_sitemap(urlset("<url></url>" + endless).encode()).pages == []


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(BOMB, id="entities-of-its-own"),
        pytest.param(OUTSIDE, id="an-entity-from-a-file"),
        pytest.param("<!DOCTYPE urlset SYSTEM 'http://x/'><urlset/>", id="outside-dtd"),
        pytest.param("<urlset><url>", id="breaks-off"),
        pytest.param("", id="empty"),
        pytest.param("https://a.example/1", id="plain-list"),
        pytest.param("<html><body>404</body></html>", id="a-page"),
        pytest.param("<urlset>" + "<a>" * 999 + "</a>" * 999 + "</urlset>", id="deep"),
        pytest.param(
            urlset("<url><loc>https://a.example/</loc></url>" * 50_001), id="endless"
        ),
    ],
)
def test_what_is_no_sitemap_or_made_to_do_harm_is_refused(written):
    with pytest.raises(UnreadableSitemap):
        read_sitemap(written.encode())
