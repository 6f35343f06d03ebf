"""Pages that give orders to language models, before a model that follows all of them."""

from __future__ import annotations

import os
import threading
import time

import pytest
from django.test import Client

from nlweb_ask.ai import gateway
from nlweb_ask.ai.providers import language_model
from nlweb_ask.plugins import Deadline, Prompt
from tests.factories import AccessGrantFactory, SiteSettingsFactory, UserFactory
from tests.model_server import KEY
from tests.rights.attacked import MOST, SETUPS, TRANSPORTS, AttackedSite
from tests.rights.injections import FAMILIES, WORDINGS, attacks
from tests.rights.obedience import (
    HIDDEN_TYPES,
    INVENTED,
    JUDGED,
    PUBLIC_TYPES,
    ObedientModel,
    kind_of,
    step_of,
)
from tests.rights.strangers import (
    live_parts,
    strange_links,
    strange_quotes,
    strange_results,
    strange_words,
    unproved,
)
from tests.rights.told_to_models import strange_prompts
from tests.site_in_memory import SiteInMemory, save

# Threads of the pool read what is written here.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.first_leg]

ALL = attacks()
COUNT = int(os.environ.get("PROVE_INJECTIONS", "31"))
ADDRESS = "https://site.example"
MODES = ("list", "summarize", "generate")
# Words and types of pages that not everybody may see, by who may.
CANARIES = {"members": "zanzibarnut", "staff": "quetzalpost"}


@pytest.fixture
def attacked(site, settings, model_server):
    AccessGrantFactory()
    SiteSettingsFactory(
        base_url=ADDRESS,
        default_mode="generate",
        max_results=MOST,
        model_calls_per_day=100_000,
        model_calls_per_month=100_000,
        model_hour_share=100,
        model_visitor_share=100,
        model_member_reserve=0,
    )
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": []}]
    planted = ALL[:COUNT]
    probes = " ".join(each.probe for each in planted)
    for each in planted:
        name = f"Walk {each.number}"
        save(f"attack{each.number}", name, each.text, type=kind_of(each))
    save("harbour", "Harbour", "The walk round the harbour takes half an hour.")
    for (readers, canary), kind in zip(CANARIES.items(), HIDDEN_TYPES, strict=True):
        save(readers, readers, f"{canary} walk {probes}", readers=readers, type=kind)
    texts = {
        f"{ADDRESS}/pages/{name}/": f"{page.name} {page.text}"
        for name, page in SiteInMemory.pages.items()
    }
    attacked = AttackedSite(settings, model_server, ObedientModel(planted), texts)
    attacked.is_set_up("ai")
    _ask_once(model_server)
    model_server.answers(attacked.model)
    return attacked


def _ask_once(server):
    """Have what asks models imported, which takes long and is not what is tried here."""
    deadline = Deadline(time.monotonic() + 120, threading.Event())
    model, prompt = language_model(), Prompt(system="Say it.", user="It.")
    list(gateway.stream(model, prompt, max_tokens=9, deadline=deadline))
    server.requests.clear()


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("setup", SETUPS)
def test_a_model_that_obeys_every_page_cannot_make_the_site_unsafe(
    attacked, setup, mode, transport
):
    attacked.is_set_up(setup)
    wrong, steps, followed = [], [], set()
    for attack in attacked.planted:
        sent, told = attacked.asked(attack, mode, transport, Client())
        steps += attacked.steps(mode, told)
        followed |= _followed(attacked, attack, told)
        found = _strange(attacked, attack, sent, told)
        wrong += [(attack.family, attack.wording, each) for each in found]
    assert wrong == []
    assert [step_of(each) for each in attacked.server.requests] == steps
    _assert_prompts_are_clean(attacked)
    _assert_orders_were_obeyed(attacked, followed, writes=mode != "list")


