from __future__ import annotations

from collections import Counter

import pytest

from tests.factories import AccessGrantFactory, SiteSettingsFactory
from tests.rights.people import populate
from tests.rights.sites import bulletins_registered

RUN: pytest.StashKey[Counter[str]] = pytest.StashKey()


def pytest_configure(config):
    config.stash[RUN] = Counter()


@pytest.fixture
def tally(pytestconfig):
    """Count what a family of cases ran; the end of the run tells it."""
    return pytestconfig.stash[RUN]


def pytest_terminal_summary(terminalreporter, config):
    for family, number in sorted(config.stash[RUN].items()):
        terminalreporter.write_line(f"{family}: {number}")


@pytest.fixture
def people(db):
    """A site of bulletins that is switched on, and those who may ask it."""
    from nlweb_ask.models import AccessGrant

    if not AccessGrant.objects.exists():
        AccessGrantFactory()
    SiteSettingsFactory(max_results=100)
    with bulletins_registered():
        yield populate()
