"""What a writer writes: the messages of a stream, whatever carries them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from nlweb_ask.protocol.events import Event


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a stream; 0.1 messages have no event name."""

    event: str | None
    data: dict[str, Any]

    @property
    def kind(self) -> str:
        return self.event or str(self.data["message_type"])


class Writer(Protocol):
    """One dialect: it says what an answer contains and not how it travels."""

    def document(self, events: Iterable[Event]) -> tuple[int, dict[str, Any]]:
        """Return status and JSON document of a whole answer.

        Raises:
            Unfinished: The events ended without `Complete`.
        """

    def messages(self, events: Iterable[Event]) -> Iterator[Message]:
        """Yield the messages of a stream as the events come.

        The last message is the terminal of the dialect. There is none when the events
        end without `Complete`: a stream without its terminal is a broken one.
        """
