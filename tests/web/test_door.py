from __future__ import annotations

import io
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections
from django.http import UnreadablePostError
from django.test import Client, RequestFactory

from nlweb_ask.models import AccessGrant
from nlweb_ask.web.views import AskView
from tests.factories import AccessGrantFactory, UserFactory

QUESTION = {"query": {"text": "tide"}}


def refusal(response):
    """Return status and code, having looked that it is a failure document."""
    document = response.json()
    assert response["Content-Type"] == "application/json"
    assert document["_meta"]["response_type"] == "failure"
    assert document["error"]["message"]
    return response.status_code, document["error"]["code"]


@pytest.mark.parametrize("path", ["/ask", "/await", "/ask/results/"])
@pytest.mark.parametrize(
    "method", ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "BREW"]
)
def test_endpoint_of_a_site_that_is_off_is_the_sites_own_404(
    client, site, path, method
):
    site.enabled = False
    site.save()

    response = client.generic(method, path)
    elsewhere = client.generic(method, "/no-such-page")

    assert response.status_code == 404
    assert response["Content-Type"] == elsewhere["Content-Type"]
    assert "_meta" not in response.content.decode()


def test_site_without_a_row_is_off(client, db):
    assert client.get("/ask?query=tide").status_code == 404


def test_switching_off_holds_from_the_next_question_on(ask, site):
    assert ask(QUESTION).status_code == 200

    site.enabled = False
    site.save()

    assert ask(QUESTION).status_code == 404


@pytest.mark.parametrize(
    ("path", "method", "allowed"),
    [
        pytest.param("/ask", "PUT", "GET, POST, OPTIONS", id="put"),
        pytest.param("/ask", "DELETE", "GET, POST, OPTIONS", id="delete"),
        pytest.param("/ask", "BREW", "GET, POST, OPTIONS", id="unknown"),
        pytest.param("/await", "GET", "POST, OPTIONS", id="get-await"),
    ],
)
def test_wrong_method_is_refused_and_told_the_right_ones(
    client, site, path, method, allowed
):
    response = client.generic(method, path)

    assert refusal(response) == (405, "METHOD_NOT_ALLOWED")
    assert response["Allow"] == allowed


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        pytest.param("application/json", "application/json", id="json"),
        pytest.param("*/*", "text/event-stream", id="the-habit-of-0.1"),
    ],
)
def test_head_tells_how_a_get_would_be_answered(client, site, accept, kind):
    head = client.head("/ask?query=tide", headers={"Accept": accept})
    get = client.get("/ask?query=tide", headers={"Accept": accept})

    assert (head.status_code, head["Content-Type"]) == (200, kind)
    assert get["Content-Type"] == kind
    assert head.content == b""
    assert head["Cache-Control"].startswith("private, no-store")


def test_head_searches_for_nothing(client, site, django_assert_max_num_queries):
    with django_assert_max_num_queries(10) as captured:
        client.head("/ask?query=tide")

    asked = " ".join(query["sql"] for query in captured)
    assert "nlweb_ask_sitesettings" in asked
    assert "posting" not in asked
    assert "document" not in asked


def test_head_without_a_question_is_refused_like_its_get(client, site):
    assert client.head("/ask").status_code == 400


def test_head_is_offered_where_get_is(client, site):
    assert client.head("/await").status_code == 405


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        pytest.param(b"", 400, "MISSING_FIELD", id="empty"),
        pytest.param(b"   ", 400, "MISSING_FIELD", id="white-space"),
        pytest.param(b"{}", 400, "MISSING_FIELD", id="no-query"),
        pytest.param(b'{"query":{"text":"  "}}', 400, "MISSING_FIELD", id="blank"),
        pytest.param(b'{"query":', 400, "INVALID_REQUEST", id="broken-off"),
        pytest.param(b"tide", 400, "INVALID_REQUEST", id="no-json"),
        pytest.param(b'["tide"]', 400, "INVALID_REQUEST", id="array"),
        pytest.param(b'"tide"', 400, "INVALID_REQUEST", id="string"),
        pytest.param(b'{"query":{"text":["tide"]}}', 400, "INVALID_REQUEST", id="list"),
        pytest.param(b"\xff\xfe{}", 400, "INVALID_REQUEST", id="no-utf-8"),
        pytest.param(b'{"q":"\xff"}', 400, "INVALID_REQUEST", id="bad-byte"),
        pytest.param(b"[" * 16384, 400, None, id="16-KB-of-brackets"),
        pytest.param(
            b'{"query":{"text":"a","min_score":NaN}}', 400, None, id="not-a-number"
        ),
        pytest.param(
            b'{"query":{"text":"a","max_results":%b}}' % (b"9" * 5000),
            400,
            None,
            id="5000-digits",
        ),
        pytest.param(
            b'{"query":{"text":"\\ud800"}}', 400, "INVALID_REQUEST", id="half-a-sign"
        ),
        pytest.param(b" " * 2**20, 413, "PAYLOAD_TOO_LARGE", id="1-MB"),
        pytest.param(
            b'"%b"' % (b"a" * 65536), 413, "PAYLOAD_TOO_LARGE", id="just-over"
        ),
    ],
)
@pytest.mark.parametrize(
    "accept", ["application/json", "text/event-stream", "text/html"]
)
def test_body_that_asks_nothing_is_refused_without_a_search(
    ask, site, body, status, code, accept
):
    response = ask(body, Accept=accept)

    found_status, found_code = refusal(response)
    assert found_status == status
    assert code in (None, found_code)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        pytest.param("", "MISSING_FIELD", id="no-query"),
        pytest.param("query=", "MISSING_FIELD", id="empty"),
        pytest.param("query=%20", "MISSING_FIELD", id="blank"),
        pytest.param("query=%ff", "INVALID_REQUEST", id="no-utf-8"),
        pytest.param("query=" + "tide+" * 300, "INVALID_PARAMETER", id="too-long"),
        pytest.param("query=a" + "&x=1" * 2000, "INVALID_REQUEST", id="2000-fields"),
    ],
)
def test_address_that_asks_nothing_is_refused_in_its_own_dialect(
    client, site, query, code
):
    response = client.get(f"/ask?{query}", headers={"Accept": "text/event-stream"})

    assert refusal(response) == (400, code)
    assert response.json()["_meta"]["version"] == "0.1"
    assert response.json()["query_id"]


