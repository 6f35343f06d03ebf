"""The cases about written answers and conversations that need no language model."""

from __future__ import annotations

import pytest

from nlweb_ask.index.refresh import sweep
from nlweb_ask.plugins import Sentence, generators
from tests.trials.conftest import case
from tests.trials.trial_site import TrialSite, page_of

pytestmark = pytest.mark.servers


class Says:
    """Stands for a model that answers as the case says."""

    name = "says"
    text = ""

    def generate(self, question, results, deadline):
        yield Sentence(text=self.text)


@pytest.fixture
def offered(trial_site):
    def offer(trial):
        items = case(trial)["setup"]["items"]
        TrialSite.pages = {item["url"]: page_of(item) for item in items}
        sweep(TrialSite.name)

    return offer


def test_o34_links_outside_the_retrieved_pages_are_not_links(offered, asking, settings):
    offered("O34")
    Says.text = case("O34")["setup"]["llm"].removeprefix("stub that answers: ")
    generators.register(Says)
    try:
        settings.NLWEB_ASK = settings.NLWEB_ASK | {"GENERATORS": ["says"]}
        answer = asking(case("O34")["action"][0]).json()
    finally:
        generators.unregister("says")
    text = answer["content"][0]["text"]
    assert "[Returns](https://shop.example/returns/)" in text
    assert "refund form" in text
    assert "refund-form" not in text
    assert [found["url"] for found in answer["results"]] == [
        "https://shop.example/returns/"
    ]


def test_o46_a_short_reply_is_understood_and_a_new_question_is_left_alone(
    offered, asking, settings
):
    settings.NLWEB_ASK = settings.NLWEB_ASK | {"PROCESSORS": ["follow_up"]}
    offered("O46")
    short, alone = (asking(action).json() for action in case("O46")["action"])
    assert short["results"][0]["url"].endswith("/c/de-b1/")
    assert "German" in short["_meta"]["decontextualized_query"]
    assert alone["results"][0]["url"].endswith("/library/")
    assert "decontextualized_query" not in alone["_meta"]
