"""Whatever is sent to the endpoints: an answer, or a refusal that says its code.

One site is set up for all the cases of a test, and indexed as a site is; the streams
read it in threads of their own.
"""

from __future__ import annotations

import io
import json
import os
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

import jsonschema
import pytest
from django.test import Client
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from nlweb_ask.models import AccessGrant
from nlweb_ask.plugins import generators, processors, retrievers
from nlweb_ask.protocol.errors import Refusal
from tests.factories import AccessGrantFactory, IndexProfileFactory, SiteSettingsFactory
from tests.protocol import folding
from tests.protocol import legal_requests as legal
from tests.testapp.models import Article
from tests.web.moody_plugins import MOODS

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "100"))
SCHEMAS = Path(__file__).parents[1] / "protocol" / "fixtures" / "schemas"

pytestmark = [pytest.mark.property, pytest.mark.django_db(transaction=True)]

many = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,  # one site for all cases
    ],
)

PAGES = {
    "Tide table": "When the tide comes in, and when the soup is ready.",
    "Moon": "The moon draws the tide.\r\nTwice a day, “more or less”.",
    "Soup & <bread>": "A soup of lentils\u2028and what the tide left.",
    "潮汐": "月と潮 tide",
}


@pytest.fixture
def moody_site(transactional_db, settings):
    """A site of public and hidden pages, two profiles, and plug-ins with moods."""
    plugins = "tests.web.moody_plugins.Moody"
    settings.NLWEB_ASK = {
        "PROCESSORS": [f"{plugins}Processor"],
        "RETRIEVERS": ["keyword", f"{plugins}Retriever"],
        "GENERATORS": [f"{plugins}Generator"],
        "SITES_ENDPOINT": True,
        "TRUSTED_PROXIES": 1,
        "BASE_URL": "https://mill.example",
    }
    SiteSettingsFactory(max_results=3, allow_cross_origin=True)
    # The row of the migrations is gone once a test before has emptied the tables.
    AccessGrant.objects.all().delete()
    AccessGrantFactory()
    IndexProfileFactory(name="blog", sources=["testapp.article"])
    IndexProfileFactory(name="nothing", sources=["posts"])
    for title, body in PAGES.items():
        Article.objects.create(title=title, lead=title, body=body)
    Article.objects.create(title="Tide secrets", body="tide", members_only=True)
    yield
    for registry in (processors, retrievers, generators):
        registry.unregister("moody")


# Random questions, each asked twice: for a document and for a stream

questions = st.lists(
    st.sampled_from(["tide", "moon", "soup", "潮", *MOODS]), min_size=1, max_size=3
)
asked = st.fixed_dictionaries(
    {
        "text": st.builds(
            lambda known, rest: " ".join([*known, rest]), questions, legal.texts
        )
    },
    optional={
        "mode": st.sampled_from(["list", "summarize", "generate", "list, summarize"]),
        "site": st.sampled_from(["blog", "nothing", "mill.example", "no-such", "all"])
        | st.lists(st.sampled_from(["blog", "nothing"]), min_size=1, max_size=2),
        "itemType": st.sampled_from(["Article", "Recipe", "Thing"]),
        "max_results": st.integers(-1, 5),
        "min_score": st.integers(-1, 101),
        "start_num": st.integers(-1, 4),
        "prev": st.lists(legal.texts, max_size=2),
        "decontextualized_query": st.sampled_from(["moon", "tide and soup"]),
        "session_context": st.dictionaries(legal.texts, legal.free, max_size=2),
        "query_id": st.sampled_from(["q-1", "17"]),
    },
)


def sent(wording, question, *, form, how):
    """Ask for `form`, by `streaming` or by the Accept header."""
    streaming = form == "text/event-stream"
    pairs, body = wording.request(question, streaming if how == "said" else None)
    return Client().generic(
        wording.method,
        "/ask",
        body,
        wording.content_type if body else "",
        QUERY_STRING=urlencode(pairs),
        headers={"Accept": "*/*" if how == "said" else form},
    )


def answered(response, form):
    assert response.status_code == 200, response.content
    assert response["Content-Type"] == form
    return response.getvalue()


@many
@given(
    wording=st.sampled_from(list(legal.WORDINGS.values())),
    question=asked,
    how=st.sampled_from(["said", "accepted"]),
)
def test_stream_folds_to_the_document_of_the_same_question(
    moody_site, wording, question, how
):
    document, stream = (
        answered(sent(wording, question, form=form, how=how), form)
        for form in ("application/json", "text/event-stream")
    )
    document, events = json.loads(document), list(folding.events_of(stream))
    event(document.get("_meta", {}).get("response_type", "0.1"))

    for folded, told in folds(wording, events, document):
        assert without_volatile(folded) == without_volatile(told)
    last = folding.terminals(wording.version)
    assert folding.names_of(events)[-len(last) :] == last


def folds(wording, events, document):
    """Give what a client reads off the stream, beside what the document says."""
    if wording.version == "0.1":
        yield folding.legacy(events, document)
        if wording.family == "widgets":
            yield folding.widgets(events, document)
        return
    yield folding.structured(
        events,
        document,
        version=wording.version,
        response_format=wording.response_format,
    )
    if wording.family == "ask-family":
        yield folding.ask_family(events, document)


