"""The examples of the page about the protocol are what a site really answers."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.protocol.fixture_files import messages_of

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "protocol.md"
BLOCK = re.compile(r"^```\{code-block\} http\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY = "…"
VOLATILE = {"query_id", "conversation_id", "processing_time_ms"}


def _examples():
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    for asked, answered in pairwise(blocks):
        if answered.startswith("HTTP/") and not asked.startswith("HTTP/"):
            yield pytest.param(asked, answered, id=asked.splitlines()[0])


EXAMPLES = list(_examples())


def taken_apart(block):
    """Return first line, headers and body."""
    head, _, body = block.partition("\n\n")
    first, *lines = head.splitlines()
    return first, dict(line.split(": ", 1) for line in lines), body


def fits(found, said):
    """Tell whether `found` is what the page says, where it does not say `…`."""
    if said == ANY:
        return True
    if isinstance(said, dict) and isinstance(found, dict):
        named = {name for name in said if name != ANY}
        if ANY not in said and list(found) != list(said):
            return False
        return named <= set(found) and all(
            name in VOLATILE or fits(found[name], said[name]) for name in named
        )
    if isinstance(said, list) and isinstance(found, list):
        return len(said) == len(found) and all(map(fits, found, said))
    return found == said


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("asked", "answered"), EXAMPLES)
def test_example_is_answered_as_the_page_says(fixtures_site, asked, answered):
    line, headers, body = taken_apart(asked)
    status_line, wanted, document = taken_apart(answered)
    method, path, _ = line.split()

    response = fixtures_site.client.generic(
        method,
        path,
        body,
        content_type=headers.pop("Content-Type", ""),
        headers=headers,
    )

    assert response.status_code == int(status_line.split()[1])
    for name, value in wanted.items():
        assert response[name] == value
    if response.streaming:
        sent = messages_of(b"".join(response.streaming_content).decode())
        said = messages_of(document)
        assert [event for event, _ in sent] == [event for event, _ in said]
        pairs = [
            (found, told) for (_, found), (_, told) in zip(sent, said, strict=True)
        ]
    else:
        pairs = [(response.json(), json.loads(document))]
    for found, told in pairs:
        assert fits(found, told), (found, told)


def test_page_has_examples_of_every_dialect():
    asked = " ".join(param.values[0] + param.values[1] for param in EXAMPLES)

    for sign in ("generate_mode", '"0.5"', '"0.54"', "api_version", "chatgpt_app"):
        assert sign in asked
    assert "text/event-stream" in asked


@pytest.mark.parametrize(
    ("found", "said", "fitting"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": ANY}, True),
        ({"a": 1, "b": 2}, {"a": 1, ANY: ANY}, True),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({"a": 1}, {"a": 1, "b": ANY, ANY: ANY}, False),
        ({"b": 2, "a": 1}, {"a": 1, "b": 2}, False),
        ([1, 2], [1], False),
        ({"query_id": "x"}, {"query_id": "y"}, True),
        ("x", "y", False),
    ],
    ids=str,
)
def test_what_the_page_leaves_open_fits_and_nothing_else(found, said, fitting):
    assert fits(found, said) is fitting
