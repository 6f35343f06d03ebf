"""The trials that touch a CMS: what they ask, and what its pages are for them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.test import Client

from tests.trials.conftest import case

AWARE = datetime(2024, 3, 30, 23, 30, tzinfo=UTC)  # as O39 has it
# The page of O40 and those of O41, as an editor's rich text makes them.
GUIDE = (
    "<script>import './print.css';</script>"
    "<p>Use the image <code>quay:v{TAG}</code> and <code>&lt;TOKEN&gt;</code>.</p>"
    "<p>Use a <b>soft brush</b>.</p>"
    "<pre><code># Mooring\nimport quay\nexport = quay.load()</code></pre>"
)
SAMPLE = "# Mooring\nimport quay\nexport = quay.load()"
BOATS = (
    "<p>Berths are numbered.</p><hr><p>Second part about ropes: wet ones.</p><hr>"
    "<p>Third part about knots.</p>"
)
ANCHORS = "<p>No front matter here.</p><hr><p>Just a rule about anchors.</p>"
TITLE, DESCRIPTION = "ADR 7: Where boats sleep", "Update #2 (new berths)"


def results(trial: str, number: int, **instead: str) -> list[dict[str, Any]]:
    """Send an action of a trial; `instead` has words that stand for others in it."""
    action = case(trial)["action"][number]
    body = action["body"]
    for old, new in instead.items():
        body = body.replace(f'"{old}"', f'"{new}"')
    answer = Client(HTTP_HOST="localhost").post(
        action["path"], body, content_type="application/json"
    )
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])


def names(trial: str, number: int, **instead: str) -> set[str]:
    return {found["name"] for found in results(trial, number, **instead)}
