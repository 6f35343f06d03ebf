"""What need not be done before an answer or a commit: done after it, in a thread.

Kept in memory, and at most so much of it. What is lost with the process is found by the
next sweep; until then a closed page is withheld all the same, as it is asked about live.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from django.db import DatabaseError, connections

from nlweb_ask.conf import deployment
from nlweb_ask.index import background, clock, embedding, rechecks, store
from nlweb_ask.index.apart import RAISED
from nlweb_ask.index.aside import ALIAS
from nlweb_ask.index.failures import log_failure
from nlweb_ask.index.upkeep import ask_again
from nlweb_ask.index.vector_sets import sites_with_vectors
from nlweb_ask.plugins import ModelUnavailable, sources

logger = logging.getLogger("nlweb_ask.index")

# What comes together is done together, and long after the answer has left.
DELAY_SECONDS: Final = 1.0
MOST_OBJECTS: Final = 10_000
LOOK_EVERY_SECONDS: Final = 60.0


class _Waiting:
    """What waits to be done; guarded by its own lock."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.objects: dict[str, set[str] | None] = {}  # None = all of the source
        self.look = False
        self.looked = 0.0  # time.monotonic() of the last look around
        self.embed = False  # words may have no vectors yet
        self.thread: threading.Thread | None = None
        self.held = 0

    def add(self, source_name: str, object_ids: Collection[str] | None) -> None:
        known = self.objects.setdefault(source_name, set())
        if object_ids is None or known is None:
            self.objects[source_name] = None
            return
        room = MOST_OBJECTS - sum(len(ids or ()) for ids in self.objects.values())
        known.update(sorted(set(object_ids) - known)[:room])


_waiting = _Waiting()


def ask_later(objects: Mapping[str, Collection[str] | None]) -> None:
    """Have these objects of each source asked about again; None = all of them."""
    wanted = {name: ids for name, ids in objects.items() if ids is None or ids}
    if not wanted or not deployment().merge_in_background:
        return
    with _waiting.lock:
        for source_name, object_ids in wanted.items():
            _waiting.add(source_name, object_ids)
        _start()


def look_later() -> None:
    """Have the sources asked that are noted for it."""
    if deployment().merge_in_background:
        with _waiting.lock:
            _waiting.look = True
            _start()


def embed_later(**_: Any) -> None:
    """Have vectors made of what was written, where the site has a model for them."""
    deployed = deployment()
    # What is indexed aside is embedded by whoever does it.
    if (
        deployed.merge_in_background
        and deployed.embedders
        and store.write_alias() != ALIAS
    ):
        with _waiting.lock:
            _waiting.embed = True
            _start()


def look_now_and_then() -> None:
    """Look every minute, if anybody asks, for what the clock or a change has turned.

    And for vectors that could not be made when it was time.
    """
    now = time.monotonic()
    with _waiting.lock:
        due = not _waiting.looked or now - _waiting.looked >= LOOK_EVERY_SECONDS
        if due:
            _waiting.looked = now
    if due and _anything_to_look_for():
        look_later()
    if due:
        embed_later()


def _anything_to_look_for() -> bool:
    watching = any(
        getattr(source, "watch", ()) or hasattr(source, "watched_rights")
        for source in sources.classes()
    )
    return watching or bool(clock.clocked())


@contextmanager
def held() -> Iterator[None]:
    """Do at the end of the block, in this thread, what comes in meanwhile.

    For a command: with the end of its process a thread would end as well.
    """
    with _waiting.lock:
        _waiting.held += 1
    try:
        yield
    finally:
        with _waiting.lock:
            _waiting.held -= 1
        drain()


def drain() -> None:
    """Do what waits, in this thread."""
    while _do_what_waits():
        pass


def forget() -> None:
    """Drop what waits."""
    with _waiting.lock:
        _waiting.objects, _waiting.look, _waiting.looked = {}, False, 0.0
        _waiting.embed = False


def _start() -> None:
    """Start the thread if none is running; call with the lock held."""
    # One that a fork has left behind counts as ended.
    running = _waiting.thread is not None and _waiting.thread.is_alive()
    if running or _waiting.held:
        return
    thread = threading.Thread(target=_work, name="nlweb_ask-later", daemon=True)
    try:
        thread.start()
    except RuntimeError as error:
        # The machine has no more threads; what waits is done with what comes next.
        log_failure("no thread to work in", "*", "*", error)
    else:
        _waiting.thread = thread


def _work() -> None:
    try:
        while True:
            time.sleep(DELAY_SECONDS)
            if not _do_what_waits(last=True):
                return
    finally:
        connections.close_all()


def _do_what_waits(*, last: bool = False) -> bool:
    """Do what has come in; return false, and let go of the thread, when nothing has."""
    with _waiting.lock:
        objects, _waiting.objects = _waiting.objects, {}
        look, _waiting.look = _waiting.look, False
        embed, _waiting.embed = _waiting.embed, False
        if not (objects or look or embed):
            if last:
                _waiting.thread = None
            return False
    for source_name, object_ids in objects.items():
        _attempt(source_name, object_ids)
    if look:
        _look()
    if embed and not _embed() and last:
        # Another process is at it, and may have looked before these were written.
        embed_later()
    return True


def _embed() -> bool:
    """Make the vectors that are missing; return false where another process does."""
    try:
        # Each of them, whatever becomes of the others.
        done = [_embed_site(site_id) for site_id in sites_with_vectors()]
    except DatabaseError as error:
        log_failure("no vectors", "*", "*", error)
        return True
    return all(done)


def _embed_site(site_id: int) -> bool:
    try:
        if not background.handed_over("embed", site_id):
            embedding.bring_up_to_date(site_id)
    except embedding.Busy:
        return False
    except ModelUnavailable as error:
        logger.warning(
            "no vectors site=%d reason=%s detail=%s",
            site_id,
            error.reason,
            error.detail or "none",
        )
    return True


def _attempt(source_name: str, object_ids: set[str] | None) -> None:
    if source_name not in sources:
        return
    ids = None if object_ids is None else sorted(object_ids)
    try:
        if not background.handed_over("ask_again", source_name, ids):
            ask_again(source_name, ids)
    except RAISED as error:  # the thread goes on with the others
        log_failure("not asked again", source_name, "*", error)


def _look() -> None:
    """Look for what is noted and what the clock has turned, one source after another."""
    due: list[tuple[str, Callable[[str], object]]] = []
    try:
        due += [(name, _settle_or_hand_over) for name in rechecks.noted()]
    except DatabaseError as error:
        log_failure("not looked for what is noted", "*", "*", error)
    due += [(name, clock.turn_due) for name in clock.clocked()]
    for source_name, look in due:
        try:
            look(source_name)
        except RAISED as error:  # a source is the site's own code
            log_failure("not looked for what has turned", source_name, "*", error)


def _settle_or_hand_over(source_name: str) -> None:
    if not background.handed_over("settle", source_name):
        rechecks.settle(source_name)