def without_volatile(answer):
    """Leave out ids that are new each time, and times."""
    if not isinstance(answer, dict):
        return answer
    meta = dict(answer.get("_meta", {}))
    if session := meta.get("session_context"):
        meta["session_context"] = session | {"conversation_id": "c"}
    for name in ("query_id", "conversation_id", "processing_time_ms"):
        meta.pop(name, None)
    return answer | {"_meta": meta, "query_id": "q"}


# Random legal requests


@many
@given(body=legal.bodies)
def test_legal_body_is_answered(moody_site, body):
    response = Client().post("/ask", json.dumps(body), "application/json")

    assert response.status_code == 200, response.content
    ends_properly(response)


@many
@given(pairs=legal.pairs, method=st.sampled_from(["GET", "POST"]))
def test_legal_address_and_form_are_answered(moody_site, pairs, method):
    encoded = urlencode(pairs)

    response = (
        Client().post("/ask", encoded, legal.FORM)
        if method == "POST"
        else Client().get("/ask", QUERY_STRING=encoded)
    )

    assert response.status_code == 200, response.content
    ends_properly(response)


def ends_properly(response):
    if response["Content-Type"] == "application/json":
        assert response.json()
        return
    names = folding.names_of(folding.events_of(response.getvalue()))
    assert names[0] == "start"
    assert names[-1] in {"complete", "end"}


# Anything at all

values = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"))
said = {
    "Accept": ["text/event-stream", "application/json;q=0.1, */*", "a/b;q=x"],
    "Accept-Language": ["tr, en;q=0.5", "de-AT-1996", "*", "xx" * 400],
    "Content-Type": ["application/json", legal.FORM, "multipart/form-data; boundary=x"],
    "Content-Length": ["0", "7", "-1", "1e3", "99999999999999999999"],
    "X-Forwarded-For": ["10.0.0.1, ::1", "[::1]:80", "fe80::1%eth0", ",,,"],
    "Origin": ["null", "https://app.example", "http://testserver:x", "http://["],
    "Sec-Fetch-Site": ["same-origin", "cross-site", "none"],
    "Authorization": ["Bearer x", "Basic eDp5"],
    "Cookie": ["sessionid=x", "=;=", "csrftoken=\xff"],
}
keys = said.pop("Authorization")  # with it most other headers do not count


def header(known):
    return st.sampled_from(known) | values


ordinary = st.fixed_dictionaries(
    {}, optional={name: header(known) for name, known in said.items()}
)
with_key = st.builds(
    lambda headers, key: headers | {"Authorization": key}, ordinary, header(keys)
)
headers = st.one_of(ordinary, ordinary, ordinary, with_key)
words = st.sampled_from(["tide", "query", "text", "site", "streaming", "token"])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | words,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(words | st.text(), inner, max_size=4)
    ),
    max_leaves=8,
)
bodies = st.one_of(
    st.just(b""),
    st.binary(),
    anything.map(lambda value: json.dumps(value).encode()),
    (legal.bodies | legal.promises).map(lambda value: json.dumps(value).encode()),
    st.builds(
        lambda body, cut: json.dumps(body).encode()[:cut],
        legal.bodies,
        st.integers(1, 100),
    ),
)
query_strings = st.one_of(
    st.just(""),
    legal.pairs.map(urlencode),
    values,
    st.binary().map(lambda value: value.decode("latin-1")),
    st.lists(st.tuples(words | st.text(), st.text()), max_size=4).map(
        lambda pairs: urlencode(pairs, errors="surrogatepass")
    ),
)
OFFERED = [("POST", "/ask"), ("GET", "/ask"), ("POST", "/await"), ("GET", "/sites")]
METHODS = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "BREW"]
PATHS = ["/ask", "/await", "/sites"]
calls = st.one_of(
    st.sampled_from(OFFERED),
    st.sampled_from(OFFERED),
    st.tuples(st.sampled_from(METHODS), st.sampled_from(PATHS)),
)
CODES = frozenset(kind.code for kind in [Refusal, *Refusal.__subclasses__()])


@cache
def schema(name):
    return jsonschema.Draft202012Validator(
        json.loads((SCHEMAS / f"{name}.json").read_text())
    )


@many
@given(
    call=calls,
    query=query_strings,
    body=bodies,
    headers=headers,
)
def test_anything_is_answered_or_refused_with_a_code(
    moody_site, call, query, body, headers
):
    method, path = call
    said = {"HTTP_" + n.upper().replace("-", "_"): v for n, v in headers.items()}
    length = said.pop("HTTP_CONTENT_LENGTH", str(len(body)))
    response = Client().generic(
        method,
        path,
        content_type=said.pop("HTTP_CONTENT_TYPE", "application/json"),
        QUERY_STRING=query,
        CONTENT_LENGTH=length,
        **said | {"wsgi.input": io.BytesIO(body)},
    )

    event(f"{path} {response.status_code}")
    assert response.status_code < 500, response.content
    if response.status_code >= 400:
        assert response["Content-Type"] == "application/json"
    if method == "HEAD":
        assert response.getvalue() == b""
    elif response.status_code >= 400:
        assert_is_a_refusal(response)
    elif response.status_code == 200:
        ends_properly(response)


def assert_is_a_refusal(response):
    schema("response-failure").validate(response.json())
    assert response.json()["error"]["code"] in CODES
