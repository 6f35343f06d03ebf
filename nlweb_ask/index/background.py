"""Merging after a commit, by a task or in a thread of its own, never inside a save."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from django.conf import settings
from django.db import DatabaseError, connections
from django.db.models import Count

from nlweb_ask.conf import deployment
from nlweb_ask.conf.failures import described
from nlweb_ask.index import merge, store
from nlweb_ask.index.apart import after_commit
from nlweb_ask.models import Change

logger = logging.getLogger("nlweb_ask.index")

_NO_QUEUES: Final = frozenset({"ImmediateBackend", "DummyBackend"})
GIVE_AGAIN_SECONDS: Final = 60.0

_running = threading.Lock()
_given = -GIVE_AGAIN_SECONDS  # time.monotonic() of the last merge that became a task


def merge_soon() -> None:
    """Merge once this transaction is committed, if enough changes have come together."""
    if deployment().merge_in_background:
        after_commit(_start, using=store.write_alias())


def _start() -> None:
    if not _running.acquire(blocking=False):
        return
    started = False
    try:
        started = _start_thread()
    finally:
        if not started:
            _running.release()


def _start_thread() -> bool:
    """Merge in a thread, which lets go of the lock; return false where none has to."""
    try:
        due = due_sites()
    except DatabaseError:
        return False
    if not due or _merge_task(due):
        return False
    threading.Thread(
        target=_merge_all, args=(due,), name="nlweb_ask-merge", daemon=True
    ).start()
    return True


def handed_over(task_name: str, *arguments: Any) -> bool:
    """Give work to the site's task queue; return false where it has none, or it fails."""
    try:
        if not has_queue():
            return False
        from nlweb_ask.index import tasks

        getattr(tasks, task_name).enqueue(*arguments)
    except Exception as error:  # noqa: BLE001 - the queue is not ours
        logger.error("no task for %s %s", task_name, described(error))  # noqa: TRY400
        return False
    return True


def has_queue() -> bool:
    """Tell whether TASKS names a backend that leaves the work to another process.

    Of Django's own two, one does it at once and one never.
    """
    if not getattr(settings, "TASKS", None):
        return False
    backend = next(_backends(), None)
    kinds = {kind.__name__ for kind in type(backend).__mro__}
    return backend is not None and kinds.isdisjoint(_NO_QUEUES)


def _backends() -> Iterator[Any]:
    """Yield the default backend of Django's own framework, or of its backport."""
    for framework in ("django.tasks", "django_tasks"):
        if find_spec(framework) is not None:
            yield import_module(framework).task_backends["default"]


def _merge_task(site_ids: list[int]) -> bool:
    """Give the merges to the site's task queue, but not while they may be waiting."""
    global _given
    now = time.monotonic()
    if now - _given < GIVE_AGAIN_SECONDS and has_queue():
        return True
    if not handed_over("merge_sites", site_ids):
        return False
    _given = now
    return True


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
        try:
            connections.close_all()
        finally:
            _running.release()
