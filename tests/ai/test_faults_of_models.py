"""Every fault of a model, in every mode, as a document and as a stream.

A list stays as it is without a model, an answer steps down, and both say why; nothing that
the provider said reaches anybody.
"""

from __future__ import annotations

import json
import time

import pytest

from nlweb_ask.models import AccessGrant, Grantee
from nlweb_ask.pipeline.without_model import WITHOUT_MODEL
from tests.ai.questions import EARLIER, QUESTION, save_pages, well_said
from tests.factories import SiteSettingsFactory
from tests.model_server import KEY

# Threads of the pool read it.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.first_leg]

MODES = ("list", "summarize", "generate")
# What the model did not give, by what the server did.
FAULTS = {
    "hang": "MODEL_TIMEOUT",
    "stall": "MODEL_TIMEOUT",
    "drip": "MODEL_TIMEOUT",
    "comments": "MODEL_TIMEOUT",
    "400": "MODEL_UNAVAILABLE",
    "401": "MODEL_UNAVAILABLE",
    "403": "MODEL_UNAVAILABLE",
    "404": "MODEL_UNAVAILABLE",
    "429": "MODEL_BUSY",
    "429 retry-after": "MODEL_BUSY",
    "500": "MODEL_UNAVAILABLE",
    "503": "MODEL_BUSY",
    "html": "MODEL_UNAVAILABLE",
    "cut": "MODEL_UNAVAILABLE",
    "early": "MODEL_UNAVAILABLE",
    "endless": "MODEL_UNAVAILABLE",
    "empty": "MODEL_UNAVAILABLE",
    "invalid utf-8": "MODEL_UNAVAILABLE",
    "invalid json": "MODEL_UNAVAILABLE",
    "redirect": "MODEL_UNAVAILABLE",
}
# What a good reader makes sense of all the same.
READ_ALL_THE_SAME = ("normal", "slow", "fenced json", "prose")
TAKE_THEIR_TIME = ("hang", "stall", "drip", "comments", "endless")
SHORT, LONG = 1.0, 60.0  # seconds of a call
STEPS = 3


@pytest.fixture
def asks_models(site, settings, model_server):
    AccessGrant.objects.get_or_create(profile=None, kind=Grantee.EVERYONE)
    SiteSettingsFactory(rate_limit="")
    save_pages()
    model_server.seconds = 0.2
    model_server.answers(well_said)
    settings.NLWEB_ASK = {
        "MODELS": model_server.models(timeout=LONG),
        "PROCESSORS": ["rewrite", "follow_up"],
        "RANKERS": ["relevance"],
        "GENERATORS": ["ai", "extractive"],
    }
    return model_server


@pytest.fixture
def asked(client, settings):
    """Ask in a mode; return the answer as a document, and the events that it came in."""

    def ask(mode, *, streamed, **models):
        body = {
            "query": {"text": QUESTION},
            "prefer": {"mode": mode, "streaming": streamed},
            "context": {"prev": [EARLIER]},
        }
        response = client.post("/ask", body, content_type="application/json")
        assert response.status_code == 200
        if not streamed:
            return response.json()
        return _folded(b"".join(response.streaming_content).decode())

    return ask


def _folded(stream):
    events = [
        (lines["event"], json.loads(lines["data"]))
        for block in stream.strip().split("\n\n")
        if "event: " in block
        for lines in [dict(line.split(": ", 1) for line in block.split("\n"))]
    ]
    kinds = [kind for kind, _ in events]
    assert kinds.count("complete") == 1
    assert kinds.count("failure") <= 1
    texts = [data.get("text", "") for kind, data in events if kind == "content"]
    error = next((data["error"] for kind, data in events if kind == "failure"), None)
    folded = {
        "_meta": next(data["_meta"] for kind, data in events if kind == "complete"),
        "results": [data["item"] for kind, data in events if kind == "result"],
        "content": [{"text": "".join(texts)}] if texts else [],
    }
    return folded | ({"error": error} if error else {})


def _text(answer):
    return "".join(part["text"] for part in answer.get("content", []))


@pytest.fixture
def without_models(asked, settings, asks_models):
    """What the same question is answered without a model."""

    def ask(mode):
        kept = settings.NLWEB_ASK
        settings.NLWEB_ASK = {"RATE_LIMIT": ""}
        answer = asked(mode, streamed=False)
        settings.NLWEB_ASK = kept
        return answer

    return ask


