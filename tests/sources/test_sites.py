from __future__ import annotations

import pytest

from nlweb_ask.conf.sites import without_port
from nlweb_ask.sources.sites import default_site_id, site_id_for_host
from tests.several_sites import sites_installed


def test_without_the_sites_framework_there_is_one_site(django_assert_num_queries, db):
    with django_assert_num_queries(0):
        assert default_site_id() == 0
        assert site_id_for_host("anything.example") == 0


@pytest.mark.parametrize(
    ("host", "bare"),
    [
        ("site.example", "site.example"),
        ("site.example:8000", "site.example"),
        ("site.example.", "site.example"),
        ("site.example.:443", "site.example"),
        ("[::1]:8000", "[::1]"),
        ("[::1]", "[::1]"),
    ],
)
def test_a_host_is_compared_without_its_port(host, bare):
    assert without_port(host) == bare


@pytest.fixture
def several_sites(db):
    """Three sites, and the framework installed while a test runs."""
    with sites_installed():
        yield from three_sites()


def three_sites():
    from django.contrib.sites.models import Site
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE django_site "
            "(id integer PRIMARY KEY, domain varchar(100), name varchar(50))"
        )
    Site.objects.bulk_create(
        [
            Site(pk=2, domain="Mill.example", name="m"),
            Site(pk=5, domain="mill.example:8000", name="dev"),
            Site(pk=7, domain="quay.example", name="q"),
        ]
    )
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE django_site")


@pytest.mark.parametrize(
    ("host", "site_id"),
    [
        pytest.param("mill.example", 2, id="case-does-not-count"),
        pytest.param("mill.example:8000", 5, id="a-domain-with-this-port-goes-first"),
        pytest.param("quay.example:8000", 7, id="the-port-does-not-count-otherwise"),
        pytest.param("evil.example", None, id="an-unknown-host-has-no-site"),
        pytest.param("", None, id="no-host-has-no-site"),
    ],
)
def test_a_host_leads_to_its_site(host, site_id, several_sites):
    assert site_id_for_host(host) == site_id


@pytest.mark.servers
def test_a_renamed_domain_counts_at_once(several_sites):
    from django.contrib.sites.models import Site

    assert site_id_for_host("quay.example") == 7
    Site.objects.filter(pk=7).update(domain="harbour.example")
    assert site_id_for_host("quay.example") is None
    assert site_id_for_host("harbour.example") == 7


def test_documents_belong_to_the_first_site_by_default(several_sites):
    assert default_site_id() == 2


def test_site_id_in_the_settings_answers_for_every_host(several_sites, settings):
    settings.SITE_ID = 7
    assert default_site_id() == 7
    assert site_id_for_host("mill.example") == 7
