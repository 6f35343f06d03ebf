"""The cases about language models, with a provider on a socket that does as they say."""

from __future__ import annotations

import json
import logging
import re
from datetime import timedelta

import pytest
import time_machine
from django.apps import apps
from django.utils import timezone

from nlweb_ask.index.refresh import sweep
from nlweb_ask.models import AccessGrant, Grantee, SiteSettings
from tests.model_server import KEY
from tests.trials.conftest import case
from tests.trials.trial_site import TrialSite, page_of

# Threads of the pool read what is written here.
pytestmark = pytest.mark.django_db(transaction=True)

# A page without words is shown to no model: there would be nothing to quote.
WORDS = "The tide table tells high water for monday to saturday."


@pytest.fixture
def site_of(trial_site, settings, model_server):
    """Index the pages of a case, on a site that has a model write."""
    AccessGrant.objects.get_or_create(profile=None, kind=Grantee.EVERYONE)
    settings.NLWEB_ASK = {
        "MODELS": model_server.models(timeout=60),
        "GENERATORS": ["ai", "extractive"],
    }

    def index(trial):
        items = case(trial)["setup"]["items"]
        TrialSite.pages = {i["url"]: page_of({"text": WORDS} | i) for i in items}
        sweep(TrialSite.name)

    return index


def body_of(response):
    streamed = response.streaming
    return b"".join(response.streaming_content) if streamed else response.content


def addresses(answer):
    return [found["url"] for found in answer["results"]]


def text_of(answer):
    return "".join(part["text"] for part in answer.get("content", []))


def stored():
    """Return all that the tables of the app hold."""
    models = apps.get_app_config("nlweb_ask").get_models()
    return repr([list(model._default_manager.values()) for model in models])


def test_o33_without_the_model_there_is_still_an_answer_and_no_secret(
    site_of, asking, model_server, caplog
):
    caplog.set_level(logging.DEBUG)
    site_of("O33")
    model_server.behaves("401")
    whole, streamed = (asking(action) for action in case("O33")["action"])
    bodies = [body_of(whole), body_of(streamed)]
    assert model_server.calls == 2
    answer = json.loads(bodies[0])
    assert [url.endswith("/tide/") for url in addresses(answer)] == [True]
    assert answer["_meta"]["notice"]["code"] == "MODEL_UNAVAILABLE"
    assert answer["_meta"]["completeness"] == "reduced"
    assert answer["_meta"]["generator"] == "extractive"
    assert streamed.status_code == 200
    assert b"event: result" in bodies[1]
    assert b'"code":"MODEL_UNAVAILABLE"' in bodies[1]
    assert b"event: failure" not in bodies[1]
    for secret in (KEY, "provider.example"):
        assert secret.encode() not in b"".join(bodies)
        assert secret not in caplog.text
        assert secret not in stored()


def test_o34_of_what_a_model_writes_only_links_to_results_stay(
    site_of, asking, model_server
):
    site_of("O34")
    said = case("O34")["setup"]["llm"].removeprefix("stub that answers: ")
    model_server.answers(json.dumps({"text": said, "quotes": []}))
    answer = asking(case("O34")["action"][0]).json()
    assert answer["_meta"]["generator"] == "ai"
    text = text_of(answer)
    assert "[Returns](https://shop.example/returns/)" in text
    assert "refund form" in text
    assert "refund-form" not in text
    assert addresses(answer) == ["https://shop.example/returns/"]


@pytest.mark.parametrize("form", ["as-it-is", "as-a-line"])
def test_o35_a_page_cannot_talk_to_the_model_as_the_site(
    site_of, asking, model_server, settings, form
):
    site_of("O35")
    said = "See https://evil.example/x and /walks/."
    line = json.dumps({"text": said, "quotes": [{"id": 1, "quote": said}]})
    model_server.answers(line if form == "as-a-line" else said)
    [action] = case("O35")["action"]
    answer = asking(action).json()
    [request] = model_server.requests
    pages = re.findall(r"<passage-(\w+) id=", request.user)
    assert len(pages) == len(answer["results"]) == 2
    assert re.findall(r"</passage-(\w+)>", request.user) == pages
    assert "</page>" not in request.user
    assert "//evil.example" not in text_of(answer)
    own = ("/wiki/user/", "/walks/")
    assert all(url.endswith(own) for url in addresses(answer))
    settings.NLWEB_ASK = {}
    assert asking(action).json()["results"] == answer["results"]
    _write_without_the_order()
    plain = asking(action).json()["results"]
    # The page itself is shorter without it, and so scored a little better.
    assert [found["url"] for found in plain] == addresses(answer)
    assert plain[0]["score"] == answer["results"][0]["score"] == 100


def _write_without_the_order():
    page = case("O35")["setup"]["items"][0]
    honest = page["text"].partition(" </page>")[0]
    TrialSite.pages[page["url"]] = page_of({**page, "text": honest})
    sweep(TrialSite.name)


def test_o45_when_the_budget_of_a_day_is_spent_answers_go_on(
    site_of, asking, model_server
):
    site_of("O45")
    SiteSettings.objects.update(
        model_calls_per_day=5, model_hour_share=100, model_visitor_share=100
    )
    quote = json.dumps({"text": WORDS, "quotes": [{"id": 1, "quote": WORDS}]})
    model_server.answers(quote)
    days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    SiteSettings.objects.update(model_member_reserve=0)
    *first, sixth = [asking(_summary(day)).json() for day in days]
    assert model_server.calls == 5
    for answer in first:
        assert answer["_meta"]["generator"] == "ai"
        assert "notice" not in answer["_meta"]
    assert [url.endswith("/tide/") for url in addresses(sixth)] == [True]
    assert sixth["_meta"]["notice"]["code"] == "BUDGET"
    assert sixth["_meta"]["generator"] == "extractive"
    with time_machine.travel(timezone.now() + timedelta(days=1)):
        later = asking(_summary("monday")).json()
    assert model_server.calls == 6
    assert later["_meta"]["summary"] == WORDS
    assert "notice" not in later["_meta"]


def _summary(day):
    body = {
        "query": {"text": f"tide table {day}"},
        "prefer": {"mode": "summarize", "streaming": False},
    }
    return {
        "method": "POST",
        "path": "/ask",
        "body": json.dumps(body),
        "as": "anonymous",
    }
