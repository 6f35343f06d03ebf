from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from django.contrib.auth.models import Group
from django.http import HttpResponse
from django.urls import include, path

from nlweb_ask.models import AccessGrant, SiteSettings
from tests.factories import AccessGrantFactory, IndexProfileFactory, UserFactory
from tests.site_in_memory import save, site_in_memory

FIXTURES = Path(__file__).parents[1] / "protocol" / "fixtures"


def fixture(name):
    return json.loads((FIXTURES / name).read_text())


# A site that has a page of its own at /sites, behind our addresses.
urlpatterns = [
    path("", include("nlweb_ask.urls")),
    path("sites", lambda request: HttpResponse("our five branches")),
]


@pytest.fixture
def offered(site, settings):
    settings.NLWEB_ASK = settings.NLWEB_ASK | {"SITES_ENDPOINT": True}
    site.base_url = "https://mill.example:8443"
    site.save()
    return site


@pytest.fixture
def blog_and_shop(offered):
    """Two profiles that find different pages, and nobody who may ask them."""
    AccessGrant.objects.all().delete()
    return (
        IndexProfileFactory(name="blog", sources=["testapp.article"]),
        IndexProfileFactory(name="shop", sources=["memory"]),
    )


def names(client, **headers):
    return client.get("/sites", headers=headers).json()["sites"]


def refusal(response):
    document = response.json()
    assert document["_meta"]["response_type"] == "failure"
    return response.status_code, document["error"]["code"]


# Whether there is such an address


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "HEAD"])
def test_address_is_none_while_the_setting_is_off(client, site, method):
    here, elsewhere = (client.generic(method, path) for path in ("/sites", "/no-such"))

    assert here.status_code == elsewhere.status_code == 404
    assert here["Content-Type"] == elsewhere["Content-Type"]
    assert here.headers.keys() == elsewhere.headers.keys()


def test_page_of_the_sites_own_is_found_while_the_setting_is_off(
    client, site, settings
):
    settings.ROOT_URLCONF = __name__

    assert client.get("/sites").content == b"our five branches"


def test_site_that_is_off_names_nothing(client, offered):
    offered.enabled = False
    offered.save()

    assert client.get("/sites").status_code == 404


# What it says


def test_replayed_fixture_is_answered_as_the_golden_answer(client, blog_and_shop):
    AccessGrantFactory(profile=blog_and_shop[0])
    AccessGrantFactory(profile=blog_and_shop[1])
    asked = fixture("requests/sites-get.json")

    response = client.generic(asked["method"], asked["path"], headers=asked["headers"])

    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    golden = (FIXTURES / "responses/sites.json").read_text()
    assert json.dumps(response.json()) == json.dumps(json.loads(golden))
    jsonschema.validate(response.json(), fixture("schemas/response-sites.json"))


def test_whole_site_goes_by_its_host_name(client, offered):
    assert names(client) == ["mill.example"]


def test_default_comes_first_and_the_others_by_name(client, offered):
    for name in ("shop", "blog", "archive"):
        profile = IndexProfileFactory(name=name)
        if name == "blog":
            offered.default_profile = profile
            offered.save()

    assert names(client) == ["blog", "archive", "shop"]


def test_each_name_picks_its_own_pages(client, ask, articles, blog_and_shop):
    AccessGrantFactory()
    with site_in_memory():
        save("p1", "Tide clock", "A clock that shows the tide.")
        found = {
            name: {
                page["name"]
                for page in ask({"query": {"text": "tide", "site": name}}).json()[
                    "results"
                ]
            }
            for name in names(client)
        }

    assert found == {
        "mill.example": {"Tide table", "Tide clock"},
        "blog": {"Tide table"},
        "shop": {"Tide clock"},
    }


# To whom


def test_profile_that_is_not_granted_is_not_named(client, blog_and_shop):
    group = Group.objects.create(name="staff")
    AccessGrantFactory(profile=blog_and_shop[0])
    AccessGrantFactory(profile=blog_and_shop[1], group=group)
    before = client.get("/sites")

    blog_and_shop[1].delete()
    without = client.get("/sites")

    assert before.json()["sites"] == ["blog"]
    assert before.content == without.content
    assert before.headers == without.headers