def test_body_longer_than_announced_is_not_read(site):
    """A server that does not bound the body by its announced length."""
    request = RequestFactory().post("/ask", b"x" * 70000, "application/json")
    request.META["CONTENT_LENGTH"] = ""

    response = AskView.as_view()(request)

    assert (response.status_code, json.loads(response.content)["error"]["code"]) == (
        413,
        "PAYLOAD_TOO_LARGE",
    )
    assert request.read() == b"x" * (70000 - 65537)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_announced_length_is_enough_to_refuse(client, site, method):
    response = client.generic(method, "/ask?query=tide", CONTENT_LENGTH="70000")

    assert refusal(response) == (413, "PAYLOAD_TOO_LARGE")


def test_chunks_that_the_server_does_not_end_are_refused_with_a_reason(client, site):
    response = client.generic(
        "POST", "/ask", CONTENT_LENGTH="", HTTP_TRANSFER_ENCODING="chunked"
    )
    assert response.status_code == 400
    assert "Content-Length" in response.json()["error"]["message"]


class BrokenOff(io.BytesIO):
    """What a server gives to read whose client has gone, or sent something else."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def read(self, size=-1):
        raise self.error


CHUNKED = {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}
ANNOUNCED = {"CONTENT_LENGTH": "9"}


@pytest.mark.parametrize("headers", [CHUNKED, ANNOUNCED], ids=["chunks", "length"])
@pytest.mark.parametrize(
    "error", [OSError(), ValueError(), type("Own", (Exception,), {})()]
)
@pytest.mark.parametrize("path", ["/ask", "/await"])
def test_body_that_cannot_be_read_is_refused_and_no_defect(
    client, site, caplog, headers, error, path
):
    """Each server has errors of its own for it."""
    read = {"wsgi.input": BrokenOff(error), "wsgi.input_terminated": True}

    response = client.generic("POST", path, **headers, **read)

    assert refusal(response) == (400, "INVALID_REQUEST")
    assert "ERROR" not in caplog.text


def test_body_shorter_than_announced_is_refused(client, site):
    """A form that broke off reads like a whole one."""
    response = client.generic(
        "POST",
        "/ask",
        "query=tide",
        "application/x-www-form-urlencoded",
        CONTENT_LENGTH="100",
    )

    assert refusal(response) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({**CHUNKED, "wsgi.input_terminated": False}, id="no-length"),
        pytest.param({"wsgi.input": BrokenOff(OSError())}, id="unreadable"),
        pytest.param({"CONTENT_LENGTH": "100"}, id="broken-off"),
        pytest.param({"CONTENT_LENGTH": "70000"}, id="too-large"),
    ],
)
@pytest.mark.parametrize("path", ["/ask", "/await"])
def test_body_that_is_refused_counts_for_its_address(client, site, path, headers):
    site.rate_limit = "2/d"
    site.save()

    found = [client.generic("POST", path, b"{}", **headers) for _ in range(3)]

    assert {response.status_code for response in found[:2]} <= {400, 413}
    assert refusal(found[2]) == (429, "RATE_LIMITED")
    assert found[2]["Retry-After"]


@pytest.mark.parametrize("length", ["", "ten", "-1"])
def test_length_that_is_no_number_breaks_nothing(client, site, length):
    response = client.generic("POST", "/ask", CONTENT_LENGTH=length)

    assert refusal(response) == (400, "MISSING_FIELD")


def test_body_that_breaks_off_is_refused(site):
    request = RequestFactory().post("/ask", b"{}", "application/json")

    def broken(_size):
        msg = "the client has gone"
        raise UnreadablePostError(msg)

    request.read = broken

    assert AskView.as_view()(request).status_code == 400


def test_legacy_request_is_refused_where_those_are_off(client, site):
    site.allow_legacy = False
    site.save()

    response = client.get("/ask?query=tide")

    assert refusal(response) == (400, "UNSUPPORTED_VERSION")
    assert client.get("/ask/results/?q=tide").status_code == 200


def test_anonymous_caller_without_a_grant_is_asked_who_it_is(ask, site):
    AccessGrant.objects.all().delete()

    response = ask(QUESTION, Accept="text/event-stream")

    assert refusal(response) == (401, "UNAUTHORIZED")
    assert response["WWW-Authenticate"] == "Bearer"


def test_known_caller_without_a_grant_is_refused(client, ask, site):
    AccessGrant.objects.all().delete()
    client.force_login(UserFactory())

    response = ask(QUESTION)

    assert refusal(response) == (403, "FORBIDDEN")
    assert "WWW-Authenticate" not in response


def test_grant_to_one_user_holds_for_that_user_and_at_once(client, ask, site):
    AccessGrant.objects.all().delete()
    user = UserFactory()
    client.force_login(user)
    grant = AccessGrantFactory(user=user)
    assert ask(QUESTION).status_code == 200

    grant.delete()

    assert ask(QUESTION).status_code == 403


def test_refused_caller_learns_nothing_of_the_question(ask, site):
    """The grant is looked at before the question is read."""
    AccessGrant.objects.all().delete()

    assert ask(b"no json").content == ask(QUESTION).content


@pytest.mark.parametrize("key", ["Bearer forged", "Basic dGlkZTp0aWRl", "junk", ""])
def test_unknown_key_is_refused_whatever_cookie_comes_with_it(client, ask, site, key):
    client.force_login(UserFactory())

    response = ask(QUESTION, Authorization=key)

    assert refusal(response) == (401, "UNAUTHORIZED")
    assert response["WWW-Authenticate"] == "Bearer"


def test_guessing_keys_is_counted(ask, site):
    site.rate_limit = "2/d"
    site.save()

    statuses = [ask(QUESTION, Authorization="Bearer x").status_code for _ in range(3)]

    assert statuses == [401, 401, 429]


def test_defect_becomes_a_failure_document_without_its_text(ask, articles, settings):
    settings.NLWEB_ASK = {"RETRIEVERS": 5}  # what no site can run with
    client = Client(raise_request_exception=False)

    response = ask(QUESTION, client=client)

    assert refusal(response) == (500, "INTERNAL_ERROR")
    assert "RETRIEVERS" not in response.content.decode()


def test_every_refusal_is_sealed_like_an_answer(ask, site):
    headers = ask(b"[]").headers

    assert headers["Cache-Control"] == "private, no-store"
    assert "Cookie" in headers["Vary"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "ETag" not in headers


@pytest.fixture
def no_database(db, monkeypatch):
    """Give a way to call where no database can be reached, in a thread without one yet."""
    for alias in connections:
        unreachable = {
            **connections.settings[alias],
            "ATOMIC_REQUESTS": True,
            "NAME": "/no/such/database",
            "HOST": "127.0.0.1",
            "PORT": "1",
        }
        monkeypatch.setitem(connections.settings, alias, unreachable)
    client = Client(raise_request_exception=False)

    def call(method, path):
        with ThreadPoolExecutor(1) as elsewhere:
            return elsewhere.submit(client.generic, method, path).result()

    return call


@pytest.mark.servers
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/ask?query=tide"),
        ("GET", "/ask?query=tide&streaming=0"),
        ("POST", "/ask"),
        ("PUT", "/ask"),
        ("OPTIONS", "/ask"),
        ("POST", "/await"),
        ("GET", "/sites"),
    ],
)
def test_database_that_is_down_is_told_as_a_failure_document(
    no_database, settings, method, path
):
    """Also where each request is a transaction, which Django begins before a view."""
    settings.NLWEB_ASK = {"SITES_ENDPOINT": True}

    assert refusal(no_database(method, path)) == (500, "INTERNAL_ERROR")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "path", ["/ask?query=tide&streaming=0", "/ask/results/?q=tide"]
)
def test_question_is_answered_outside_of_any_transaction(
    client, site, monkeypatch, path
):
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)
    AccessGrant.objects.all().delete()
    AccessGrantFactory()
    begun = []
    monkeypatch.setattr(
        connections["default"], "set_autocommit", lambda *_a, **_k: begun.append(1)
    )

    assert client.get(path).status_code == 200
    assert begun == []
