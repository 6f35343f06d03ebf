from __future__ import annotations

import pytest

# Their assertions are those of the tests. It has to be said before they are imported.
pytest.register_assert_rewrite(
    "tests.protocol.fixture_files",
    "tests.protocol.replays",
    "tests.protocol.replays_over_http",
)

from tests.protocol.site_of_the_fixtures import site_of_the_fixtures  # noqa: E402


@pytest.fixture
def fixtures_site(settings, db):
    """The site that the fixtures are put to."""
    with site_of_the_fixtures(settings) as site:
        yield site
