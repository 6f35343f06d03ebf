"""The fixtures of the protocol, replayed against reader and writers."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import pytest

from nlweb_ask.protocol.reader import RawRequest, read_question
from tests.protocol.fixture_files import FIXTURES, INDEX
from tests.protocol.replays import (
    DOCUMENTS,
    READ,
    READ_AWAIT,
    REFUSED_BY_READER,
    STREAMS,
)


def fixtures_of(replay):
    named = [pytest.param(e, id=Path(e["file"]).stem) for e in replay.entries]
    return pytest.mark.parametrize("entry", named)


@fixtures_of(READ)
def test_request_is_read_into_the_one_model(entry):
    READ.run(entry)


@fixtures_of(READ_AWAIT)
def test_await_request_is_read(entry):
    READ_AWAIT.run(entry)


@fixtures_of(REFUSED_BY_READER)
def test_bad_request_is_refused_with_status_code_and_failure_document(entry):
    REFUSED_BY_READER.run(entry)


@fixtures_of(DOCUMENTS)
def test_document_is_written_as_the_golden_one(entry):
    DOCUMENTS.run(entry)


@fixtures_of(STREAMS)
def test_stream_is_written_as_the_golden_one(entry):
    STREAMS.run(entry)


def test_request_body_that_is_a_form_is_read_like_a_query_string():
    pairs = [("query", "café & more"), ("site", "blog"), ("site", "shop")]

    in_url = read_question(RawRequest(method="GET", query=pairs))
    in_body = read_question(
        RawRequest(
            body=urlencode(pairs).encode(),
            content_type="application/x-www-form-urlencoded; charset=utf-8",
        )
    )

    assert in_body == in_url


def test_every_fixture_has_a_place_in_the_index():
    listed = {entry["file"] for entry in INDEX}
    stored = {
        str(path.relative_to(FIXTURES))
        for folder in ("requests", "bad", "responses", "sse")
        for path in (FIXTURES / folder).iterdir()
    }

    assert stored == listed
