"""A generator that writes as slowly as the question says, and notes when it is closed."""

from __future__ import annotations

import os
import time
from pathlib import Path

from nlweb_ask.plugins import Sentence

BIG_WORD_CHARACTERS = 20_000


class RateLimitError(Exception):
    """What the library of a model raises."""


class SlowGenerator:
    """Asked `tide 3 words 0.5 apart`, it writes three words, half a second before each.

    With `break` in the question it fails after the last one; with `big` each word fills
    a page; with `once` it pauses before the first word only.
    """

    name = "slow"

    def generate(self, question, results, deadline):
        _, number, _, pause, *manner = question.text.split()
        note("begun.txt", 0)
        written = 0
        try:
            for _ in range(int(number)):
                if not (written and "once" in manner):
                    time.sleep(float(pause))
                yield Sentence(text=word(written, big="big" in manner))
                written += 1
            if "break" in manner:
                msg = "the model's own words of regret"
                raise RateLimitError(msg)
        finally:
            note("closed.txt", written)


def word(number, *, big):
    filling = "o" * BIG_WORD_CHARACTERS if big else "o"
    return f"w{filling}rd{number} "


def note(name, number):
    """Add a line in one write, since several streams do so at once."""
    path = Path(os.environ["SLOW_SITE_NOTES"]) / name
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{number}\n")
