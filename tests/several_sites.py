"""A deployment of several sites, for a test: `django.contrib.sites` with its table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.contrib import admin
from django.db import connection
from django.test import modify_settings

TABLE = "CREATE TABLE django_site (id INTEGER PRIMARY KEY, domain VARCHAR(100), name VARCHAR(50))"


@contextmanager
def sites_installed() -> Iterator[None]:
    """Install the sites framework, without a table of its own."""
    with modify_settings(INSTALLED_APPS={"append": "django.contrib.sites"}):
        from django.contrib.sites.models import Site

        # Installing discovers its screen, which would stay when the app has gone.
        if admin.site.is_registered(Site):
            admin.site.unregister(Site)
        yield


@contextmanager
def several_sites(*domains: str) -> Iterator[list[int]]:
    """Install the sites framework with these domains, and give their ids.

    The table goes with the test's transaction, which MySQL and MariaDB end when they
    make a table: the test is skipped there.
    """
    if connection.vendor == "mysql":
        pytest.skip("a table cannot be made in a transaction")
    with sites_installed():
        from django.contrib.sites.models import Site

        with connection.cursor() as cursor:
            cursor.execute(TABLE)
        yield [
            Site.objects.create(pk=number, domain=domain, name=domain).pk
            for number, domain in enumerate(domains, start=1)
        ]
