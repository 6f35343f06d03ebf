"""What streams where neither `streaming` nor the Accept header says what is wanted."""

from __future__ import annotations

import pytest

BODIES = {
    "0.1": {"query": "tide"},
    "0.5": {"query": {"text": "tide"}, "meta": {"version": "0.5"}},
    "0.54": {"query": {"text": "tide"}, "meta": {"version": "0.54"}},
    "0.55": {"query": {"text": "tide"}, "meta": {"version": "0.55"}},
}


def streaming(ask, **headers):
    return [
        version
        for version, body in BODIES.items()
        if ask(body, **headers)["Content-Type"] == "text/event-stream"
    ]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param({}, ["0.1"], id="default"),
        pytest.param({"STREAMING_VERSIONS": []}, [], id="none"),
        pytest.param(
            {"STREAMING_VERSIONS": ["0.55", "0.5"]}, ["0.5", "0.55"], id="chosen"
        ),
    ],
)
@pytest.mark.parametrize("accept", ["*/*", "text/html"])
def test_chosen_versions_stream_to_whoever_does_not_say(
    ask, site, settings, written, expected, accept
):
    settings.NLWEB_ASK = written

    assert streaming(ask, Accept=accept) == expected


def test_what_the_caller_says_stands_over_the_habit(ask, site, settings):
    settings.NLWEB_ASK = {"STREAMING_VERSIONS": ["0.55"]}

    assert streaming(ask, Accept="application/json") == []
    assert streaming(ask, Accept="text/event-stream") == list(BODIES)
