"""What a cluster would be sent: noted on loopback, read by the clients' own query models.

The models refuse a kind of query that they do not know, and write again what they read.
"""

from __future__ import annotations

import re
import socket
import sys
from dataclasses import replace

import elasticsearch.dsl
import elasticsearch7.exceptions
import elasticsearch7.helpers
import opensearchpy
import pytest
from haystack import connections as engines

from nlweb_ask.contrib.haystack.retriever import HaystackRetriever
from nlweb_ask.contrib.modelsearch.retriever import ModelSearchRetriever
from nlweb_ask.plugins import Question, Scope, retrievers
from nlweb_ask.testing import check_retriever
from tests.asking import ask, make_scope
from tests.contrib.recording_engine import recording_engine
from tests.contrib.syntax import SYNTAX

# Haystack writes requests the way its client would rather have them no more.
pytestmark = pytest.mark.filterwarnings("ignore:The 'body' parameter is deprecated")

ELASTICSEARCH = elasticsearch.dsl.Search
OPENSEARCH = opensearchpy.Search
READERS = {
    "elasticsearch9": ELASTICSEARCH,
    "opensearch2": OPENSEARCH,
    "opensearch3": OPENSEARCH,
    "haystack": ELASTICSEARCH,
}


@pytest.fixture
def cluster():
    with recording_engine() as engine:
        yield engine


@pytest.fixture
def three(write):
    return [
        write("Mend a puncture", "Take the tyre off the rim with two levers."),
        write("Oil a chain", "Wipe the chain, then oil each link."),
        write("Ride in the rain", "Brakes grip less on a wet rim."),
    ]


def modelsearch_on(settings, kind, url):
    settings.MODELSEARCH_BACKENDS = {
        "default": {
            "BACKEND": f"modelsearch.backends.{kind}",
            "URLS": [url],
            "TIMEOUT": 5,
        }
    }
    return ModelSearchRetriever()


def haystack_on(settings, url):
    """Point haystack at a cluster; it takes the client of version 7 only."""
    engines.connections_info["default"] = {
        "ENGINE": "haystack.backends.elasticsearch7_backend.Elasticsearch7SearchEngine",
        "URL": url,
        "INDEX_NAME": "guides",
    }
    settings.HAYSTACK_CONNECTIONS = engines.connections_info
    engines.reload("default")
    return HaystackRetriever()


@pytest.fixture
def pointed(request, settings, three, monkeypatch):
    """Give a function that points the retriever of this kind at an address."""
    kind = request.param
    whoosh = dict(engines.connections_info["default"])
    if kind == "haystack":
        for module in (
            elasticsearch7,
            elasticsearch7.helpers,
            elasticsearch7.exceptions,
        ):
            name = module.__name__.replace("elasticsearch7", "elasticsearch")
            monkeypatch.setitem(sys.modules, name, module)
        yield lambda url: haystack_on(settings, url)
    else:
        yield lambda url: modelsearch_on(settings, kind, url)
    engines.connections_info["default"] = whoosh
    engines.reload("default")


every_kind = pytest.mark.parametrize(
    ("pointed", "reader"), READERS.items(), indirect=["pointed"], ids=list(READERS)
)


def hit(pk):
    """Give a hit in the form that each library reads."""
    source = {"django_ct": "guides.guide", "django_id": pk, "id": f"guides.guide.{pk}"}
    return {"_id": pk, "_score": 1.0, "fields": {"pk": [pk]}, "_source": source}


def retrieve(retriever, asked, limit=10):
    return retriever.retrieve(Question(text=asked), Scope(site_id=0), limit=limit)


