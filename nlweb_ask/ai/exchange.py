"""What goes over HTTP in one call, whatever a library makes of it."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

FIRST_REFUSAL: Final = 300  # of the statuses of HTTP


@dataclass(slots=True)
class Exchange:
    """What a provider answered last, and what is open because of it.

    A library tells it of some providers only, makes up a status for what is none, and
    leaves a stream that it has given up for the garbage collector to close.
    """

    status: int | None = None
    retry_after: str | None = None
    broken_by: str = ""  # what went wrong on the way, in one word of ours
    closers: list[Callable[[], Awaitable[None]]] = field(default_factory=list)

    @property
    def is_refusal(self) -> bool:
        return self.status is not None and self.status >= FIRST_REFUSAL

    def begin(self) -> None:
        """Forget what was heard of an earlier try."""
        self.status, self.retry_after, self.broken_by = None, None, ""

    async def close(self) -> None:
        """Close what was opened; what is closed already stays so."""
        while self.closers:
            with contextlib.suppress(Exception):
                await self.closers.pop()()


# Of the call that a context belongs to.
exchange: Final[ContextVar[Exchange | None]] = ContextVar(
    "nlweb_ask_exchange", default=None
)
