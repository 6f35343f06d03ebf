"""What is done with each fixture over HTTP, on the site of the fixtures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.protocol.fixture_files import (
    FIXTURES,
    INDEX,
    Entry,
    Messages,
    check_schema,
    check_stream,
    kind_of,
    load,
    messages_of,
)
from tests.protocol.site_of_the_fixtures import SiteOfTheFixtures


@dataclass(frozen=True)
class ReplayOverHttp:
    fits: Callable[[Entry], bool]
    run: Callable[[Entry, SiteOfTheFixtures], None]

    @property
    def name(self) -> str:
        return self.run.__name__

    @property
    def entries(self) -> list[Entry]:
        return [e for e in INDEX if "needs" not in e and self.fits(e)]


def stream_of(response: Any) -> Messages:
    return messages_of(b"".join(response.streaming_content).decode())


def check_answer(response: Any, schema: str) -> dict[str, Any] | Messages:
    """Hold an answer against its schema, and return it."""
    if response.streaming:
        messages = stream_of(response)
        check_stream(messages, schema)
        return messages
    document: dict[str, Any] = response.json()
    check_schema(document, schema)
    return document


def answered(entry: Entry, site: SiteOfTheFixtures) -> None:
    request, expect = load(entry), entry["expect"]

    response = site.send(request)

    assert response.status_code == expect["status"]
    assert response["Content-Type"] == expect["content_type"]
    answer = check_answer(response, expect["response_schema"])
    if "read" in expect:
        check_question_was_understood(answer, expect["read"])
    if golden := expect.get("outcome", "").removeprefix("stream as ").strip():
        check_same_messages(answer, golden)


def check_question_was_understood(answer: Any, read: dict[str, Any]) -> None:
    """Look that the answer says of the question what the fixture says of it."""
    meta = meta_of(answer)
    if read["version"] != "0.1":
        assert meta["version"] == read["version"]
    if "total_items" in meta:
        assert meta["mode"] == read["mode"]
        assert meta["response_format"] == read["response_format"]
    if "session_context" in meta:
        assert meta["session_context"].items() >= read["session_context"].items()
    if read["query_id"]:
        assert query_id_of(answer) == read["query_id"]
    if meta.get("response_type") != "elicitation" and not read["offset"]:
        assert results_of(answer), "nothing was found"


def meta_of(answer: Any) -> dict[str, Any]:
    """Return the `_meta` of a document, or of a stream put together."""
    if isinstance(answer, dict):
        meta: dict[str, Any] = answer.get("_meta", {})
        return meta
    metas = [data["_meta"] for _, data in answer if "_meta" in data]
    return {name: value for meta in metas for name, value in meta.items()}


def query_id_of(answer: Any) -> str:
    found = answer if isinstance(answer, dict) else answer[0][1]["_meta"]
    return str(found.get("query_id") or found["_meta"]["query_id"])


def results_of(answer: Any) -> list[Any]:
    if isinstance(answer, dict):
        return answer.get("results") or answer.get("structuredData") or []
    return [data for event, data in answer if "item" in data]


def check_same_messages(answer: Any, golden: str) -> None:
    """Look that a stream has the kinds of messages of a golden one, with their keys.

    Where the golden ones stand, nothing is quoted.
    """
    if not golden.endswith(".txt"):
        return
    wanted = messages_of((FIXTURES / golden).read_text())
    assert forms_of(answer) == forms_of(wanted)


def forms_of(messages: Messages) -> dict[str, list[str]]:
    return {
        kind_of(message): [name for name in message[1] if name not in OURS]
        for message in messages
    }


def refused(entry: Entry, site: SiteOfTheFixtures) -> None:
    request, expect = load(entry), entry["expect"]
    BEFORE.get(entry["file"], nothing)(site)

    response = site.send(request)

    assert response.status_code == expect["status"]
    for name, value in HEADERS.get(entry["file"], {}).items():
        assert response[name] == value
    if "error_code" not in expect:
        elsewhere = site.client.get("/no-such-page")
        assert response["Content-Type"] == elsewhere["Content-Type"]
        return
    assert response["Content-Type"] == expect["content_type"]
    document = check_answer(response, expect["response_schema"])
    assert isinstance(document, dict)
    assert document["error"]["code"] == expect["error_code"]
    if expect["error_code"] == "RATE_LIMITED":
        assert int(response["Retry-After"]) > 0


def nothing(site: SiteOfTheFixtures) -> None:
    pass


def ask_once(site: SiteOfTheFixtures) -> None:
    site.change(rate_limit="1/h")
    site.client.get("/ask?query=soup&streaming=0")


def sign_in_without_a_grant(site: SiteOfTheFixtures) -> None:
    site.close_to_all()
    site.sign_in()


# How the site must be for what the door decides.
BEFORE: Mapping[str, Callable[[SiteOfTheFixtures], None]] = {
    "bad/anonymous-refused.json": SiteOfTheFixtures.close_to_all,
    "bad/forbidden.json": sign_in_without_a_grant,
    "bad/rate-limited.json": ask_once,
    "bad/disabled.json": lambda site: site.change(enabled=False),
    "bad/legacy-refused.json": lambda site: site.change(allow_legacy=False),
}
# As the notes of these fixtures have it.
# What the golden answers do not know of: the text of the fixtures proves nothing.
OURS = frozenset({"citations", "marks"})

HEADERS = {
    "bad/put-ask.json": {"Allow": "GET, POST, OPTIONS"},
    "bad/await-get.json": {"Allow": "POST, OPTIONS"},
    "bad/anonymous-refused.json": {"WWW-Authenticate": "Bearer"},
}


def preflight_granted(entry: Entry, site: SiteOfTheFixtures) -> None:
    site.change(allow_cross_origin=True)

    response = site.send(load(entry))

    assert response.status_code == entry["expect"]["status"]
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response["Access-Control-Allow-Methods"] == "GET, POST, OPTIONS"
    allowed = response["Access-Control-Allow-Headers"].replace(" ", "").split(",")
    assert {"content-type", "accept"} <= {name.lower() for name in allowed}
    assert "Access-Control-Allow-Credentials" not in response


def is_preflight(entry: Entry) -> bool:
    return entry["file"] == "requests/cors-preflight.json"


ANSWERED = ReplayOverHttp(
    lambda e: e["file"].startswith("requests/") and not is_preflight(e), answered
)
REFUSED_AT_THE_ENDPOINT = ReplayOverHttp(
    lambda e: e["file"].startswith("bad/"), refused
)
PREFLIGHT = ReplayOverHttp(is_preflight, preflight_granted)

OVER_HTTP = (ANSWERED, REFUSED_AT_THE_ENDPOINT, PREFLIGHT)
