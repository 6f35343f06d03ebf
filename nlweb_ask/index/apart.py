"""What the index does beside the work of the site, so that it never ends that work."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable
from typing import Final

from django.db import transaction

from nlweb_ask.index.failures import log_failure

# What code of the site may raise. It may end its program, or a task, and means not the
# server. Whoever stops a server at the keyboard does.
RAISED: Final = (Exception, SystemExit, CancelledError)


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
