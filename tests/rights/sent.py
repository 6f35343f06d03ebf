"""What an answer is on the wire, without the time that it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nlweb_ask.plugins import Question
from nlweb_ask.protocol.events import Complete, Event
from nlweb_ask.protocol.writers import dumps, encode, writer_for
from tests.asking import Answer


def timeless(events: Sequence[Event]) -> list[Event]:
    return [
        replace(event, processing_time_ms=0) if isinstance(event, Complete) else event
        for event in events
    ]


def sent(answer: Answer) -> tuple[bytes, bytes]:
    """Return an answer as a document and as a stream, without the time it took."""
    writer, events = writer_for(Question(text="")), timeless(answer.events)
    assert answer.failure is None
    _status, document = writer.document(events)
    return dumps(document), b"".join(map(encode, writer.messages(events)))
