"""Our views are in no transaction, whatever the site's databases ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.db import connections, transaction

View = TypeVar("View", bound=Callable[..., Any])


def outside_transactions(view: View) -> View:
    """Keep `ATOMIC_REQUESTS` of every database away from `view`.

    Django would begin that transaction before the view, where nothing turns a database
    that cannot be reached into a failure document. None is needed: what an answer
    writes is written in transactions of its own.
    """
    for alias in connections:
        transaction.non_atomic_requests(alias)(view)
    return view
