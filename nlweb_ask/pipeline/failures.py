"""One place where the pipeline says what failed: who, of what kind, and where.

The message of an exception may hold words of a question or of a page, so it is left
out; its kind and the lines of code that it came through are not.
"""

from __future__ import annotations

import logging

from nlweb_ask.conf.failures import described

logger = logging.getLogger("nlweb_ask.request")

# A retriever that is wrong in one question is wrong in most: say so once a process.
_warned: set[str] = set()
_missing: set[tuple[int, str]] = set()


def log_failure(plugin: str, error: BaseException) -> None:
    """Log a failure with the last frames of its first cause."""
    logger.error("failed plugin=%s %s", plugin, described(error))


def warn_of_unindexed(retriever: str, candidates: int) -> None:
    """Log that what a retriever found is not there; a wrong language does that."""
    if not candidates or retriever in _warned:
        return
    _warned.add(retriever)
    logger.warning(
        "retriever %s: %d candidates point at no indexed document",
        retriever,
        candidates,
    )


def warn_of_missing_model(site_id: int, label: str) -> None:
    """Log that a site asks a model which is none of `MODELS`, once a process."""
    if (site_id, label) in _missing:
        return
    _missing.add((site_id, label))
    logger.warning(
        "site %d: the language model %r is not set up, so none is asked",
        site_id,
        label,
    )
