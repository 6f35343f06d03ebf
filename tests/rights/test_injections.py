"""Pages that give orders to language models, before a model that follows all of them."""

from __future__ import annotations

import os
import re
import threading
import time
from dataclasses import dataclass

import pytest
from django.test import Client

from nlweb_ask.ai import gateway
from nlweb_ask.ai.providers import language_model
from nlweb_ask.plugins import Deadline, Prompt
from tests.factories import AccessGrantFactory, SiteSettingsFactory, UserFactory
from tests.model_server import KEY
from tests.rights.injections import FAMILIES, WORDINGS, attacks, obedient
from tests.rights.strangers import (
    from_document,
    from_stream,
    live_parts,
    strange_links,
    strange_quotes,
    unproved,
)
from tests.site_in_memory import SiteInMemory, save

# Threads of the pool read what is written here.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.first_leg]

ALL = attacks()
COUNT = int(os.environ.get("PROVE_INJECTIONS", "31"))
ADDRESS = "https://site.example"
MODES = ("list", "summarize", "generate")
TRANSPORTS = {
    "document": ("application/json", from_document),
    "stream": ("text/event-stream", from_stream),
}
CANARIES = {"members": "zanzibarnut", "staff": "quetzalpost"}


@dataclass
class Site:
    server: object
    planted: list
    texts: dict  # by address

    def asked(self, attack, mode, transport, client):
        accept, read = TRANSPORTS[transport]
        body = {
            "query": {"text": f"How long is the walk to {attack.probe}?"},
            "prefer": {"mode": mode, "streaming": transport == "stream"},
        }
        response = client.post(
            "/ask", body, content_type="application/json", headers={"Accept": accept}
        )
        assert response.status_code == 200
        streamed = transport == "stream"
        sent = b"".join(response.streaming_content) if streamed else response.content
        return sent, read(sent)


@pytest.fixture
def attacked(site, settings, model_server):
    AccessGrantFactory()
    SiteSettingsFactory(
        base_url=ADDRESS,
        default_mode="generate",
        model_calls_per_day=100_000,
        model_calls_per_month=100_000,
        model_hour_share=100,
        model_visitor_share=100,
        model_member_reserve=0,
    )
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": []}]
    settings.NLWEB_ASK = {
        "MODELS": model_server.models(timeout=60),
        "PROCESSORS": [],
        "GENERATORS": ["ai", "extractive"],
    }
    planted = ALL[:COUNT]
    probes = " ".join(each.probe for each in planted)
    for each in planted:
        save(f"attack{each.number}", f"Walk {each.number}", each.text)
    save("harbour", "Harbour", "The walk round the harbour takes half an hour.")
    for readers, canary in CANARIES.items():
        save(readers, readers, f"{canary} walk {probes}", readers=readers)
    _ask_once(model_server)
    model_server.answers(obedient(planted))
    texts = {
        f"{ADDRESS}/pages/{name}/": f"{page.name} {page.text}"
        for name, page in SiteInMemory.pages.items()
    }
    return Site(model_server, planted, texts)


def _ask_once(server):
    """Have what asks models imported, which takes long and is not what is tried here."""
    deadline = Deadline(time.monotonic() + 120, threading.Event())
    model, prompt = language_model(), Prompt(system="Say it.", user="It.")
    list(gateway.stream(model, prompt, max_tokens=9, deadline=deadline))
    server.requests.clear()


@pytest.fixture
def plain(attacked, settings):
    """The order and the scores of each question, where no model is there."""
    kept, settings.NLWEB_ASK = settings.NLWEB_ASK, {"PROCESSORS": []}
    found = {
        each.number: _order(attacked.asked(each, "list", "document", Client())[1])
        for each in attacked.planted
    }
    settings.NLWEB_ASK = kept
    return found


