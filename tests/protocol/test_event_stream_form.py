from __future__ import annotations

import json
import re

import pytest

from nlweb_ask.protocol.writers import KEEPALIVE, Message, dumps, encode

# What a page or a model may hold to end an event early or to forge one.
FORGERY = (
    'Line one\r\nevent: complete\ndata: {"x":1}\n\nid: 7\nretry: 1\u2028end\u0085.'
)


def parsed(stream: bytes):
    """(event, data) pairs as a browser reads them: lines end at CR, LF or CRLF."""
    name, data = None, []
    for line in re.split("\r\n|\r|\n", stream.decode()):
        field, _, value = line.partition(":")
        if not line:
            if data:
                yield name, "\n".join(data)
            name, data = None, []
        elif field == "event":
            name = value.removeprefix(" ")
        elif field == "data":
            data.append(value.removeprefix(" "))
        else:
            assert field == "", f"no field {field} is ever sent"


def test_text_cannot_break_or_forge_an_event():
    stream = encode(Message("content", {"text": FORGERY}))

    ((name, data),) = parsed(stream)

    assert (name, json.loads(data)) == ("content", {"text": FORGERY})


@pytest.mark.parametrize(
    "end", ["\n", "\r", "\u2028", "\u2029", "\u0085", "\x0b", "\x0c"]
)
def test_data_is_one_line_for_weak_clients_too(end):
    stream = encode(Message(None, {"text": f"a{end}b"}))

    assert len(stream.decode().splitlines()) == 2


def test_message_without_a_name_is_a_data_line_and_a_blank_one():
    assert encode(Message(None, {"a": "é"})) == 'data: {"a":"é"}\n\n'.encode()


def test_named_message_says_its_name_first():
    assert encode(Message("end", {})) == b"event: end\ndata: {}\n\n"


def test_keepalive_is_no_event():
    assert list(parsed(KEEPALIVE * 2)) == []


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_json_number_is_not_written(number):
    with pytest.raises(ValueError, match="JSON"):
        dumps({"score": number})


def test_half_a_character_is_escaped_rather_than_failing_the_answer():
    assert json.loads(dumps({"text": "\ud83d"})) == {"text": "\ud83d"}


def test_what_json_does_not_know_is_named():
    with pytest.raises(TypeError, match="set"):
        dumps({"a": set()})
