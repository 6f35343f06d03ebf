from __future__ import annotations

import json

import pytest
from django.db import connections
from django.test import Client
from rest_framework.views import APIView

from nlweb_ask.plugins import Sentence, generators
from nlweb_ask.web.views import Endpoint
from tests.factories import UserFactory
from tests.testapp.models import Article

QUESTION = {"query": {"text": "tide"}}
STREAM = "text/event-stream"


def names(response):
    return [result["name"] for result in response.json()["results"]]


def stream_of(response):
    return b"".join(response.streaming_content).decode()


def test_post_is_answered_with_json(ask, articles):
    response = ask(QUESTION)

    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
    assert names(response) == ["Tide table"]
    assert response.json()["_meta"]["version"] == "0.55"


@pytest.mark.django_db(transaction=True)  # what is not committed is read each time
def test_list_costs_five_queries_whatever_is_found(
    ask, articles, django_assert_num_queries
):
    """Settings, grants, postings, who may see the pages, and the pages."""
    for text in ("tide", "tide table"):
        ask({"query": {"text": text}})  # as a process that has read the index
        with django_assert_num_queries(5):
            assert names(ask({"query": {"text": text}})) == ["Tide table"]


def test_member_is_answered_by_session_without_a_csrf_token(articles):
    client = Client(enforce_csrf_checks=True)
    client.force_login(UserFactory())

    response = client.post("/ask", QUESTION, content_type="application/json")

    assert sorted(names(response)) == ["Tide secrets", "Tide table"]


def test_get_is_answered_with_json_when_that_is_accepted(client, articles):
    response = client.get(
        "/ask", {"query": "tide"}, headers={"Accept": "application/json"}
    )

    assert names(response) == ["Tide table"]
    assert response.json()["query_id"]


@pytest.mark.parametrize(
    ("query", "accept", "content_type"),
    [
        pytest.param("query=tide", STREAM, STREAM, id="accepts-streams-only"),
        pytest.param("query=tide", "*/*", STREAM, id="0.1-streams"),
        pytest.param("query=tide", "text/html", STREAM, id="0.1-streams-to-browsers"),
        pytest.param(
            "query=tide&streaming=false", "*/*", "application/json", id="said"
        ),
        pytest.param("query=tide&streaming=0", STREAM, "application/json", id="said-0"),
        pytest.param(
            "query=tide&streaming=true", "application/json", STREAM, id="said-true"
        ),
    ],
)
def test_form_of_the_answer_is_negotiated(
    client, articles, query, accept, content_type
):
    response = client.get(f"/ask?{query}", headers={"Accept": accept})

    assert (response.status_code, response["Content-Type"]) == (200, content_type)


def test_stream_has_the_results_and_one_end(ask, articles):
    response = ask(QUESTION, Accept=STREAM)

    stream = stream_of(response)
    events = [line for line in stream.splitlines() if line.startswith("event: ")]
    assert events == ["event: start", "event: result", "event: complete", "event: end"]
    assert "Tide table" in stream


def test_form_encoded_question_is_a_0_1_one(client, articles):
    response = client.post(
        "/ask",
        data="query=tide&streaming=false",
        content_type="application/x-www-form-urlencoded",
    )

    assert names(response) == ["Tide table"]


def test_question_sent_as_form_data_is_a_0_1_one(client, articles):
    response = client.post("/ask", {"query": "tide", "streaming": "false"})

    assert names(response) == ["Tide table"]


def test_answer_is_never_stored_and_names_what_it_depends_on(ask, articles):
    headers = ask(QUESTION).headers

    assert headers["Cache-Control"] == "private, no-store"
    assert {name.strip() for name in headers["Vary"].split(",")} >= {
        "Accept",
        "Accept-Language",
        "Cookie",
        "Authorization",
        "Origin",
        "Sec-Fetch-Site",
    }
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "ETag" not in headers
    assert "Last-Modified" not in headers


def test_stream_tells_everything_on_the_way_to_let_it_pass(ask, articles):
    headers = ask(QUESTION, Accept=STREAM).headers

    assert headers["Cache-Control"] == "private, no-store, no-transform"
    assert headers["Content-Encoding"] == "identity"
    assert headers["X-Accel-Buffering"] == "no"
    assert "Content-Length" not in headers
    assert "Connection" not in headers


