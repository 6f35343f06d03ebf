"""What is done once a question is answered, so that the answer need not wait for it."""

from __future__ import annotations

from nlweb_ask.conf import deployment
from nlweb_ask.index import later
from nlweb_ask.index.freshness import by_source
from nlweb_ask.pipeline.border import RAISED
from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.pipeline.run import Run
from nlweb_ask.plugins import Outcome, handlers


def finish(run: Run) -> None:
    """Run the handlers and note outdated flags; whether or not the client stayed."""
    outcome = Outcome(
        response_type=run.response_type,
        mode=run.mode,
        results=run.results,
        seconds=run.seconds,
        error_code=run.error_code,
        trace=run.trace,
        pages=tuple(run.told),
    )
    for name in deployment().handlers:
        try:
            handlers.get(name).handle(run.question, outcome)
        except RAISED as error:  # a handler that fails is skipped
            log_failure(name, error)
    # Not here: the answer would wait for it, and its time would tell of hidden pages.
    later.ask_later(by_source(run.outdated))
    later.look_now_and_then()
