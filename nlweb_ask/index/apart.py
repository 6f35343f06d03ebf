"""What the index does beside the work of the site, so that it never ends that work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from django.db import connections, transaction

from nlweb_ask.conf.failures import RAISED
from nlweb_ask.index.failures import log_failure

__all__ = ["RAISED", "after_commit", "apart"]


@contextmanager
def apart(*, besides: str | None = None) -> Iterator[None]:
    """Keep what code of the site fails at in a database from ending the site's own work.

    Behind a savepoint in every transaction that is open: nobody knows which database
    that code asks. Not in that of `besides`, which the caller gives one by itself.
    """
    with ExitStack() as savepoints:
        for connection in connections.all(initialized_only=True):
            if connection.in_atomic_block and connection.alias != besides:
                savepoints.enter_context(transaction.atomic(using=connection.alias))
        yield


def after_commit(act: Callable[[], object], using: str) -> None:
    """Act once this transaction is committed.

    What fails then fails neither the request, whose work is done, nor what the site
    has left until then itself.
    """

    def attempt() -> None:
        try:
            act()
        except RAISED as error:
            log_failure("not done after the commit", "*", "*", error)

    transaction.on_commit(attempt, using=using, robust=True)