def test_conditional_request_gets_the_whole_answer(client, articles, settings):
    settings.MIDDLEWARE = [
        "django.middleware.http.ConditionalGetMiddleware",
        *settings.MIDDLEWARE,
    ]

    response = client.get(
        "/ask", {"query": "tide", "streaming": "0"}, headers={"If-None-Match": "*"}
    )

    assert response.status_code == 200
    assert "ETag" not in response.headers


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"query": {"text": "tide\x00"}}, id="nul-is-removed"),
        pytest.param(
            {"query": {"text": "tide"}, "prefer": {"mode": "dance"}}, id="unknown-mode"
        ),
        pytest.param(
            {"query": {"text": "tide", "colour": {"a": [1]}}}, id="own-filter"
        ),
        pytest.param(
            {"query": "tide", "prefer": {"streaming": False}}, id="plain-string"
        ),
        pytest.param(
            {"query": {"text": "tide' OR 1=1 -- \""}}, id="syntax-of-an-engine"
        ),
    ],
)
def test_odd_question_is_answered(ask, articles, body):
    response = ask(body)

    assert response.status_code == 200
    assert names(response) == ["Tide table"]


@pytest.mark.parametrize("text", ["?!", "…", "🙂", '"', "*"])
def test_lone_punctuation_finds_nothing(ask, articles, text):
    response = ask({"query": {"text": text}})

    assert (response.status_code, names(response)) == (200, [])


def test_mode_that_nobody_can_write_is_a_list(ask, articles, settings):
    settings.NLWEB_ASK = settings.NLWEB_ASK | {"GENERATORS": []}
    response = ask({**QUESTION, "prefer": {"mode": "generate"}})

    assert response.json()["_meta"]["mode"] == "list"


def test_no_drf_class_is_left_to_the_defaults_of_the_site():
    kinds = ("_class", "_classes", "schema")
    left_open = {name for name in vars(APIView) if name.endswith(kinds)}

    assert left_open - set(vars(Endpoint)) == set()


def test_drf_settings_of_the_site_change_nothing(ask, articles, settings):
    settings.REST_FRAMEWORK = {
        "EXCEPTION_HANDLER": "nowhere.handler",
        "UNAUTHENTICATED_USER": None,
        "URL_FORMAT_OVERRIDE": "query",
    }

    assert names(ask(QUESTION)) == ["Tide table"]
    assert ask(b"[]").status_code == 400


def test_inactive_user_is_answered_as_anonymous(client, ask, articles, settings):
    settings.AUTHENTICATION_BACKENDS = [
        "django.contrib.auth.backends.AllowAllUsersModelBackend"
    ]
    client.force_login(UserFactory(is_active=False))

    assert names(ask(QUESTION)) == ["Tide table"]


def test_answers_where_every_request_is_a_transaction(ask, articles, monkeypatch):
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)

    assert names(ask(QUESTION)) == ["Tide table"]


def test_question_and_names_are_not_logged(ask, articles, caplog):
    caplog.set_level("DEBUG", logger="nlweb_ask")

    ask({"query": {"text": "tide sequoia"}})
    ask(b'{"query": sequoia')

    assert "sequoia" not in json.dumps(
        [record.getMessage() for record in caplog.records]
    )


class WhatIsWritten:
    """Says how many pages there are, as its own thread sees it."""

    name = "what-is-written"

    def generate(self, question, results, deadline):
        yield Sentence(text=f"{Article.objects.count()} articles")


def test_answer_is_written_of_what_a_test_has_saved_in_its_transaction(
    ask, articles, settings
):
    generators.register(WhatIsWritten)
    settings.NLWEB_ASK = {"GENERATORS": ["what-is-written"]}
    try:
        document = ask(
            {"query": {"text": "tide"}, "prefer": {"mode": "generate"}}
        ).json()
    finally:
        generators.unregister("what-is-written")

    assert document["content"][0]["text"] == "2 articles"
