"""A generator that stands for a model: each time it is asked is written down."""

from __future__ import annotations

import json
import os
from pathlib import Path

from nlweb_ask.plugins import Sentence


def note(**words):
    """Write a line into the log of the site, which the test reads."""
    with Path(os.environ["ASKED_SITE_LOG"]).open("a", encoding="utf-8") as log:
        log.write(json.dumps(words) + "\n")


class CountedGenerator:
    name = "counted"

    def generate(self, question, results, deadline):
        note(model=True)
        yield Sentence(text="What the minutes say.")
