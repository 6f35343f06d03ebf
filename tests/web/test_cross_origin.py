from __future__ import annotations

import pytest

from tests.factories import UserFactory

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


def test_foreign_call_with_a_key_is_refused(ask, open_site):
    response = ask(QUESTION, Origin=ORIGIN, Authorization="Bearer x")

    assert response.status_code == 403
    assert response.json()["error"]["code"] == "ORIGIN_NOT_ALLOWED"


def test_foreign_refusal_can_be_read_by_the_page_that_asked(ask, open_site):
    response = ask(b"[]", Origin=ORIGIN)

    assert response.status_code == 400
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response["Cross-Origin-Resource-Policy"] == "cross-origin"


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
