"""The line of a command that says how far it is."""

from __future__ import annotations

import time
from typing import Any, Final

from django.core.management import BaseCommand
from django.utils.translation import gettext as _

PROGRESS_SECONDS: Final = 0.2


class Progress:
    """A line on a terminal that says how far it is; nothing elsewhere."""

    def __init__(self, command: BaseCommand, options: dict[str, Any]) -> None:
        self.out = command.stderr
        terminal = hasattr(self.out, "isatty") and self.out.isatty()
        self.live = terminal and not options["no_progress"] and options["verbosity"]
        self.shown = 0.0
        self.line = ""

    def show(self, what: str, done: int, expected: int) -> None:
        now = time.monotonic()
        if self.live and now - self.shown > PROGRESS_SECONDS:
            self.clear()
            self.shown = now
            self.line = _("%(done)d of %(expected)d %(what)s") % {
                "done": done,
                "expected": expected,
                "what": what,
            }
            self.out.write(self.line, ending="")
            self.out.flush()

    def clear(self) -> None:
        if self.line:
            self.out.write("\r" + " " * len(self.line) + "\r", ending="")
            self.out.flush()
            self.line = ""