def _strange(attacked, attack, sent, told):
    """Return what an answer to somebody who is not signed in should not be or hold."""
    plain = attacked.without_model(attack, told, Client())
    known = {found["url"] for found in told.results}
    secret = [*CANARIES.values(), INVENTED, KEY.casefold()]
    found = [
        *told.wrong,
        *strange_links(told.text, known),
        *strange_quotes(told, attacked.texts),
        *strange_results(told, plain),
        *strange_words(told, PUBLIC_TYPES),
        *[word for word in secret if word.encode() in sent.lower()],
    ]
    if told.meta.get("generator") == "ai":
        found += unproved(told.content)
    if not attacked.setup.orders and told.results != plain[: len(told.results)]:
        found.append("another order")
    kind = "elicitation" if told.asked_back else "answer"
    if told.meta.get("response_type") != kind:
        found.append("kind of answer")
    return found


def _followed(attacked, attack, told):
    """Return the steps of which an answer shows that their model was listened to."""
    plain = attacked.without_model(attack, told, Client())
    has_order = told.results == plain[: len(told.results)]
    return {
        told.meta.get("generator"),
        "rewrite" if told.meta.get("decontextualized_query") else None,
        "elicit_ai" if told.asked_back else None,
        *(() if has_order else attacked.setup.rankers),
    }


def _assert_orders_were_obeyed(attacked, followed, *, writes):
    """Else it would prove nothing that the answers are safe."""
    setup = attacked.setup
    asking = {*setup.processors, *setup.rankers, *(["ai"] if writes else [])}
    assert followed >= asking
    numbers = {each.number for each in attacked.planted}
    for step in asking:
        obeyed = {number for named, number in attacked.model.obeyed if named == step}
        # What a ranker leaves is written of, and asked back about where types are left.
        follows = setup.rankers and step in {"ai", "elicit_ai"}
        assert obeyed == numbers or (follows and obeyed)


def _assert_prompts_are_clean(attacked):
    secret = [*CANARIES.values(), KEY.casefold()]
    requests = attacked.server.requests
    assert strange_prompts(requests, attacked.planted, secret) == []


@pytest.mark.parametrize("setup", SETUPS)
def test_the_page_of_results_shows_nothing_that_lives(attacked, setup):
    attacked.is_set_up(setup)
    for attack in attacked.planted:
        asked = attacked.setup.asked(attack)
        earlier = asked.get("context", {}).get("prev", [])
        fields = {"q": asked["query"]["text"], "prev": earlier}
        html = Client().get("/ask/results/", fields).content.decode()
        assert live_parts(html, attacked.texts) == [], attack.family
        secret = [*CANARIES.values(), INVENTED, KEY.casefold()]
        assert not [word for word in secret if word in html.casefold()]
    steps = [step_of(each) for each in attacked.server.requests]
    for step in (*attacked.setup.rankers, "ai"):
        assert 0 < steps.count(step) <= len(attacked.planted)
    _assert_prompts_are_clean(attacked)


@pytest.mark.parametrize("setup", SETUPS)
def test_a_member_is_shown_what_no_model_is(attacked, setup):
    attacked.is_set_up(setup)
    client = Client()
    client.force_login(UserFactory())
    shown = 0
    for attack in attacked.planted[:11]:
        sent, told = attacked.asked(attack, "generate", "document", client)
        shown += CANARIES["members"].encode() in sent
        assert CANARIES["staff"].encode() not in sent
        assert not strange_results(told, attacked.without_model(attack, told, client))
    assert shown
    assert attacked.server.calls
    _assert_prompts_are_clean(attacked)


def test_the_first_pages_show_every_way_to_judge():
    assert len({each.number % len(JUDGED) for each in ALL[:31]}) == len(JUDGED)


def test_there_are_three_hundred_pages_of_all_kinds():
    assert len(ALL) >= 300
    assert len({each.text for each in ALL}) == len(ALL)
    assert {each.family for each in ALL[:31]} == FAMILIES.keys()
    assert {each.wording for each in ALL[:31]} == WORDINGS.keys()
