"""Processes that ask for calls of a model, each with many threads, all at once."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.db import connection  # noqa: E402

from nlweb_ask.ai.budget import Cost, Payer, reserve  # noqa: E402
from nlweb_ask.plugins.errors import ModelUnavailable  # noqa: E402

# A fork of a process without threads, that has loaded Django already.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])
SECONDS = 120


# A server has connections for a hundred, which other tests need too.
THREADS = {"sqlite": 50}
THREADS_OF_A_SERVER = 8


def made_by_processes(number, *, askers, options=None, **asked):
    """Let `askers` in each of `number` processes ask once, as many at once as can be.

    Return how many calls could be made. `options` stand for those of the database.
    """
    told = {"askers": askers, **asked}
    barrier = PROCESSES.Barrier(number)
    database = str(connection.settings_dict["NAME"])
    with PROCESSES.Pool(number, _begin, (database, options, barrier)) as pool:
        made = pool.map_async(_ask, [(told, n) for n in range(number)], chunksize=1)
        return sum(made.get(SECONDS))


def _begin(database, options, barrier):
    global _together
    connection.settings_dict["NAME"] = database
    if options is not None:
        connection.settings_dict["OPTIONS"] = options
    _together = barrier


def _ask(asked):
    told, process = asked
    threads = min(told["askers"], THREADS.get(connection.vendor, THREADS_OF_A_SERVER))
    begin = threading.Barrier(threads)
    _together.wait(SECONDS)

    def ask(thread):
        visitor = "one" if told.get("one_visitor") else f"{process}.{thread}"
        worst = Cost(1, told.get("micros", 0))
        if thread < threads:
            begin.wait(SECONDS)
        try:
            lease = reserve(Payer(site_id=0, visitor=visitor), worst, seconds=60)
        except ModelUnavailable:
            return 0
        else:
            if "settled" in told:
                lease.settle(Cost(1, told["settled"]))
            return 1
        finally:
            connection.close()

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(ask, range(told["askers"])))


def killed_with_a_call():
    """Reserve a call in another process that is killed before it settles."""
    database = str(connection.settings_dict["NAME"])
    process = PROCESSES.Process(target=_reserve_and_die, args=(database,))
    process.start()
    process.join(SECONDS)
    assert process.exitcode == -signal.SIGKILL


def _reserve_and_die(database):
    connection.settings_dict["NAME"] = database
    reserve(Payer(site_id=0, visitor="anna"), Cost(1, 5_000), seconds=120)
    os.kill(os.getpid(), signal.SIGKILL)
