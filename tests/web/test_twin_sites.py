"""Anonymous callers get the same bytes from a site and from its twin with hidden pages."""

from __future__ import annotations

import json
import re

import pytest

from nlweb_ask.index.merge import merge
from nlweb_ask.index.refresh import refresh_objects, sweep
from tests.factories import SiteSettingsFactory
from tests.site_in_memory import delete, save, site_in_memory

pytestmark = pytest.mark.servers

QUESTIONS = ("kettle", "kettle on the barge", "orchard lantern", "sextant", "the")


@pytest.fixture
def open_site(db):
    SiteSettingsFactory(rate_limit="")
    with site_in_memory() as source:
        save("a", "Open kettle", "The kettle on the stove is for all.")
        save("b", "Barge", "A barge with a lantern and one kettle.")
        save("d", "Orchard", "An orchard of plums. A lantern hangs there.")
        yield source


def answers(client) -> list[tuple[int, dict[str, str], bytes]]:
    """Every form of every answer, without the times and ids that differ by nature."""
    found = []
    for text in QUESTIONS:
        body = {
            "query": {"text": text},
            "meta": {"session_context": {"conversation_id": "c"}},
            "query_id": "q",
        }
        found += [
            client.post(
                "/ask",
                json.dumps(body),
                content_type="application/json",
                headers={"accept": accept},
            )
            for accept in ("application/json", "text/event-stream")
        ]
        found.append(client.get("/ask", {"query": text, "query_id": "q"}))
        found.append(client.get("/ask/results/", {"q": text}))
    return [normal(response) for response in found]


def normal(response) -> tuple[int, dict[str, str], bytes]:
    streamed = getattr(response, "streaming", False)
    content = b"".join(response.streaming_content) if streamed else response.content
    headers = dict(response.headers)
    if "Content-Length" in headers:
        assert int(headers["Content-Length"]) == len(content)
    # The time taken differs by nature, and its digits count in the length.
    content = re.sub(rb'"processing_time_ms":\d+', b"", content)
    headers["Content-Length"] = str(len(content))
    return response.status_code, headers, content


def hide(object_id: str, words: str) -> None:
    save(object_id, words, f"{words} orchard lantern barge " * 3, readers="staff")


def write_hidden(site) -> None:
    for number in range(30):
        hide(f"h{number}", "kettle kettle barge")


def restrict(site) -> None:
    save("x", "Kettle sextant", "kettle sextant " * 20)
    site.pages["x"].readers = "staff"
    refresh_objects("memory", ["x"])


def open_and_close(site) -> None:
    hide("x", "kettle sextant")
    site.pages["x"].readers = "everyone"
    refresh_objects("memory", ["x"])
    merge(0)
    site.pages["x"].readers = "members"
    refresh_objects("memory", ["x"])


def move(site) -> None:
    hide("x", "kettle sextant")
    site.pages["y"] = site.pages.pop("x")
    sweep("memory")


def remove(site) -> None:
    save("x", "Kettle sextant", "kettle sextant " * 20)
    merge(0)
    delete("x")


@pytest.mark.parametrize(
    "change", [write_hidden, restrict, open_and_close, move, remove]
)
def test_no_byte_tells_of_hidden_pages(open_site, client, change):
    before = answers(client)
    change(open_site)
    assert answers(client) == before
    merge(0, fold=True)
    assert answers(client) == before


def test_the_comparison_sees_a_page_that_is_not_hidden(open_site, client):
    before = answers(client)
    save("x", "Kettle sextant", "kettle sextant")
    assert answers(client) != before
