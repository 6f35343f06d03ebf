"""Nothing that a library logs during a call is written: it holds prompts and keys.

The client of a provider logs whole requests at DEBUG and addresses at INFO, and no site
can know all the loggers that one of them has, some of which are made during a call.
"""

from __future__ import annotations

import logging
from contextvars import Context, ContextVar, copy_context
from typing import Any, Final

_is_silent: Final[ContextVar[bool]] = ContextVar("nlweb_ask_is_silent", default=False)

# Some of its records come from threads of its own.
LITELLM: Final = "LiteLLM"
# Below every level, so that no handler takes the record.
NOWHERE: Final = logging.NOTSET - 1


class _Factory:
    """Makes records as they were made before, and empties those of a call."""

    def __init__(self, make: Any) -> None:
        self._make = make

    def __call__(self, *args: Any, **kwargs: Any) -> logging.LogRecord:
        name = kwargs["name"] if "name" in kwargs else args[0]
        if not _is_silent.get() and not str(name).startswith(LITELLM):
            made: logging.LogRecord = self._make(*args, **kwargs)
            return made
        return logging.LogRecord(str(name), NOWHERE, "", 0, "", (), None)


def silent_context() -> Context:
    """Return a context of which nothing is logged, with all that runs in it."""
    current = logging.getLogRecordFactory()
    # Each time, in case somebody has put another one in its place.
    if not isinstance(current, _Factory):
        logging.setLogRecordFactory(_Factory(current))
    context = copy_context()
    context.run(_is_silent.set, True)
    return context
