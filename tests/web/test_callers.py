"""Who asks: by a session, by a key that the site's own classes know, or nobody."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from rest_framework.authtoken.models import Token

from nlweb_ask.models import AccessGrant
from nlweb_ask.plugins import processors
from tests.factories import AccessGrantFactory, UserFactory
from tests.web import keys_of_a_site as keys

QUESTION = {"query": {"text": "tide"}}
TOKENS = "rest_framework.authentication.TokenAuthentication"
TOKENS_TOO = f"{keys.__name__}.TokenToo"
SESSIONS = "rest_framework.authentication.SessionAuthentication"
OPEN, MEMBERS = "Tide table", "Tide secrets"


@pytest.fixture
def named(settings):
    """Name authentication classes: ours by their name alone, others by their path."""
    keys.Noted.asked.clear()

    def write(*classes, **more):
        paths = [c if "." in c else f"{keys.__name__}.{c}" for c in classes]
        settings.NLWEB_ASK = {"AUTHENTICATION_CLASSES": paths, **more}

    return write


@pytest.fixture
def anna(db):
    return UserFactory(username="anna")


@pytest.fixture
def quiet():
    """A client that is given a 500 as others are."""
    return Client(raise_request_exception=False)


@pytest.fixture
def viewers():
    """The viewers on whose behalf was asked, where the processor runs."""
    noted = []

    class NotesViewers:
        name = "notes-viewers"

        def process(self, question, viewer):
            noted.append(viewer)
            return question

    processors.register(NotesViewers)
    yield noted
    processors.unregister(NotesViewers.name)


def names(response):
    assert response.status_code == 200, response.content
    return {result["name"] for result in response.json()["results"]}


def refusal(response):
    return response.status_code, response.json()["error"]["code"]


def test_token_of_drf_asks_with_the_rights_of_its_user(client, ask, articles, named):
    named(TOKENS)
    key = f"Token {Token.objects.create(user=UserFactory()).key}"

    posted = ask(QUESTION, Authorization=key)
    got = client.get("/ask?query=tide&streaming=false", headers={"Authorization": key})

    assert names(posted) == names(got) == {OPEN, MEMBERS}
    assert names(ask(QUESTION)) == {OPEN}


def test_class_of_the_site_asks_with_the_rights_of_its_user(ask, articles, named, anna):
    named("Bearer")

    assert names(ask(QUESTION, Authorization="Bearer anna")) == {OPEN, MEMBERS}


def test_stream_for_a_key_holds_what_its_user_may_see(ask, articles, named, anna):
    named("Bearer")

    response = ask(QUESTION, Authorization="Bearer anna", Accept="text/event-stream")

    assert MEMBERS in b"".join(response.streaming_content).decode()


def test_grant_to_the_user_of_a_key_holds_for_the_key(ask, articles, named, anna):
    named("Bearer")
    AccessGrant.objects.all().delete()
    AccessGrantFactory(user=anna)
    UserFactory(username="bert")

    assert names(ask(QUESTION, Authorization="Bearer anna")) == {OPEN, MEMBERS}
    assert refusal(ask(QUESTION, Authorization="Bearer bert")) == (403, "FORBIDDEN")
    assert refusal(ask(QUESTION)) == (401, "UNAUTHORIZED")


def test_await_knows_the_same_keys(ask, site, named, anna):
    named("Bearer")
    body = {"promise_token": "t", "action": "checkin"}

    known = ask(body, path="/await", Authorization="Bearer anna")
    unknown = ask(body, path="/await", Authorization="Bearer bert")

    assert refusal(known) == (200, "UNKNOWN_PROMISE")
    assert refusal(unknown) == (401, "UNAUTHORIZED")


def test_classes_are_asked_in_their_order_until_one_knows(ask, articles, named, anna):
    named("ApiKey", "Bearer")
    UserFactory(username="bert")

    ask(QUESTION, **{"Authorization": "Bearer anna", "X-Api-Key": "bert"})
    ask(QUESTION, Authorization="Bearer anna")

    kinds = [request.headers.get("X-Api-Key") for request in keys.Noted.asked]
    assert kinds == ["bert", None, None]


@pytest.mark.parametrize(
    "key",
    [
        pytest.param("Bearer nobody", id="refused-by-its-class"),
        pytest.param("Bearer closed", id="user-closed-down"),
        pytest.param("Basic dGlkZTp0aWRl", id="claimed-by-none"),
        pytest.param("junk", id="junk"),
        pytest.param("", id="empty"),
        pytest.param("Bearer \xff", id="not-ascii"),
    ],
)
@pytest.mark.parametrize("path", ["/ask", "/await"])
def test_bad_key_is_refused_whatever_cookie_comes_with_it(
    client, ask, site, named, key, path
):
    named("Bearer", TOKENS)
    UserFactory(username="closed", is_active=False)
    client.force_login(UserFactory())

    response = ask(QUESTION, path=path, Authorization=key)

    assert refusal(response) == (401, "UNAUTHORIZED")
    assert response["WWW-Authenticate"] == "Token"
    assert keys.SECRET not in response.content.decode()


@pytest.mark.parametrize(
    ("classes", "challenge"),
    [
        pytest.param([], "Bearer", id="none-named"),
        pytest.param(["WithoutChallenge"], "Bearer", id="none-given"),
        pytest.param([TOKENS], "Token", id="of-the-class"),
        pytest.param(
            ["WithRealm", "WithoutChallenge", TOKENS],
            'Bearer realm="tide", Token',
            id="several-in-their-order",
        ),
        pytest.param([TOKENS, TOKENS_TOO], "Token", id="each-once"),
        pytest.param(["WithBrokenChallenge"], "Bearer", id="one-that-breaks"),
        pytest.param(["WithBrokenChallenge", TOKENS], "Token", id="breaks-beside-one"),
        pytest.param(["WithTwoLines", "WithNumber"], "Bearer", id="no-header-at-all"),
    ],
)
@pytest.mark.parametrize("headers", [{"Authorization": "Basic x"}, {}])
def test_refused_caller_is_told_which_keys_are_known(
    ask, site, named, caplog, classes, challenge, headers
):
    named(*classes)
    AccessGrant.objects.all().delete()

    response = ask(QUESTION, **headers)

    assert refusal(response) == (401, "UNAUTHORIZED")
    assert response["WWW-Authenticate"] == challenge
    assert keys.SECRET not in caplog.text


def test_page_of_another_site_has_no_password_asked_for(ask, site, named):
    named("rest_framework.authentication.BasicAuthentication")
    site.allow_cross_origin = True
    site.save()
    AccessGrant.objects.all().delete()

    own = ask(QUESTION)
    foreign = ask(QUESTION, **{"Sec-Fetch-Site": "cross-site"})

    assert own["WWW-Authenticate"].startswith("Basic ")
    assert refusal(foreign) == (401, "UNAUTHORIZED")
    assert foreign["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("kind", ["Nobody", "ClientOnly", SESSIONS])
def test_key_that_stands_for_nobody_is_refused(client, ask, site, named, kind):
    named(kind)
    client.force_login(UserFactory())

    response = ask(QUESTION, Authorization="Bearer x")

    assert refusal(response) == (401, "UNAUTHORIZED")


def test_token_that_was_deleted_is_refused_from_the_next_question_on(
    ask, articles, named
):
    named(TOKENS)
    token = Token.objects.create(user=UserFactory())
    assert MEMBERS in names(ask(QUESTION, Authorization=f"Token {token.key}"))

    token.delete()

    response = ask(QUESTION, Authorization=f"Token {token.key}")
    assert refusal(response) == (401, "UNAUTHORIZED")


def test_user_who_is_shut_out_takes_the_key_along(ask, articles, named, anna):
    named("Bearer")
    assert MEMBERS in names(ask(QUESTION, Authorization="Bearer anna"))

    anna.is_active = False
    anna.save()

    response = ask(QUESTION, Authorization="Bearer anna")
    assert refusal(response) == (401, "UNAUTHORIZED")


def test_class_may_read_another_header(ask, articles, named, anna):
    named("ApiKey")

    assert names(ask(QUESTION, **{"X-Api-Key": "anna"})) == {OPEN, MEMBERS}
    assert names(ask(QUESTION, **{"X-Api-Key": "nobody"})) == {OPEN}


def test_session_counts_where_no_class_knows_the_caller(client, ask, articles, named):
    named("Bearer", "ApiKey")
    client.force_login(UserFactory())

    assert names(ask(QUESTION)) == {OPEN, MEMBERS}


def test_class_that_says_nobody_is_believed_without_a_header(
    client, ask, articles, named
):
    named("Nobody")
    client.force_login(UserFactory())

    assert names(ask(QUESTION)) == {OPEN}


@pytest.mark.parametrize(
    ("headers", "marks"),
    [
        pytest.param({}, {"passed_passwords": [7]}, id="session"),
        pytest.param({"Authorization": "Bearer anna"}, {}, id="key"),
        pytest.param({"X-Api-Key": "anna"}, {}, id="key-in-another-header"),
    ],
)
def test_what_the_session_has_noted_does_not_count_beside_a_key(
    client, ask, articles, named, anna, viewers, headers, marks
):
    named("Bearer", "ApiKey", PROCESSORS=["notes-viewers"])
    client.force_login(anna)
    session = client.session
    session["passed_passwords"] = [7]
    session.save()

    ask(QUESTION, **headers)

    [viewer] = viewers
    assert viewer.user == anna
    assert dict(viewer.session_marks) == marks


@pytest.mark.parametrize(
    "kind", ["WithValueError", "WithAttributeError", "WithNotFound", "WithOddClaim"]
)
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer x"}])
def test_class_that_breaks_shows_nothing_and_says_nothing(
    quiet, ask, articles, named, caplog, settings, kind, headers
):
    settings.DEBUG = True  # a developer is told more elsewhere
    named(kind)
    quiet.force_login(UserFactory())

    response = ask(QUESTION, client=quiet, **headers)

    assert refusal(response) == (500, "INTERNAL_ERROR")
    assert keys.SECRET not in response.content.decode()
    assert keys.SECRET not in caplog.text
    assert f"class={keys.__name__}.{kind}" in caplog.text


def test_class_that_forbids_is_taken_at_its_word(ask, articles, named):
    named("WithPermissionDenied")

    response = ask(QUESTION)

    assert refusal(response) == (403, "FORBIDDEN")
    assert keys.SECRET not in response.content.decode()


def test_class_that_counts_calls_itself_is_taken_at_its_word(ask, articles, named):
    named("WithThrottled")

    response = ask(QUESTION)

    assert refusal(response) == (429, "RATE_LIMITED")
    assert response["Retry-After"] == "7"
    assert "details" not in response.json()["error"]


@pytest.mark.parametrize("path", ["no.such.Class", "datetime.date"])
def test_class_that_cannot_be_used_lets_nobody_in(quiet, ask, articles, named, path):
    named(path)
    quiet.force_login(UserFactory())

    assert refusal(ask(QUESTION, client=quiet)) == (500, "INTERNAL_ERROR")


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        pytest.param("application/json", json.dumps(QUESTION), id="json"),
        pytest.param("application/x-www-form-urlencoded", "query=tide", id="form"),
        pytest.param("text/plain", json.dumps(QUESTION), id="text"),
    ],
)
def test_class_may_look_into_the_request(
    client, articles, named, anna, content_type, body
):
    named("LooksIntoTheRequest")
    keys.LooksIntoTheRequest.seen.clear()

    response = client.post(
        "/ask?streaming=false",
        body,
        content_type=content_type,
        headers={"Authorization": "Bearer anna"},
    )

    assert names(response) == {OPEN, MEMBERS}
    assert keys.LooksIntoTheRequest.seen == [({}, {}, body.encode())]


def test_what_rest_framework_says_for_other_views_plays_no_part(
    ask, articles, settings, anna
):
    settings.REST_FRAMEWORK = {
        "DEFAULT_AUTHENTICATION_CLASSES": [f"{keys.__name__}.Bearer"],
        "UNAUTHENTICATED_USER": lambda: anna,
    }

    assert names(ask(QUESTION)) == {OPEN}
    response = ask(QUESTION, Authorization="Bearer anna")
    assert refusal(response) == (401, "UNAUTHORIZED")


def test_each_key_is_counted_by_its_user(ask, site, named, anna):
    named("Bearer")
    UserFactory(username="bert")
    site.rate_limit = "1/d"
    site.save()

    callers = ["anna", "bert", "anna"]
    statuses = [
        ask(QUESTION, Authorization=f"Bearer {name}").status_code for name in callers
    ]

    assert statuses == [200, 200, 429]
    assert ask(QUESTION).status_code == 200


def test_key_is_not_read_where_too_many_were_refused(ask, site, named, anna):
    """Else whoever guesses would go on, and know the good one by its answer."""
    named("Bearer")
    site.rate_limit = "2/d"
    site.save()
    for name in ("one", "two"):
        assert ask(QUESTION, Authorization=f"Bearer {name}").status_code == 401
    keys.Noted.asked.clear()

    good = ask(QUESTION, Authorization="Bearer anna")
    bad = ask(QUESTION, Authorization="Bearer three")

    assert refusal(good) == (429, "RATE_LIMITED")
    assert good.json()["error"]["details"] == {"limit": "keys"}
    assert "keys" in good.json()["error"]["message"]
    assert good.content == bad.content
    assert keys.Noted.asked == []
    assert ask(QUESTION).status_code == 200  # others of that address may go on


@pytest.mark.parametrize("kind", ["WithValueError", "WithPermissionDenied"])
def test_key_that_breaks_its_class_is_counted_too(quiet, ask, site, named, kind):
    named(kind)
    site.rate_limit = "1/d"
    site.save()

    first, second = (
        ask(QUESTION, client=quiet, Authorization="Bearer x") for _ in range(2)
    )

    assert (first.status_code, second.status_code) in {(500, 429), (403, 429)}


def test_good_key_in_another_header_is_refused_like_a_bad_one_after_many(
    ask, articles, site, named, anna
):
    named("StrictApiKey")
    site.rate_limit = "2/d"
    site.save()
    for name in ("one", "two"):
        assert ask(QUESTION, **{"X-Api-Key": name}).status_code == 401

    good = ask(QUESTION, **{"X-Api-Key": "anna"})
    bad = ask(QUESTION, **{"X-Api-Key": "three"})

    assert refusal(good) == (429, "RATE_LIMITED")
    assert good.content == bad.content
    assert good["Retry-After"] == bad["Retry-After"]
    assert ask(QUESTION).status_code == 200


def test_class_that_cannot_read_an_address_is_no_defect(
    quiet, ask, articles, named, caplog
):
    named("ReadsTheAddress")

    response = quiet.get("/ask?query=tide" + "&a" * 1001)

    assert refusal(response) == (400, "INVALID_REQUEST")
    assert "ERROR" not in caplog.text


@pytest.mark.servers
@pytest.mark.parametrize(
    "kind", [TOKENS, "rest_framework.authentication.BasicAuthentication"]
)
def test_key_that_no_database_can_look_up_is_not_known(
    quiet, ask, articles, named, kind
):
    named(kind)
    scheme, secret = ("Token", "a\0b") if kind == TOKENS else ("Basic", "YQBiOnB3")

    response = ask(QUESTION, client=quiet, Authorization=f"{scheme} {secret}")

    assert refusal(response) == (401, "UNAUTHORIZED")
