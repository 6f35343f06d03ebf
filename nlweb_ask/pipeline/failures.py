"""One place where the pipeline says what failed: who, of what kind, and where.

The message of an exception may hold words of a question or of a page, so it is left
out; its kind and the lines of code that it came through are not.
"""

from __future__ import annotations

import logging
import traceback

logger = logging.getLogger("nlweb_ask.request")

FRAMES = 5


def log_failure(plugin: str, error: BaseException) -> None:
    """Log a failure with the last frames of its first cause."""
    cause = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    frames = traceback.extract_tb(cause.__traceback__)[-FRAMES:]
    logger.error(
        "failed plugin=%s error=%s at=%s",
        plugin,
        type(cause).__name__,
        " < ".join(f"{f.filename}:{f.lineno} {f.name}" for f in reversed(frames)),
    )
