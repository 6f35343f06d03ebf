"""A generator that writes as slowly as the question says, and notes when it is closed."""

from __future__ import annotations

import os
import time
from pathlib import Path

from nlweb_ask.plugins import Sentence


class SlowGenerator:
    """Asked `tide 3 words 0.5 apart`, it writes three words, half a second before each.

    With `break` in the question it fails after the last one.
    """

    name = "slow"

    def generate(self, question, results, deadline):
        _, number, _, pause, *_ = question.text.split()
        written = 0
        try:
            for _ in range(int(number)):
                time.sleep(float(pause))
                yield Sentence(text=f"word{written} ")
                written += 1
            if "break" in question.text:
                msg = "the model's own words of regret"
                raise RuntimeError(msg)
        finally:
            log = Path(os.environ["SLOW_SITE_LOG"])
            log.write_text(f"{written}\n", encoding="utf-8")
