"""The messages that older widgets read: those whose requests have `generate_mode`.

They stand in the 0.1 stream beside its own messages, each before the one that says the
same; either kind of client skips what it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nlweb_ask.protocol.events import (
    Complete,
    Content,
    Elicitation,
    Event,
    ResultFound,
    Start,
)
from nlweb_ask.protocol.question import Mode
from nlweb_ask.protocol.writers.rows import Row, row


class WidgetMessages:
    """What to say to the widgets before each event of one stream.

    In generate mode the rows come with the answer, in one message that clears what was
    shown before; when no answer was written they come at the end.
    """

    def __init__(self, mode: Mode | None) -> None:
        self.holds_rows_back = mode == "generate"
        self.query_id = ""
        self.unsent: dict[int, Row] = {}

    def before(self, event: Event) -> Iterator[dict[str, Any]]:
        match event:
            case Start():
                self.query_id = event.query_id
            case ResultFound():
                self.unsent[event.index] = row(event.item)
                if not self.holds_rows_back:
                    yield self._batch()
            case Content():
                yield self._text(event.text)
            case Elicitation():
                yield {"message_type": "ask_user", "message": event.text}
            case Complete() if self.unsent:
                yield self._batch()

    def _text(self, text: str) -> dict[str, Any]:
        if not self.holds_rows_back:
            return {"message_type": "summary", "message": text}
        return {"message_type": "nlws", "answer": text, "items": self._take()}

    def _batch(self) -> dict[str, Any]:
        return {
            "message_type": "result_batch",
            "query_id": self.query_id,
            "results": self._take(),
        }

    def _take(self) -> list[Row]:
        rows, self.unsent = self.unsent, {}
        return [rows[index] for index in sorted(rows)]
