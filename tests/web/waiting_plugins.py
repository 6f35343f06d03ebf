"""Plug-ins of a site whose answers wait until a test lets them go on.

They ask no database: a test's own cannot be seen from the thread of a stream.
"""

from __future__ import annotations

import threading

from nlweb_ask.plugins.errors import Ended
from nlweb_ask.protocol.events import Failure

GO_ON = threading.Event()


class WaitingProcessor:
    """Ends each question, at once where a list is asked for, else at a sign."""

    name = "waiting"

    def process(self, question, viewer):
        if question.mode != "list":
            GO_ON.wait(10)
        raise Ended(Failure(code="NO_RESULTS", message="The tide is out."))


class SilentGenerator:
    name = "silent"

    def generate(self, question, results, deadline):
        return iter(())
