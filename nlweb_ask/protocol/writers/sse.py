"""Server-sent events: how a message travels in a stream."""

from __future__ import annotations

from typing import Final

from nlweb_ask.protocol.writers.encoding import dumps
from nlweb_ask.protocol.writers.message import Message

KEEPALIVE: Final = b": keepalive\n\n"


def encode(message: Message) -> bytes:
    """Return one event; its data is a single line whatever its text holds."""
    name = b"" if message.event is None else b"event: %b\n" % message.event.encode()
    return b"%bdata: %b\n\n" % (name, dumps(message.data))
