"""A process that does one thing to the index and stands still at some of its statements.

While it stands its transaction is open. So every moment of a merge can be looked at, and
a process can be killed at any of them, without a clock.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
from collections.abc import Callable, Container, Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final
from unittest import mock

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from nlweb_ask.index import refresh  # noqa: E402
from nlweb_ask.index.merge import merge  # noqa: E402
from tests.index.pages import SOURCE, answer  # noqa: E402

# A fork of a process without threads, that has loaded Django already.
PROCESSES: Final = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])
SECONDS: Final = 60  # a process that is not heard of for so long is stuck
EVERYWHERE: Final = range(1, 1_000_000)


def index() -> None:
    # A few pages are several transactions, as they are on every other database.
    with mock.patch.object(refresh, "SQLITE_BATCH", 2):
        call_command("nlweb_index", SOURCE, verbosity=0)


def append() -> None:
    merge(0)


def fold() -> None:
    merge(0, fold=True)


def ask() -> Any:
    return answer()


@contextmanager
def shared_database(folder: Path) -> Iterator[None]:
    """Let other processes open the database of this test: on SQLite, a file with WAL."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    in_memory, name = connection.connection, connection.settings_dict["NAME"]
    path = folder / "site.sqlite3"
    with closing(sqlite3.connect(path)) as file:
        in_memory.backup(file)
    connection.connection, connection.settings_dict["NAME"] = None, str(path)
    try:
        yield
    finally:
        connection.close()
        connection.connection, connection.settings_dict["NAME"] = in_memory, name


class Stepped:
    """One act in a process of its own; iterate over the places where it stands.

    It stands before and after each statement, so also on both sides of a commit: the
    places are numbered from 1. It goes on when the next one is asked for.
    """

    def __init__(self, act: Callable[[], Any], stops: Container[int] = ()) -> None:
        self.places = 0  # how many there were, once it is done
        self.result: Any = None
        self._pipe, theirs = PROCESSES.Pipe()
        database = str(connection.settings_dict["NAME"])
        self._process = PROCESSES.Process(
            target=_act, args=(act, stops, database, theirs), daemon=True
        )
        self._process.start()
        theirs.close()

    def __enter__(self) -> Stepped:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()
        self._pipe.close()

    def __iter__(self) -> Iterator[int]:
        while True:
            if not self._pipe.poll(SECONDS):
                msg = f"Nothing was heard of the process for {SECONDS} seconds."
                raise TimeoutError(msg)
            kind, *told = self._pipe.recv()
            if kind == "done":
                self.places, self.result = told
                return
            yield told[0]
            self._pipe.send("go on")

    def finish(self) -> Stepped:
        """Let it go to its end."""
        for _place in self:
            pass
        return self

    def is_done(self) -> bool:
        """Tell, without waiting, whether it has come to its end; it must have no stops."""
        return self._pipe.poll()

    def kill(self) -> None:
        """End it as `kill -9` does, if it has not ended."""
        self._process.kill()
        self._process.join(SECONDS)

    @property
    def was_killed(self) -> bool:
        return self._process.exitcode == -signal.SIGKILL


def _act(
    act: Callable[[], Any], stops: Container[int], database: str, pipe: Connection
) -> None:
    connection.settings_dict["NAME"] = database
    place = 0

    def stand() -> None:
        nonlocal place
        place += 1
        if place in stops:
            pipe.send(("stands", place))
            pipe.recv()

    def standing(execute: Callable[..., Any], *asked: Any) -> Any:
        stand()
        done = execute(*asked)
        stand()
        return done

    with connection.execute_wrapper(standing):
        result = act()
    connection.close()
    pipe.send(("done", place, result))


def spread(places: int, number: int) -> list[int]:
    """Return `number` places from the first to the last, or all where there are fewer."""
    if places <= number:
        return list(range(1, places + 1))
    return [1 + place * (places - 1) // (number - 1) for place in range(number)]
