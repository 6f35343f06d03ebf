"""The fixtures of the protocol, and how they are read, sent and held against a schema."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from nlweb_ask.protocol.reader import RawRequest

FIXTURES = Path(__file__).parent / "fixtures"

Entry = dict[str, Any]
# (event, data) of each message of a stream; 0.1 has no names of events.
Messages = list[tuple[str | None, dict[str, Any]]]

INDEX: list[Entry] = json.loads((FIXTURES / "index.json").read_text())["fixtures"]


def load(entry: Entry) -> Any:
    text = (FIXTURES / entry["file"]).read_text()
    return json.loads(text) if entry["file"].endswith(".json") else text


def body_of(fixture: dict[str, Any]) -> bytes:
    if "raw_body" in fixture:
        return _raw_bytes(fixture["raw_body"])
    return json.dumps(fixture["body"]).encode() if "body" in fixture else b""


def _raw_bytes(text: str) -> bytes:
    described = "(send the bytes "
    if text.startswith(described):
        return bytes.fromhex(text.removeprefix(described).rstrip(")"))
    return text.encode()


def raw_request(fixture: dict[str, Any]) -> RawRequest:
    headers = fixture.get("headers", {})
    return RawRequest(
        method=fixture["method"],
        query=[tuple(pair) for pair in fixture.get("query", [])],
        body=body_of(fixture),
        content_type=headers.get("Content-Type", ""),
        accept=headers.get("Accept", ""),
    )


@cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((FIXTURES / name).read_text()))


def check_schema(document: Any, name: str) -> None:
    _validator(name).validate(document)


def messages_of(stream: str) -> Messages:
    """Return the messages of a stream, each of them one line of data."""
    assert stream.endswith(("\n\n", "}\n")), "broken off"
    blocks = [block.splitlines() for block in stream.strip("\n").split("\n\n")]
    said = [lines for lines in blocks if not all(li.startswith(":") for li in lines)]
    return [_message(lines) for lines in said]


def _message(lines: list[str]) -> tuple[str | None, dict[str, Any]]:
    fields = [line.split(": ", 1) for line in lines]
    assert [name for name, _ in fields] in (["data"], ["event", "data"])
    return (None if len(fields) == 1 else fields[0][1]), json.loads(fields[-1][1])


def kind_of(message: tuple[str | None, dict[str, Any]]) -> str:
    event, data = message
    return str(event or data["message_type"])


def check_stream(messages: Messages, schema: str) -> None:
    """Look that every message is a valid one, and the terminal is one and the last."""
    for event, data in messages:
        named = data if event is None else {"event": event, "data": data}
        check_schema(named, schema)
    kinds = [kind_of(message) for message in messages]
    last = ["complete"] if messages[0][0] is None else ["complete", "end"]
    assert kinds[0] == "start"
    assert kinds[-len(last) :] == last
    assert [kinds.count(kind) for kind in ("start", *last)] == [1] * (1 + len(last))


def without_volatile(text: str, entry: Entry) -> str:
    """Return JSON or a stream with the values of its volatile members blotted out."""
    for path in entry.get("volatile") or ():
        name = path.rpartition(".")[2]
        value = rf'("{name}": ?)("[^"]*"|[0-9.]+)'
        text = re.sub(value, r"\1…", text)
    return text
