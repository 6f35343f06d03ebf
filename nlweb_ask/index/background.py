"""Merging after a commit, in a thread of its own, never inside a save."""

from __future__ import annotations

import logging
import threading

from django.db import DatabaseError, connections, transaction
from django.db.models import Count

from nlweb_ask.conf import deployment
from nlweb_ask.index import merge, store
from nlweb_ask.models import Change

logger = logging.getLogger("nlweb_ask.index")

_running = threading.Lock()


def merge_soon() -> None:
    """Merge once this transaction is committed, if enough changes have come together."""
    if deployment().merge_in_background:
        transaction.on_commit(_start, using=store.write_alias())


def _start() -> None:
    if not _running.acquire(blocking=False):
        return
    try:
        due = due_sites()
    except DatabaseError:
        due = []
    if not due:
        _running.release()
        return
    thread = threading.Thread(
        target=_merge_all, args=(due,), name="nlweb_ask-merge", daemon=True
    )
    thread.start()


def due_sites() -> list[int]:
    """Return the sites that have enough changes for a merge to pay."""
    by_site = Change.objects.using(store.write_alias()).values("site_id").order_by()
    counted = by_site.annotate(changes=Count("pk"))
    due = counted.filter(changes__gte=merge.MERGE_AT)
    return list(due.values_list("site_id", flat=True))


def _merge_all(site_ids: list[int]) -> None:
    try:
        for site_id in site_ids:
            merge.merge(site_id)
    except DatabaseError as error:
        # The next save tries again; until then questions read more rows.
        logger.error("the index could not be merged error=%s", type(error).__name__)  # noqa: TRY400
    finally:
        connections.close_all()
        _running.release()
