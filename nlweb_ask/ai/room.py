"""Where models are called: one event loop in one thread, with so many places."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

# Calls that one process makes at once; a call that finds no place is not made.
PLACES: Final = 32


class Place:
    """A place that has been taken; it is free again when what runs in it has ended."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        running = asyncio.run_coroutine_threadsafe(work(), self._room.loop)
        running.add_done_callback(lambda _: self._room.free())


class Room:
    """The loop and its places; made when the first model is called."""

    def __init__(self, places: int = PLACES) -> None:
        self.loop = asyncio.new_event_loop()
        self.loop.set_default_executor(
            ThreadPoolExecutor(places, thread_name_prefix="nlweb-models-io")
        )
        # What it would log of a task that failed may hold what a provider said.
        self.loop.set_exception_handler(lambda _loop, _context: None)
        self._places = threading.Semaphore(places)
        self._import: Future[None] | None = None
        self._starting = threading.Lock()
        threading.Thread(
            target=self.loop.run_forever, name="nlweb-models", daemon=True
        ).start()

    def take(self) -> Place | None:
        return Place(self) if self._places.acquire(blocking=False) else None

    def free(self) -> None:
        self._places.release()

    def begin_import(self, load: Callable[[], None]) -> Future[None]:
        """Have `load` run once, in a thread of its own."""
        with self._starting:
            if self._import is None:
                self._import = Future()
                threading.Thread(
                    target=_settle,
                    args=(self._import, load),
                    name="nlweb-models-import",
                    daemon=True,
                ).start()
            return self._import

    async def imported(self, load: Callable[[], None]) -> None:
        """Wait until `load` has run; it raises what that raised."""
        await asyncio.shield(asyncio.wrap_future(self.begin_import(load)))


def _settle(future: Future[None], load: Callable[[], None]) -> None:
    try:
        load()
    except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
        future.set_exception(error)
    else:
        future.set_result(None)


_room: Room | None = None
_making: Final = threading.Lock()


def room() -> Room:
    """Return the room of this process."""
    global _room
    with _making:
        if _room is None:
            _room = Room()
        return _room


def _forget() -> None:
    # A process that was forked has none of its parent's threads.
    global _room
    _room = None


os.register_at_fork(after_in_child=_forget)
