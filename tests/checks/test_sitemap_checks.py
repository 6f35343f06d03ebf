"""E012: where a sitemap is, and from where its pages may be fetched."""

from __future__ import annotations

from datetime import timedelta

import pytest

from nlweb_ask.plugins import sources
from nlweb_ask.sources import SitemapSource

ADDRESS = "https://www.example.org/sitemap.xml"


@pytest.fixture
def pages(registered):
    def register(**attributes):
        given = {"name": "some", "sitemap": ADDRESS, **attributes}
        return registered(sources, type("Some", (SitemapSource,), given))

    return register


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"hosts": ["docs.example.org", "docs.example.org:8443", "Docs.Example.org"]},
        {"private_networks": ["127.0.0.0/8", "10.0.0.7", "fd00::/8"]},
    ],
)
def test_a_sitemap_that_can_be_read_is_not_reported(reported, pages, given):
    pages(**given)
    assert reported("E012") == reported("E003") == []


@pytest.mark.parametrize(
    "written", ["", "/sitemap.xml", "sitemap.xml", "ftp://example.org/", None]
)
def test_a_sitemap_without_an_address_is_reported(reported, pages, written):
    pages(sitemap=written)
    [message] = reported("E012")
    assert "'some'" in message.msg
    assert message.hint == 'sitemap = "https://www.example.org/sitemap.xml"'


@pytest.mark.parametrize(
    "hosts", ["https://docs.example.org", ["docs.example.org/"], ["a b"], ["u@a.org"]]
)
def test_what_is_no_host_is_reported(reported, pages, hosts):
    pages(hosts=hosts)
    [message] = reported("E012")
    assert "is no host" in message.msg


def test_what_is_no_network_is_reported(reported, pages):
    pages(private_networks=["localhost"])
    [message] = reported("E012")
    assert "'localhost'" in message.msg


def test_pages_that_would_be_gone_before_they_are_looked_at_are_reported(
    reported, pages
):
    pages(shown_for=timedelta(hours=1))
    [message] = reported("E012")
    assert "shown_for" in message.msg


def test_an_attribute_that_is_nearly_a_known_one_is_reported(reported, pages):
    pages(private_network=["127.0.0.0/8"])
    [message] = reported("W004")
    assert message.hint == 'Did you mean "private_networks"?'