def _order(told):
    return [(found["url"], found["score"]) for found in told.results]


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("mode", MODES)
def test_a_model_that_obeys_every_page_cannot_make_the_site_unsafe(
    attacked, plain, mode, transport
):
    wrong = []
    for attack in attacked.planted:
        sent, told = attacked.asked(attack, mode, transport, Client())
        known = {found["url"] for found in told.results}
        found = [
            *told.wrong,
            *strange_links(told.text, known),
            *strange_quotes(told, attacked.texts),
            *[word for word in CANARIES.values() if word.encode() in sent],
        ]
        if told.meta.get("generator") == "ai":
            found += unproved(told.content)
        if _order(told) != plain[attack.number]:
            found.append("order or scores")
        if told.meta.get("response_type") != "answer" or KEY.encode() in sent:
            found.append("kind of answer, or the key")
        wrong += [(attack.family, attack.wording, each) for each in found]
    assert wrong == []
    assert attacked.server.calls == (0 if mode == "list" else len(attacked.planted))
    _assert_prompts_are_clean(attacked)


def _assert_prompts_are_clean(attacked):
    for request in attacked.server.requests:
        assert not [word for word in CANARIES.values() if word in request.text]
        assert KEY not in request.text
        opened = re.findall(r'<passage-([0-9a-f]{16}) id="\d+">', request.user)
        closed = re.findall(r"</passage-([0-9a-f]{16})>", request.user)
        mark = set(opened)
        assert len(mark) == 1
        assert opened == [each for each in closed if each in mark]


def test_the_page_of_results_shows_nothing_that_lives(attacked):
    for attack in attacked.planted:
        shown = Client().get("/ask/results/", {"q": f"walk to {attack.probe}"})
        html = shown.content.decode()
        assert live_parts(html, attacked.texts) == [], attack.family
    assert attacked.server.calls == len(attacked.planted)


def test_a_member_is_shown_what_no_model_is(attacked):
    client = Client()
    client.force_login(UserFactory())
    for attack in attacked.planted[:10]:
        sent, _told = attacked.asked(attack, "generate", "document", client)
        assert CANARIES["members"].encode() in sent
        assert CANARIES["staff"].encode() not in sent
    assert attacked.server.calls == 10
    _assert_prompts_are_clean(attacked)


def test_the_pages_reach_the_model_and_are_obeyed(attacked):
    for attack in attacked.planted:
        attacked.asked(attack, "generate", "document", Client())
    for attack, request in zip(attacked.planted, attacked.server.requests, strict=True):
        assert attack.honest in request.user
        assert obedient(attacked.planted)(request) != '{"answered": false}'


def test_there_are_three_hundred_pages_of_all_kinds():
    assert len(ALL) >= 300
    assert len({each.text for each in ALL}) == len(ALL)
    assert {each.family for each in ALL[:31]} == FAMILIES.keys()
    assert {each.wording for each in ALL[:31]} == WORDINGS.keys()


@pytest.mark.parametrize(
    ("text", "is_strange"),
    [
        ("See [it](https://site.example/a/).", False),
        ("See https://site.example/a/ now.", False),
        ("See [it](https://evil.example/).", True),
        ("![it](x.png)", True),
        ("[it](javascript:alert(1))", True),
        ("[it][1]\n\n[1]: /x", True),
        ("//evil.example", True),
        ("https:// evil", False),
    ],
)
def test_the_eyes_of_these_tests_see_what_is_strange(text, is_strange):
    assert bool(strange_links(text, {"https://site.example/a/"})) == is_strange


def test_the_eyes_of_these_tests_see_a_forged_event():
    good = 'event: start\ndata: {}\n\nevent: complete\ndata: {"_meta": {}}\n\n'
    end = "event: end\ndata: {}\n\n"
    assert from_stream((good + end).encode()).wrong == []
    assert from_stream((good + end + end).encode()).wrong
    assert from_stream((good + "data: x\r\r" + end).encode()).wrong
    assert live_parts("<a href='//e.x'>a</a><img src=x onerror=y>", []) == [
        "onerror",
        "//e.x",
        "x",
    ]
