"""`/ask/receipts`: a caller who kept a citation learns whether it still holds."""

from __future__ import annotations

import json

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.plugins import Citation, Sentence, generators
from tests.factories import SiteSettingsFactory, UserFactory
from tests.site_in_memory import SiteInMemory, save, site_in_memory

pytestmark = [pytest.mark.servers, pytest.mark.django_db]

WORDS = "The kettle boils its water at ninety degrees."


class Quoter:
    name = "quoter"

    def generate(self, question, results, deadline):
        for result in results:
            text = result.passages[0].text
            cited = Citation(start=0, end=len(text), url=result.url, quote=text)
            yield Sentence(text=text, citations=(cited,))


@pytest.fixture
def quoting(db, settings):
    SiteSettingsFactory(enabled=True)
    settings.NLWEB_ASK = {"GENERATORS": ["quoter"]}
    generators.register(Quoter)
    with site_in_memory():
        save("a", "Kettle", WORDS)
        yield
    generators.unregister("quoter")


def post(client, address, document):
    return client.post(address, json.dumps(document), content_type="application/json")


def citation_of(client, text="kettle"):
    asked = {"query": {"text": text}, "prefer": {"mode": "generate"}}
    answer = post(client, "/ask", asked).json()
    return answer["content"][0]["citations"][0]


def check(client, *receipts):
    response = post(client, "/ask/receipts", {"receipts": receipts})
    assert response.status_code == 200, response.content
    return [receipt["state"] for receipt in response.json()["receipts"]]


def test_a_citation_holds_as_it_was_told(client, quoting):
    assert check(client, citation_of(client)) == ["valid"]


def test_a_passage_that_moved_within_its_page_still_holds(client, quoting):
    citation = citation_of(client)
    SiteInMemory.pages["a"].parts = {"Heat": WORDS}
    SiteInMemory.pages["a"].text = "Something else now stands before."
    refresh_objects("memory", ["a"])
    assert check(client, citation) == ["valid"]


def test_other_words_are_a_change(client, quoting):
    citation = citation_of(client)
    save("a", "Kettle", WORDS.replace("ninety", "eighty"))
    assert check(client, citation) == ["changed"]


def test_a_quote_that_was_never_there_is_a_change(client, quoting):
    citation = citation_of(client) | {"quote": "The kettle boils its water at noon."}
    assert check(client, citation) == ["changed"]


@pytest.mark.parametrize("what", ["closed", "deleted", "not-of-this-site", "no-type"])
def test_whatever_may_not_be_seen_is_gone(client, quoting, what, settings):
    citation = citation_of(client)
    match what:
        case "closed":
            SiteInMemory.pages["a"].readers = "staff"
        case "deleted":
            SiteInMemory.pages.clear()
            refresh_objects("memory", ["a"])
        case "not-of-this-site":
            citation["passage"] = citation["passage"][:-4] + "AAAA"
        case "no-type":
            settings.NLWEB_ASK = {
                "GENERATORS": ["quoter"],
                "ALLOWED_TYPES": ["Recipe"],
                "LOCKED": ["allowed_types"],
            }
    assert check(client, citation) == ["gone"]


def test_hidden_and_missing_are_the_same_bytes_and_queries(client, quoting):
    citation = citation_of(client)
    SiteInMemory.pages["a"].readers = "staff"
    refresh_objects("memory", ["a"])
    forged = citation | {"passage": citation["passage"][:-4] + "AAAA"}
    answers = []
    for receipt in (citation, forged):
        cache.clear()
        with CaptureQueriesContext(
            connection,
        ) as queries:
            response = post(client, "/ask/receipts", {"receipts": [receipt]})
        headers = {k: v for k, v in response.items() if k != "Date"}
        answers.append((response.status_code, response.content, headers, len(queries)))
    assert answers[0] == answers[1]
    assert b"gone" in answers[0][1]


def test_a_member_holds_what_an_anonymous_visitor_does_not(client, quoting):
    SiteInMemory.pages["a"].readers = "members"
    refresh_objects("memory", ["a"])
    client.force_login(UserFactory())
    citation = citation_of(client)
    assert check(client, citation) == ["valid"]
    client.logout()
    assert check(client, citation) == ["gone"]


def test_states_come_in_the_order_of_the_receipts(client, quoting):
    citation = citation_of(client)
    wrong = citation | {"words_hash": "0" * 32}
    gone = citation | {"passage": "nonsense"}
    assert check(client, gone, citation, wrong) == ["gone", "valid", "changed"]


def test_receipts_of_a_former_secret_key_hold_while_it_is_a_fallback(
    client, quoting, settings
):
    citation = citation_of(client)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another one"
    assert check(client, citation) == ["valid"]
    settings.SECRET_KEY_FALLBACKS = []
    assert check(client, citation) == ["gone"]


def test_what_a_citation_tells_is_no_hash_that_can_be_tried(client, quoting):
    from nlweb_ask.models import Document, Passage

    citation = citation_of(client)
    told = citation["passage"] + citation["words_hash"]
    assert Document.objects.get().key not in told
    assert Passage.objects.get().words_hash not in told


@pytest.mark.parametrize(
    ("document", "status"),
    [
        ({}, 422),
        ({"receipts": "x"}, 400),
        ({"receipts": []}, 400),
        ({"receipts": ["x"]}, 400),
        ({"receipts": [{"passage": 1, "words_hash": "x", "quote": "x"}]}, 400),
        ({"receipts": [{"passage": "x", "quote": "x"}]}, 422),
        ({"receipts": [{"passage": "x", "words_hash": "é", "quote": "x"}] * 21}, 400),
    ],
)
def test_what_is_no_list_of_receipts_is_refused(client, quoting, document, status):
    response = post(client, "/ask/receipts", document)
    assert response.status_code in {400, 422}
    assert response.json()["error"]["message"]


@pytest.mark.parametrize("text", ["", "é" * 40, "\u0000", "=" * 64, "A" * 10_000])
def test_any_text_for_a_name_is_a_receipt_that_is_gone(client, quoting, text):
    receipt = {"passage": text, "words_hash": text, "quote": text}
    assert check(client, receipt) == ["gone"]
