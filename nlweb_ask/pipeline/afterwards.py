"""What is done once a question is answered, so that the answer need not wait for it."""

from __future__ import annotations

from nlweb_ask.conf import deployment
from nlweb_ask.index.freshness import by_source
from nlweb_ask.index.refresh import move_partitions
from nlweb_ask.pipeline.border import RAISED
from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.pipeline.run import Run
from nlweb_ask.plugins import Outcome, handlers


def finish(run: Run) -> None:
    """Run the handlers and mend outdated flags; whether or not the client stayed."""
    outcome = Outcome(
        response_type=run.response_type,
        mode=run.mode,
        results=run.results,
        seconds=run.seconds,
        error_code=run.error_code,
        trace=run.trace,
    )
    for name in deployment().handlers:
        try:
            handlers.get(name).handle(run.question, outcome)
        except RAISED as error:  # a handler that fails is skipped
            log_failure(name, error)
    _close_outdated(run)


def _close_outdated(run: Run) -> None:
    """Move pages that are public no more out of the partition anonymous viewers search."""
    for source, object_ids in by_source(run.outdated).items():
        try:
            move_partitions(source, object_ids)
        except RAISED as error:  # the sweep finds them too
            log_failure(source, error)
