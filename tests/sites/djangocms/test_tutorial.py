"""The tutorial leads from nothing to an answer."""

from __future__ import annotations

from tests.sites.steps import Reader

REGISTERED = "from nlweb_ask.plugins import sources; print(sources.classes())"


def test_the_tutorial_ends_with_an_answer_and_a_source_of_ones_own(tmp_path):
    reader = Reader(tmp_path)
    said = reader.follow("tutorial-djangocms.md")
    assert "Opening hours" in said[-1]
    assert "https://example.com/en/opening-hours/" in said[-1]
    assert "OurPages" in reader.run("python", "manage.py", "shell", "-c", REGISTERED)
