"""The fixtures of the protocol, sent to a real site as their clients send them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.protocol.fixture_files import INDEX
from tests.protocol.replays import WITHOUT_HTTP
from tests.protocol.replays_over_http import (
    ANSWERED,
    OVER_HTTP,
    PREFLIGHT,
    REFUSED_AT_THE_ENDPOINT,
)

THREADED = pytest.mark.django_db(transaction=True)


def is_threaded(entry):
    read = entry["expect"].get("read", {"mode": "list"})
    return read["mode"] != "list"


def fixtures_of(replay):
    named = [
        pytest.param(
            e, id=Path(e["file"]).stem, marks=[THREADED] if is_threaded(e) else []
        )
        for e in replay.entries
    ]
    return pytest.mark.parametrize("entry", named)


@fixtures_of(ANSWERED)
def test_request_is_answered_in_its_dialect(entry, fixtures_site):
    ANSWERED.run(entry, fixtures_site)


@fixtures_of(REFUSED_AT_THE_ENDPOINT)
def test_bad_request_is_refused_in_its_dialect(entry, fixtures_site):
    REFUSED_AT_THE_ENDPOINT.run(entry, fixtures_site)


@fixtures_of(PREFLIGHT)
def test_preflight_is_granted_where_pages_of_other_sites_may_ask(entry, fixtures_site):
    PREFLIGHT.run(entry, fixtures_site)


def test_no_fixture_is_left_unreplayed():
    replays = {
        "requests": OVER_HTTP,
        "bad": OVER_HTTP,
        "responses": WITHOUT_HTTP,
        "sse": WITHOUT_HTTP,
    }
    listed = {entry["file"] for entry in INDEX if "needs" not in entry}

    replayed = {
        entry["file"]
        for folder, ways in replays.items()
        for way in ways
        for entry in way.entries
        if entry["file"].startswith(f"{folder}/")
    }

    assert listed - replayed == set()
