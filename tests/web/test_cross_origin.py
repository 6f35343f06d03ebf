from __future__ import annotations

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

from nlweb_ask.plugins import Sentence, generators, processors
from nlweb_ask.web.sites import SitesView
from nlweb_ask.web.views import Endpoint
from tests.factories import UserFactory
from tests.web import keys_of_a_site as keys

QUESTION = {"query": {"text": "tide"}}
ORIGIN = "https://app.example"
FOREIGN = [
    pytest.param({"Origin": ORIGIN}, id="origin"),
    pytest.param({"Origin": "null"}, id="null"),
    pytest.param({"Sec-Fetch-Site": "cross-site"}, id="image-or-script"),
    pytest.param({"Sec-Fetch-Site": "same-site"}, id="subdomain"),
]


@pytest.fixture
def open_site(site):
    site.allow_cross_origin = True
    site.save()
    return site


@pytest.fixture
def key_classes(settings):
    """Classes that know the key of anna, and note whether they were asked."""
    UserFactory(username="anna")
    keys.Noted.asked.clear()
    paths = [f"{keys.__name__}.{name}" for name in ("Bearer", "ApiKey")]
    settings.NLWEB_ASK = {"AUTHENTICATION_CLASSES": paths}
    return keys.Noted.asked


def names(response):
    return sorted(result["name"] for result in response.json()["results"])


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_foreign_call_is_refused_where_it_is_not_allowed(client, site, method, headers):
    client.force_login(UserFactory())

    response = client.generic(method, "/ask?query=tide", headers=headers)

    assert response.status_code == 403
    assert response.json()["error"]["code"] == "ORIGIN_NOT_ALLOWED"
    assert "Access-Control-Allow-Origin" not in response


@pytest.mark.parametrize("headers", FOREIGN)
def test_refused_foreign_call_searches_nothing_and_looks_at_no_session(
    client, ask, articles, headers
):
    client.force_login(UserFactory())

    with CaptureQueriesContext(connection) as queries:
        response = ask(QUESTION, **headers)

    assert response.status_code == 403
    [settings_row] = queries.captured_queries
    assert "nlweb_ask_sitesettings" in settings_row["sql"]


