"""The trials that touch a CMS: what they ask, and what its pages are for them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from nlweb_ask.models import Passage
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
PARKING, PARKING_IN_FRENCH = "Parking for visitors", "Parking des visiteurs"

WORDS_OF_O40 = pytest.mark.parametrize(
    ("number", "kept"),
    [(0, True), (1, True), (2, False)],
    ids=["prose", "code", "import"],
)
QUESTIONS_OF_O41 = pytest.mark.parametrize(
    ("number", "page"), [(0, "a"), (1, "a"), (2, "a"), (3, "b")]
)
QUESTIONS_OF_O47 = pytest.mark.parametrize("number", [0, 1])


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


def assert_dates_keep_their_day_and_their_zone() -> None:
    found = {item["name"]: item for item in results("O39", 0)}
    assert found["Date only"]["datePublished"] == "2024-03-31"
    assert datetime.fromisoformat(found["Aware time"]["datePublished"]) == AWARE
    assert "datePublished" not in found["No date"]


def assert_guide_is_kept_to_the_sign() -> None:
    text = "\n".join(Passage.objects.values_list("text", flat=True))
    for kept in (SAMPLE, "quay:v{TAG}", "<TOKEN>"):
        assert kept in text
    assert not Passage.objects.filter(heading="Mooring").exists()
    assert "print.css" not in text


def assert_untidy_page_is_found(number: int, page: str) -> None:
    [found] = results("O41", number)
    assert found["name"] == {"a": TITLE, "b": "b"}[page]
    if page == "a":
        assert found["abstract"] == DESCRIPTION


def assert_language_asked_for_is_answered(number: int) -> None:
    """Check it with German for French, in which no visitor reads these sites."""
    expected = [{PARKING_IN_FRENCH}, {PARKING}]
    assert names("O47", number, fr="de") == expected[number]
