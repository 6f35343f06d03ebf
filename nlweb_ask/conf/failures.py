"""What code of the site may raise, and what may be told of it: its kind and its place.

Its message may hold words of a question or of a page. It is told of a `SourceFault`
and of `ImproperlyConfigured`, which hold none, and to a developer, under
`settings.DEBUG`.
"""

from __future__ import annotations

import traceback
from asyncio import CancelledError
from typing import Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from nlweb_ask.plugins import SourceFault

# It may end its program, or a task, and means not the server. Whoever stops a server at
# the keyboard does.
RAISED: Final = (Exception, SystemExit, CancelledError)
FRAMES = 5


def described(error: BaseException) -> str:
    """Return kind, place and, where it may be told, the message, for a line of a log."""
    cause = _cause(error)
    words = f"error={type(cause).__name__} at={_place(cause)}"
    if settings.DEBUG or isinstance(cause, SourceFault | ImproperlyConfigured):
        words += f" message={str(cause)!r}"
    return words


def reason(error: BaseException) -> str:
    """Return what is kept in the database: never the message of a stranger."""
    return str(error) if isinstance(error, SourceFault) else type(error).__name__


def _cause(error: BaseException) -> BaseException:
    """Return the first cause, or the fault that somebody has already made of it."""
    while error.__cause__ is not None and not isinstance(error, SourceFault):
        error = error.__cause__
    return error


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    return " < ".join(f"{f.filename}:{f.lineno} {f.name}" for f in reversed(frames))
