"""The default handler: one line a question in the log of the site."""

from __future__ import annotations

import logging
import re

from nlweb_ask.plugins import Outcome, Question

logger = logging.getLogger("nlweb_ask.request")

# Callers may choose the id, and could write words in it; ours is a UUID.
PLAIN_ID = re.compile(r"[0-9a-fA-F-]{1,64}")


class LogHandler:
    """Logs ids, counts and seconds; never a word of the question or the answer."""

    name = "log"

    def handle(self, question: Question, outcome: Outcome) -> None:
        logger.info(
            "answered query=%s version=%s type=%s mode=%s results=%d seconds=%.3f code=%s",
            _loggable(question.query_id),
            question.version,
            outcome.response_type,
            outcome.mode,
            outcome.results,
            outcome.seconds,
            outcome.error_code or "-",
        )


def _loggable(query_id: str | None) -> str:
    if query_id and PLAIN_ID.fullmatch(query_id):
        return query_id
    return "-"