@pytest.mark.parametrize("streamed", [False, True], ids=["document", "stream"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("behaviour", READ_ALL_THE_SAME)
def test_a_model_that_answers_is_asked_once_for_each_step(
    asks_models, asked, behaviour, mode, streamed
):
    asks_models.behaves(behaviour)
    answer = asked(mode, streamed=streamed)
    assert asks_models.calls == (STEPS - 1 if mode == "list" else STEPS)
    assert "notice" not in answer["_meta"]
    assert answer["_meta"]["decontextualized_query"] == "How do I mend a puncture?"
    assert answer["_meta"].get("completeness", "complete") == "complete"
    if mode != "list":
        assert _text(answer) == "A patch and rubber glue mend the puncture."
        assert answer["_meta"]["generator"] == "ai"


@pytest.mark.parametrize("streamed", [False, True], ids=["document", "stream"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("behaviour", FAULTS)
def test_a_model_that_fails_leaves_the_answer_as_without_it(
    asks_models, asked, without_models, settings, behaviour, mode, streamed, caplog
):
    plain = without_models(mode)
    asks_models.behaves(behaviour)
    if behaviour in TAKE_THEIR_TIME:
        models = asks_models.models(timeout=SHORT)
        settings.NLWEB_ASK = settings.NLWEB_ASK | {"MODELS": models}
    began = time.monotonic()
    answer = asked(mode, streamed=streamed)
    seconds = time.monotonic() - began
    assert answer["results"] == plain["results"] != []
    assert _text(answer) == _text(plain)
    assert answer["_meta"]["response_type"] == "answer"
    assert answer["_meta"]["completeness"] == "reduced"
    assert answer["_meta"]["notice"]["code"] == FAULTS[behaviour]
    why = str(WITHOUT_MODEL[_reason(behaviour)][1])
    assert answer["_meta"]["notice"]["text"].startswith(f"{why} ")
    assert seconds < LONG
    for secret in (KEY, "provider.example", EARLIER, QUESTION):
        assert secret not in caplog.text
    assert KEY not in json.dumps(answer)
    assert "provider.example" not in json.dumps(answer)


def _reason(behaviour):
    codes = {code: reason for reason, (code, _text) in WITHOUT_MODEL.items()}
    return codes[FAULTS[behaviour]]


@pytest.mark.parametrize("streamed", [False, True], ids=["document", "stream"])
def test_a_page_that_was_given_no_score_is_not_dropped(
    asks_models, asked, without_models, streamed
):
    plain = without_models("list")
    asks_models.behaves("normal", "missing ids")
    answer = asked("list", streamed=streamed)
    assert sorted(_names(answer)) == sorted(_names(plain))


@pytest.mark.parametrize("streamed", [False, True], ids=["document", "stream"])
def test_scores_out_of_range_bring_in_no_page_and_are_no_failure(
    asks_models, asked, without_models, streamed
):
    plain = without_models("list")
    asks_models.behaves("normal", "junk scores")
    answer = asked("list", streamed=streamed)
    assert set(_names(answer)) <= set(_names(plain))
    assert answer["_meta"]["response_type"] == "answer"


def _names(answer):
    return [found["name"] for found in answer["results"]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"query": {"text": "  "}}, id="empty"),
        pytest.param({"query": {"text": "x" * 1001}}, id="too-long"),
        pytest.param({"query": {"text": 5}}, id="unreadable"),
    ],
)
def test_a_question_that_is_refused_costs_no_call(asks_models, client, body, mode):
    asked = body | {"prefer": {"mode": mode}, "context": {"prev": [EARLIER]}}
    response = client.post("/ask", asked, content_type="application/json")
    assert response.status_code in (400, 413)
    assert asks_models.calls == 0


@pytest.mark.parametrize("mode", MODES)
def test_a_question_that_finds_nothing_costs_no_ranking_and_no_writing(
    asks_models, client, mode
):
    asked = {"query": {"text": "zeppelin"}, "prefer": {"mode": mode}}
    response = client.post("/ask", asked, content_type="application/json")
    assert response.status_code == 200
    assert asks_models.calls == 0


@pytest.mark.parametrize("mode", MODES)
def test_a_page_of_another_site_costs_no_call(asks_models, client, mode):
    SiteSettingsFactory._meta.model.objects.update(allow_cross_origin=True)
    asked = {
        "query": {"text": QUESTION},
        "prefer": {"mode": mode},
        "context": {"prev": [EARLIER]},
    }
    response = client.post(
        "/ask",
        asked,
        content_type="application/json",
        headers={"Origin": "https://other.example", "Sec-Fetch-Site": "cross-site"},
    )
    assert response.status_code == 200
    assert response.json()["_meta"]["mode"] == "list"
    assert asks_models.calls == 0
