"""One page of results after another, as the page about the protocol says to ask."""

from __future__ import annotations

import json

import pytest

from tests.site_in_memory import save, site_in_memory

PAGES = 12


@pytest.fixture
def pages(site):
    with site_in_memory():
        for number in range(PAGES):
            save(f"p{number:02}", f"Tide {number}", "The tide. " + "Sea. " * number)
        yield


def results(ask, *, start=0, **query):
    body = {"query": {"text": "tide", **query}, "meta": {"start_num": start}}
    answered = ask(body).json()
    assert answered["_meta"]["total_items"] == len(answered["results"])
    return [result["@id"] for result in answered["results"]]


@pytest.mark.parametrize(
    "asked", [pytest.param(5, id="fewer"), pytest.param(50, id="more-than-is-given")]
)
def test_counting_what_came_leads_to_every_page_once(ask, pages, asked):
    found, start = [], 0
    while more := results(ask, start=start, max_results=asked):
        found += more
        start += len(more)

    assert len(found) == len(set(found)) == PAGES
    assert found[:10] == results(ask)


def test_candidates_are_cut_off_before_results_are_skipped(ask, pages):
    assert len(results(ask, num_results=5)) == 5
    assert results(ask, num_results=5, start=5) == []


def test_index_begins_anew_in_each_answer(ask, pages):
    body = {"query": {"text": "tide"}, "meta": {"start_num": 10}}

    sent = b"".join(ask(body, Accept="text/event-stream")).decode()

    data = [line[6:] for line in sent.splitlines() if line.startswith("data: ")]
    indexes = [
        message["index"] for message in map(json.loads, data) if "item" in message
    ]
    assert indexes == [0, 1]


def test_oldest_version_knows_neither_number_nor_offset(ask, pages):
    body = {"query": "tide", "streaming": False, "max_results": 2, "start_num": 11}

    assert len(ask(body).json()["results"]) == 10


def test_query_that_is_a_text_is_the_oldest_version_whatever_is_said(ask, pages):
    body = {"query": "tide", "streaming": False, "meta": {"version": "0.55"}}

    assert "_meta" not in ask(body).json()
