"""What tells agents, on the site's own pages, that the site can be asked."""

from __future__ import annotations

import asyncio

import pytest
from django.db import OperationalError, connection
from django.http import HttpResponse, JsonResponse, StreamingHttpResponse
from django.template import engines
from django.test import AsyncClient
from django.urls import include, path

from nlweb_ask.models import AccessGrant
from nlweb_ask.models.grants import Grantee
from nlweb_ask.web.discovery import LinkHeaderMiddleware
from tests.factories import AccessGrantFactory, SiteSettingsFactory, UserFactory
from tests.several_sites import several_sites

LINK = '</ask>; rel="nlweb"'
MIDDLEWARE = "nlweb_ask.web.discovery.LinkHeaderMiddleware"


RESPONSES = {
    "page": lambda: HttpResponse("<p>Tide</p>"),
    "stream": lambda: StreamingHttpResponse(iter(["<p>Tide</p>"])),
    "preloading": lambda: HttpResponse("", headers={"Link": "</a.css>; rel=preload"}),
    "linked": lambda: HttpResponse("", headers={"Link": LINK}),
    "json": lambda: JsonResponse({}),
    "plain": lambda: HttpResponse("Tide", content_type="text/plain"),
    "untyped": lambda: HttpResponse("", headers={"Content-Type": ""}),
    "missing": lambda: HttpResponse("no", status=404),
    "moved": lambda: HttpResponse(status=302, headers={"Location": "/page"}),
}
urlpatterns = [
    path("", include("nlweb_ask.urls")),
    path("<str:name>", lambda request, name: RESPONSES[name]()),
]


@pytest.fixture
def linking(settings):
    """A site whose middleware adds the header."""
    settings.ROOT_URLCONF = __name__
    settings.MIDDLEWARE = [MIDDLEWARE, *settings.MIDDLEWARE]


# The header


@pytest.mark.parametrize("name", ["page", "stream"])
def test_page_has_the_header(client, site, linking, name):
    assert client.get(f"/{name}")["Link"] == LINK


def test_header_is_added_to_the_links_that_are_there(client, site, linking):
    assert client.get("/preloading")["Link"] == f"</a.css>; rel=preload, {LINK}"


def test_header_that_a_cache_kept_is_not_doubled(client, site, linking):
    assert client.get("/linked")["Link"] == LINK


@pytest.mark.parametrize("name", ["json", "plain", "untyped", "missing", "moved"])
def test_what_is_no_page_has_no_header_and_costs_no_query(
    client, site, linking, name, django_assert_num_queries
):
    with django_assert_num_queries(0):
        assert "Link" not in client.get(f"/{name}")


@pytest.mark.parametrize(
    ("method", "is_linked"),
    [("GET", True), ("HEAD", True), ("POST", False), ("OPTIONS", False)],
)
def test_only_what_is_read_as_a_page_has_the_header(
    client, site, linking, method, is_linked
):
    assert ("Link" in client.generic(method, "/page")) == is_linked


def test_answer_to_a_question_has_no_header(ask, site, linking):
    assert "Link" not in ask({"query": {"text": "tide"}})


def test_page_has_no_header_while_the_site_is_off(client, site, linking):
    site.enabled = False
    site.save()

    assert "Link" not in client.get("/page")


def test_locked_switch_is_that_of_the_settings(
    client, site, linking, settings, django_assert_num_queries
):
    settings.NLWEB_ASK = {"LOCKED": ["enabled"], "ENABLED": False}

    with django_assert_num_queries(0):
        assert "Link" not in client.get("/page")


def test_header_costs_one_query_and_reads_no_session(
    client, site, linking, django_assert_num_queries
):
    client.force_login(UserFactory())

    with django_assert_num_queries(1):
        response = client.get("/page")

    assert "Cookie" not in response.get("Vary", "")


def test_header_is_that_of_the_site_asked_for(client, site, linking, settings):
    settings.ALLOWED_HOSTS = ["*"]
    with several_sites("tide.example", "moon.example") as (_, moon):
        SiteSettingsFactory(site_id=moon)

        found = {
            host: "Link" in client.get("/page", headers={"Host": host})
            for host in ("tide.example", "moon.example", "sun.example")
        }

    assert found == {
        "tide.example": False,
        "moon.example": True,
        "sun.example": False,
    }


def test_page_without_our_addresses_has_no_header(client, site, linking, settings):
    settings.ROOT_URLCONF = "tests.web.pages_without_ask"

    response = client.get("/page")

    assert (response.status_code, "Link" in response) == (200, False)


def test_host_that_is_refused_costs_the_page_nothing(rf, site):
    middleware = LinkHeaderMiddleware(lambda request: RESPONSES["page"]())

    response = middleware(rf.get("/page", headers={"Host": "elsewhere.example"}))

    assert (response.status_code, "Link" in response) == (200, False)


def test_database_that_is_down_costs_the_page_nothing(client, site, linking, caplog):
    def down(*_args):
        msg = "the server closed the connection of sailor"
        raise OperationalError(msg)

    with connection.execute_wrapper(down):
        response = client.get("/page")

    assert (response.status_code, "Link" in response) == (200, False)
    assert "link header" in caplog.text
    assert "sailor" not in caplog.text


def test_header_before_a_cache_follows_the_switch(client, site, linking, settings):
    settings.MIDDLEWARE = [
        MIDDLEWARE,
        "django.middleware.cache.UpdateCacheMiddleware",
        "django.middleware.cache.FetchFromCacheMiddleware",
    ]
    made = client.get("/page")
    site.enabled = False
    site.save()

    kept = client.get("/page")

    assert kept["Expires"] == made["Expires"]
    assert ("Link" in made, "Link" in kept) == (True, False)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["page", "json", "preloading"])
def test_header_is_the_same_under_asgi(client, site, linking, name):
    async def fetched():
        return (await AsyncClient().get(f"/{name}")).get("Link")

    assert asyncio.run(fetched()) == client.get(f"/{name}").get("Link")


# The tag


def rendered(**context):
    template = engines["django"].from_string("{% load nlweb_ask %}{% nlweb_ask_link %}")
    return template.render(context)


TAG = '<link rel="nlweb" href="/ask">'


def test_tag_links_the_address(rf, site):
    assert rendered(request=rf.get("/")) == TAG


def test_tag_is_absent_where_the_site_is_off(rf, site):
    site.enabled = False
    site.save()

    assert rendered(request=rf.get("/")) == ""


def test_tag_is_there_for_whom_the_box_is(rf, site):
    AccessGrant.objects.all().delete()
    AccessGrantFactory(kind=Grantee.SIGNED_IN)
    visit = rf.get("/")
    anonymous = rendered(request=visit)
    visit.user = UserFactory()

    assert (anonymous, rendered(request=visit)) == ("", TAG)


def test_tag_in_a_template_without_a_request_is_for_everyone(site):
    assert rendered() == TAG


def test_pages_of_the_example_site_have_the_tag(client, site):
    assert TAG in client.get("/").content.decode()
