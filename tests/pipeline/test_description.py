"""What stands below a result's name."""

from __future__ import annotations

import pytest

from tests.factories import SiteSettingsFactory
from tests.testapp.models import Article


@pytest.fixture
def description_for(db, client):
    SiteSettingsFactory()

    def ask(question: str) -> str:
        body = {"query": {"text": question}, "prefer": {"streaming": False}}
        response = client.post("/ask", body, content_type="application/json")
        [found] = response.json()["results"]
        return found["description"]

    return ask


def test_the_passage_that_was_found_describes_the_page(description_for):
    Article.objects.create(title="Tools", body="<h2>Pots</h2><p>A copper kettle.</p>")
    assert description_for("kettle") == "A copper kettle."


def test_the_pages_own_words_stand_in_for_a_heading_without_text(description_for):
    Article.objects.create(
        title="Tools", lead="All we lend.", body="<h2>Kettles</h2><h2>Pots</h2>"
    )
    assert description_for("kettle") == "All we lend."