@pytest.mark.parametrize("headers", FOREIGN)
def test_foreign_call_gets_what_an_anonymous_visitor_gets(
    client, ask, articles, open_site, headers
):
    client.force_login(UserFactory())

    response = ask(QUESTION, **headers)

    assert names(response) == ["Tide table"]
    assert response["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in response


def test_own_call_of_a_member_keeps_its_rights_where_others_may_ask(
    client, ask, articles, open_site
):
    client.force_login(UserFactory())

    response = ask(QUESTION, **{"Sec-Fetch-Site": "same-origin"})

    assert names(response) == ["Tide secrets", "Tide table"]


@pytest.mark.parametrize("allowed", [False, True], ids=["off", "on"])
@pytest.mark.parametrize("headers", FOREIGN)
def test_foreign_call_with_a_key_is_refused_and_the_key_not_read(
    ask, articles, site, key_classes, headers, allowed
):
    site.allow_cross_origin = allowed
    site.save()

    good, bad = (
        ask(QUESTION, Authorization=f"Bearer {name}", **headers)
        for name in ("anna", "nobody")
    )

    assert good.status_code == bad.status_code == 403
    assert good.json()["error"]["code"] == "ORIGIN_NOT_ALLOWED"
    assert (good.content, dict(good.headers)) == (bad.content, dict(bad.headers))
    assert key_classes == []


def test_foreign_call_is_nobody_s_whatever_header_it_carries(
    ask, articles, open_site, key_classes
):
    response = ask(QUESTION, **{"Origin": ORIGIN, "X-Api-Key": "anna"})

    assert names(response) == ["Tide table"]
    assert key_classes == []


@pytest.mark.django_db(transaction=True)  # what is written is so in a thread
@pytest.mark.parametrize("headers", FOREIGN)
def test_foreign_call_has_no_user_no_marks_and_no_model(
    client, ask, articles, open_site, settings, headers
):
    client.force_login(UserFactory())
    session = client.session
    session["passed_passwords"] = [7]
    session.save()
    viewers, written = [], []

    class NotesViewers:
        name = "notes-viewers"

        def process(self, question, viewer):
            viewers.append(
                (question.mode, viewer.user.is_anonymous, viewer.session_marks)
            )
            return question

    class Writes:
        name = "writes"

        def generate(self, question, results, deadline):
            written.append(question)
            yield Sentence(text="Tide.")

    processors.register(NotesViewers)
    generators.register(Writes)
    settings.NLWEB_ASK = {"PROCESSORS": ["notes-viewers"], "GENERATORS": ["writes"]}
    body = QUESTION | {"prefer": {"mode": "generate"}}
    try:
        ask(body)
        assert len(written) == 1
        foreign = ask(body, **headers)
        streamed = ask(body, Accept="text/event-stream", **headers)
        b"".join(streamed.streaming_content)
    finally:
        processors.unregister("notes-viewers")
        generators.unregister("writes")

    assert foreign.json()["_meta"]["mode"] == "list"
    assert len(written) == 1
    assert viewers[0] == ("generate", False, {"passed_passwords": [7]})
    assert viewers[1:] == [("list", True, {})] * 2


def test_answer_to_a_member_s_own_page_is_for_no_other(client, ask, open_site):
    client.force_login(UserFactory())

    response = ask(QUESTION, **{"Sec-Fetch-Site": "same-origin"})

    assert "Access-Control-Allow-Origin" not in response
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"


class Changes(Endpoint):
    """An endpoint whose author has not thought of pages of other sites."""

    bucket = "ask"

    def post(self, request):
        return HttpResponse("changed")


class Reads(Changes):
    only_reads = True


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("method", ["POST", "OPTIONS"])
def test_endpoint_that_changes_something_is_closed_to_other_sites(
    rf, open_site, headers, method
):
    request = rf.generic(method, "/ask", headers=headers)

    response = Changes.as_view()(request)

    assert response.status_code == 403
    assert b"ORIGIN_NOT_ALLOWED" in response.content
    assert "Access-Control-Allow-Origin" not in response
    assert Reads.as_view()(request).status_code in {200, 204}


def test_names_of_profiles_are_told_to_other_sites_that_may_ask(rf, open_site):
    response = SitesView.as_view()(rf.get("/sites", headers={"Origin": ORIGIN}))

    assert response.status_code == 200
    assert response["Access-Control-Allow-Origin"] == "*"


def test_endpoint_that_changes_something_is_open_to_the_site_itself(rf, open_site):
    request = rf.post("/ask", headers={"Sec-Fetch-Site": "same-origin"})

    assert Changes.as_view()(request).content == b"changed"


def test_foreign_refusal_can_be_read_by_the_page_that_asked(ask, open_site):
    response = ask(b"[]", Origin=ORIGIN)

    assert response.status_code == 400
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response["Cross-Origin-Resource-Policy"] == "cross-origin"


def test_page_that_asked_too_often_can_read_when_to_come_back(ask, open_site):
    open_site.rate_limit = "1/h"
    open_site.save()
    ask(QUESTION, Origin=ORIGIN)

    refused = ask(QUESTION, Origin=ORIGIN)

    assert refused.status_code == 429
    assert refused["Access-Control-Expose-Headers"] == "Retry-After"


@pytest.mark.parametrize("path", ["/ask", "/await"])
def test_preflight_says_what_may_be_sent(client, open_site, path):
    response = client.options(
        path,
        headers={"Origin": ORIGIN, "Access-Control-Request-Method": "POST"},
    )

    assert response.status_code == 204
    assert response.content == b""
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response["Access-Control-Allow-Methods"] == "GET, POST, OPTIONS"
    assert response["Access-Control-Allow-Headers"] == "content-type, accept"
    assert "Access-Control-Allow-Credentials" not in response


def test_own_options_call_says_which_methods_there_are(client, site):
    response = client.options("/ask")

    assert (response.status_code, response["Allow"]) == (204, "GET, POST, OPTIONS")
    assert "Access-Control-Allow-Origin" not in response
