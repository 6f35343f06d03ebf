"""django-cors-headers, set up for the site's own API, opens nothing of ours."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from corsheaders.signals import check_request_enabled

from tests.factories import UserFactory

DOCS = Path(__file__).parents[2] / "docs"
QUESTION = {"query": {"text": "tide"}}
ORIGIN = "https://app.example"
CONFIGURATIONS = {
    "all": {"CORS_ALLOW_ALL_ORIGINS": True},
    "list": {"CORS_ALLOWED_ORIGINS": [ORIGIN]},
    "null": {"CORS_ALLOWED_ORIGINS": [ORIGIN, "null"]},
    "pattern": {"CORS_ALLOWED_ORIGIN_REGEXES": [re.compile(r"https://\w+\.example")]},
    "signal": {"CORS_URLS_REGEX": "^/api/"},
}


@pytest.fixture(params=[True, False], ids=["with-credentials", "without"])
def credentials(request):
    return {"CORS_ALLOW_CREDENTIALS": request.param}


@pytest.fixture(params=CONFIGURATIONS)
def configured(request, settings, credentials):
    """A site whose other pages are open to `ORIGIN`."""
    settings.MIDDLEWARE = [
        "corsheaders.middleware.CorsMiddleware",
        *settings.MIDDLEWARE,
    ]
    words = CONFIGURATIONS[request.param] | credentials
    for name, value in {**words, "CORS_EXPOSE_HEADERS": ["X-Secret"]}.items():
        setattr(settings, name, value)
    if request.param == "signal":
        check_request_enabled.connect(always)
    yield
    check_request_enabled.disconnect(always)


def always(sender, request, **_kwargs):
    return True


def cors(response):
    return {
        name.lower(): value
        for name, value in response.headers.items()
        if name.lower().startswith("access-control-")
    }


def test_middleware_opens_other_pages_of_the_site(client, configured, db):
    opened = cors(client.get("/login/", headers={"Origin": ORIGIN}))

    assert opened["access-control-allow-origin"] in {"*", ORIGIN}


@pytest.fixture
def calls(client, ask, articles):
    """Every way to ask, from a page of `ORIGIN`, with the cookie of a member."""
    client.force_login(UserFactory())
    from_elsewhere = {"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site"}
    checkin = {"promise_token": "t", "action": "checkin"}
    return [
        lambda: client.get("/ask?query=tide&streaming=false", headers=from_elsewhere),
        lambda: ask(QUESTION, **from_elsewhere),
        lambda: ask(QUESTION, Accept="text/event-stream", **from_elsewhere),
        lambda: ask(b"[", **from_elsewhere),
        lambda: ask(checkin, path="/await", **from_elsewhere),
    ]


def in_the_page(name):
    """Return what the page about callers says that a setting should be."""
    page = (DOCS / "how-to" / "callers.md").read_text(encoding="utf-8")
    [written] = re.findall(rf"^{name} = (.+)$", page, re.MULTILINE)
    return ast.literal_eval(written)


@pytest.mark.parametrize("path", ["/ask", "/await"])
@pytest.mark.parametrize("kind", ["list", "pattern"])
@pytest.mark.parametrize("kept_to", ["everything", "what the page says"])
def test_preflight_of_a_page_that_is_on_no_list(
    client, settings, site, path, kind, kept_to
):
    site.allow_cross_origin = True
    site.save()
    settings.MIDDLEWARE = [
        "corsheaders.middleware.CorsMiddleware",
        *settings.MIDDLEWARE,
    ]
    for name, value in CONFIGURATIONS[kind].items():
        setattr(settings, name, value)
    if kept_to == "what the page says":
        settings.CORS_URLS_REGEX = in_the_page("CORS_URLS_REGEX")

    preflight = client.options(
        path,
        headers={
            "Origin": "https://elsewhere.test",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type",
        },
    )

    if kept_to == "everything":  # the browser will not send the question
        assert (preflight.status_code, cors(preflight)) == (200, {})
    else:
        assert preflight.status_code == 204
        assert preflight["Access-Control-Allow-Origin"] == "*"
        assert "content-type" in preflight["Access-Control-Allow-Headers"]


def test_nothing_is_added_where_other_sites_may_not_ask(calls, configured):
    for call in calls:
        response = call()

        assert response.status_code == 403
        assert cors(response) == {}


def test_nothing_is_added_where_other_sites_may_ask(calls, configured, site):
    site.allow_cross_origin = True
    site.save()

    for call in calls:
        response = call()

        assert cors(response) == {
            "access-control-allow-origin": "*",
            "access-control-expose-headers": "Retry-After",
        }
        assert "Tide secrets" not in b"".join(response).decode()


def test_nothing_is_added_to_an_answer_of_the_site_itself(
    client, ask, configured, articles
):
    client.force_login(UserFactory())

    response = ask(
        QUESTION, **{"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}
    )

    assert "Tide secrets" in response.content.decode()
    assert cors(response) == {}


def test_nothing_is_added_to_the_page_of_results(client, configured, articles):
    client.force_login(UserFactory())

    response = client.get("/ask/results/?q=tide", headers={"Origin": ORIGIN})

    assert cors(response) == {}
    assert "Tide" not in response.content.decode()


@pytest.mark.parametrize("allowed", [False, True], ids=["off", "on"])
def test_preflight_that_the_middleware_answers_opens_nothing(
    client, ask, configured, credentials, articles, site, allowed
):
    site.allow_cross_origin = allowed
    site.save()
    client.force_login(UserFactory())

    preflight = client.options(
        "/ask",
        headers={
            "Origin": ORIGIN,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization, content-type",
        },
    )
    asked = ask(QUESTION, Origin=ORIGIN)
    with_key = ask(QUESTION, Origin=ORIGIN, Authorization="Bearer x")

    # The middleware stands before us, so the browser goes on to send the question.
    assert preflight.status_code == 200
    assert "authorization" in preflight["Access-Control-Allow-Headers"]
    assert ("Access-Control-Allow-Credentials" in preflight) == credentials[
        "CORS_ALLOW_CREDENTIALS"
    ]
    # To one with a cookie the browser shows no answer that lacks these words.
    assert "Access-Control-Allow-Credentials" not in asked
    assert "Tide secrets" not in asked.content.decode()
    assert with_key.status_code == 403