def test_member_is_told_what_the_member_may_ask(client, blog_and_shop):
    member = UserFactory()
    AccessGrantFactory(profile=blog_and_shop[0])
    AccessGrantFactory(profile=blog_and_shop[1], user=member)
    client.force_login(member)

    assert names(client) == ["blog", "shop"]


def test_whoever_may_ask_nothing_is_refused_as_at_the_door(client, blog_and_shop):
    anonymous = client.get("/sites")
    client.force_login(UserFactory())

    assert refusal(anonymous) == (401, "UNAUTHORIZED")
    assert anonymous["WWW-Authenticate"] == "Bearer"
    assert refusal(client.get("/sites")) == (403, "FORBIDDEN")


def test_foreign_caller_is_refused_unless_those_may_ask(client, offered):
    response = client.get("/sites", headers={"Origin": "https://app.example"})

    assert refusal(response) == (403, "ORIGIN_NOT_ALLOWED")


def test_foreign_caller_is_told_what_an_anonymous_visitor_is(client, blog_and_shop):
    member = UserFactory()
    AccessGrantFactory(profile=blog_and_shop[0])
    AccessGrantFactory(profile=blog_and_shop[1], user=member)
    client.force_login(member)
    SiteSettings.objects.update(allow_cross_origin=True)

    response = client.get("/sites", headers={"Origin": "https://app.example"})

    assert response.json()["sites"] == ["blog"]
    assert response["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in response


def test_it_counts_as_a_question_does(client, ask, offered):
    offered.rate_limit = "3/d"
    offered.save()
    ask({"query": {"text": "tide"}})

    statuses = [client.get("/sites").status_code for _ in range(3)]

    assert statuses == [200, 200, 429]
    assert ask({"query": {"text": "tide"}}).status_code == 429


# How


@pytest.mark.parametrize(
    ("query", "accept"),
    [
        pytest.param("", "*/*", id="nothing-said"),
        pytest.param("", "text/event-stream", id="header-is-not-asked"),
        pytest.param("?streaming=false", "text/event-stream", id="no-stream-said"),
        pytest.param("?streaming=perhaps", "*/*", id="unreadable"),
    ],
)
def test_document_is_given_unless_a_stream_is_asked_for(client, offered, query, accept):
    response = client.get(f"/sites{query}", headers={"Accept": accept})

    assert response["Content-Type"] == "application/json"


@pytest.mark.parametrize("value", ["true", "1", "ON"])
def test_stream_is_the_one_message(client, offered, value):
    response = client.get(f"/sites?streaming={value}")

    assert response["Content-Type"] == "text/event-stream"
    [data] = response.getvalue().decode().removesuffix("\n\n").split("\n\n")
    assert json.loads(data.removeprefix("data: ")) == client.get("/sites").json()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_it_is_only_to_be_got(client, offered, method):
    response = client.generic(method, "/sites")

    assert response.status_code == 405
    assert response["Allow"] == "GET, OPTIONS"


def test_options_are_told(client, offered):
    response = client.options("/sites")

    assert (response.status_code, response["Allow"]) == (204, "GET, OPTIONS")


def test_address_that_cannot_be_read_is_refused(client, offered):
    assert refusal(client.get("/sites?streaming=%ff")) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize("query", ["", "?streaming=true", "?streaming=%ff"])
def test_every_answer_has_the_headers_of_a_question(client, ask, offered, query):
    question, found = ask({"query": {"text": "tide"}}), client.get(f"/sites{query}")

    extra = {"X-Accel-Buffering", "Content-Encoding", "Content-Length", "Cache-Control"}
    for name, value in question.headers.items():
        if name not in extra | {"Content-Type"}:
            assert found[name] == value
    assert found["Cache-Control"].startswith("private, no-store")
