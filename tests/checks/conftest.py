"""Run this package's checks and look at the messages of one id."""

from __future__ import annotations

import pytest
from django.core.checks import run_checks


@pytest.fixture
def reported():
    """Return what is reported under one id; the options are those of `run_checks`."""

    def run(check_id, **options):
        # Django 6.1 asks every database where none is named.
        options = {"databases": [], **options}
        messages = run_checks(tags=["nlweb_ask"], **options)
        return [
            message for message in messages if message.id == f"nlweb_ask.{check_id}"
        ]

    return run


@pytest.fixture
def registered():
    """Register plug-ins for one test."""
    added = []

    def register(registry, plugin):
        registry.register(plugin)
        added.append((registry, plugin.name))
        return plugin

    yield register
    for registry, name in added:
        registry.unregister(name)
