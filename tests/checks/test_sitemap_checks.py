"""E012 and W023: where a sitemap is, what is fetched, and a rule that nothing calls."""

from __future__ import annotations

from datetime import timedelta

import pytest

from nlweb_ask.plugins import sources
from nlweb_ask.sources import ModelSource, SitemapSource, Source

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
    "hosts",
    [["https://docs.example.org"], ["docs.example.org/"], ["a b"], ["u@a.org"], [7]],
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


@pytest.mark.parametrize(
    ("attribute", "written", "hint"),
    [
        ("hosts", "docs.example.org", 'hosts = ["docs.example.org"]'),
        ("private_networks", "10.0.0.0/8", 'private_networks = ["10.0.0.0/8"]'),
        ("excluded", "/blog/*", 'excluded = ["/blog/*"]'),
        ("excluded", None, 'excluded = ["/blog/*"]'),
        ("sites", 3, "sites = [1]"),
        ("recheck_after", 60, "recheck_after = timedelta(hours=1)"),
        ("shown_for", 60, "shown_for = timedelta(days=1)"),
        ("shown_for", None, "shown_for = timedelta(days=1)"),
    ],
)
def test_a_value_of_another_kind_is_reported_once(
    reported, pages, attribute, written, hint
):
    pages(**{attribute: written})
    [message] = reported("E012")
    assert message.msg.startswith(f"{attribute} of the source 'some' is {written!r}")
    assert message.hint == hint


def test_a_rule_that_a_sitemap_does_not_ask_is_reported(reported, pages):
    pages(visible_to=lambda self, viewer, queryset: queryset.none())
    [message] = reported("W023")
    assert "is never called" in message.msg
    assert "visible_ids" in message.hint


def test_a_rule_that_a_plain_source_does_not_ask_is_reported(reported, registered):
    rule = {"visible_to": lambda self, viewer, queryset: queryset}
    registered(sources, type("Plain", (Source,), {"name": "p", "public": True, **rule}))
    assert len(reported("W023")) == 1


def test_a_rule_of_a_model_source_is_not_reported(reported, pages, registered):
    pages()
    rule = {"visible_to": lambda self, viewer, queryset: queryset}
    registered(sources, type("Model", (ModelSource,), {"name": "m", **rule}))
    assert reported("W023") == []


def test_a_rule_that_a_source_asks_itself_is_not_reported(reported, registered):
    """As the source of django CMS does; a subclass writes a rule of its own."""

    class Asking(Source):
        name = "asking"

        def visible_to(self, viewer, object_ids):
            return set(object_ids)

        def visible_ids(self, viewer, object_ids):
            return self.visible_to(viewer, object_ids)

    class Narrower(Asking):
        name = "narrower"

        def visible_to(self, viewer, object_ids):
            return set()

    registered(sources, Asking)
    registered(sources, Narrower)
    assert reported("W023") == []
