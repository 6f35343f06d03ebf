"""What was given away, in all that can be overheard of a question."""

from __future__ import annotations

import html
import json
import logging
import pickle
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import unquote

from django.core.cache import caches

from tests.rights.channels import Heard

# Logs the parameters of statements, and so what is asked for; documented.
TELLS_ALL = "django.db.backends"


class Records(logging.Handler):
    """Keeps what every logger says at DEBUG, with arguments and traces."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []
        self.setFormatter(logging.Formatter("%(name)s %(message)s %(pathname)s"))

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith(TELLS_ALL):
            self.lines.append(f"{self.format(record)} {vars(record)}")


@contextmanager
def listening() -> Iterator[Records]:
    """Listen to every logger there is, also to those that pass nothing on."""
    records = Records()
    named = [logging.getLogger(name) for name in logging.root.manager.loggerDict]
    loggers = [logging.root, *(each for each in named if not each.propagate)]
    levels = {each: each.level for each in (logging.root, *named)}
    for each in loggers:
        each.addHandler(records)
    for each in levels:
        each.setLevel(logging.DEBUG)
    try:
        yield records
    finally:
        for each in loggers:
            each.removeHandler(records)
        for each, level in levels.items():
            each.setLevel(level)


def readings(heard: Heard) -> str:
    """Return a response as it came, and as a browser or a client would read it."""
    text = heard.body.decode(errors="replace")
    parts = [text, html.unescape(text), unquote(text), heard.headers]
    for line in (text, *text.splitlines()):
        with suppress(ValueError):
            parts.append(repr(json.loads(line.removeprefix("data:"))))
    return "\n".join(parts).casefold()


def cached() -> str:
    """Return what the caches of this process hold, unpacked where it was packed."""
    kept = [value for cache in caches.all() for value in cache._cache.values()]
    return "\n".join(f"{value!r} {_unpacked(value)}" for value in kept).casefold()


def _unpacked(value: bytes) -> str:
    # Made by this process itself, a moment ago.
    held = pickle.loads(value)
    return f"{held!r} {getattr(held, 'content', '')!r}"


def given_away(words: Collection[str], text: str) -> set[str]:
    return {word for word in words if word in text}