def texts(node):
    """Yield every text that a query searches for."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "query" and isinstance(value, str):
                yield value
            else:
                yield from texts(value)
    elif isinstance(node, list):
        for each in node:
            yield from texts(each)


def forms(words):
    """Give the text of a query for these words as each of the libraries writes it."""
    joined = " OR ".join(f"({word})" for word in words)
    return " ".join(words), f"({joined})", joined


def clauses_in_lists(node):
    """Write the clauses of a `bool` as the models do, where one may stand alone."""
    if not isinstance(node, dict):
        return node
    written = {key: clauses_in_lists(value) for key, value in node.items()}
    for clause in written.get("bool", ()):
        if isinstance(written["bool"][clause], dict):
            written["bool"][clause] = [written["bool"][clause]]
    return written


@pytest.mark.parametrize("reader", [ELASTICSEARCH, OPENSEARCH])
def test_model_refuses_a_query_that_it_does_not_know(reader):
    with pytest.raises(Exception, match="does not exist in query"):
        reader.from_dict({"query": {"bool": {"must": {"nonsense": {"a": "b"}}}}})


@every_kind
def test_request_is_one_that_the_client_knows(pointed, reader, cluster):
    retrieve(pointed(cluster.url), "How do I mend a flat puncture?")
    search = cluster.searches[0]
    assert search["size"] == 100
    query = {"query": search["query"]}
    assert reader.from_dict(query).to_dict() == clauses_in_lists(query)


@every_kind
def test_words_are_joined_by_or(pointed, reader, cluster):
    retrieve(pointed(cluster.url), "How do I mend a flat puncture?")
    [text] = texts(cluster.searches[0]["query"])
    assert text in forms(["mend", "flat", "puncture"])
    assert "'operator': 'and'" not in str(cluster.searches[0]).lower()


@every_kind
def test_no_syntax_of_a_question_reaches_the_cluster(pointed, reader, cluster):
    retriever = pointed(cluster.url)
    for asked in SYNTAX:
        retrieve(retriever, f"{asked} puncture")
    assert len(cluster.searches) == len(SYNTAX)
    for text in texts([search["query"] for search in cluster.searches]):
        words = re.findall(r"[^\W_]+", text.replace(" OR ", " "))
        assert text in forms(words)
        assert "puncture" in words


@every_kind
def test_hits_of_the_cluster_become_candidates(pointed, reader, cluster, three):
    cluster.hits = [hit(pk) for pk in (three[2], three[0], "999999")]
    found = retrieve(pointed(cluster.url), "Which levers take a tyre off the rim?")
    assert [each.object_id for each in found] == [three[0], three[2]]
    assert found[0].score > found[1].score


@every_kind
def test_page_found_by_the_rules_of_the_cluster_comes_last(
    pointed, reader, cluster, three
):
    cluster.hits = [hit(pk) for pk in (three[1], three[0])]
    found = retrieve(pointed(cluster.url), "tyre")  # it may know a chain for a tyre
    assert [each.object_id for each in found] == [three[0], three[1]]


@every_kind
def test_promises_are_kept(pointed, reader, cluster, three):
    cluster.hits = [hit(pk) for pk in three]
    check_retriever(pointed(cluster.url), Question(text="rim chain levers"), limit=2)


@every_kind
def test_a_cluster_that_refuses_makes_the_answer_partial(
    pointed, reader, cluster, three
):
    cluster.status = 500
    assert_partial(pointed(cluster.url))


@every_kind
def test_a_cluster_that_is_down_makes_the_answer_partial(pointed, reader, three):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert_partial(pointed(f"http://127.0.0.1:{port}"))


def assert_partial(retriever):
    class Pointed:
        name = "pointed"

        def retrieve(self, question, scope, *, limit):
            return retriever.retrieve(question, scope, limit=limit)

    retrievers.register(Pointed)
    try:
        scope = make_scope("keyword", "pointed")
        [profile] = scope.profiles
        asked = replace(scope, profiles=(replace(profile, sources=("guides",)),))
        answered = ask("puncture", scope=asked)
    finally:
        retrievers.unregister("pointed")
    assert answered.names == ["Mend a puncture"]
    assert answered.complete.completeness == "partial"
    assert "engine_secret" not in repr(answered.events)
