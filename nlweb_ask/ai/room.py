"""Where models are called: one event loop in one thread, with so many places.

A provider that hangs holds a place here and nothing else: a thread that writes an
answer waits for it only as long as it likes.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, Protocol

# For what a library does in threads, such as looking up the name of a host.
IO_THREADS: Final = 8
# A process that ends waits for what the loop is in the midst of no longer than this.
ENDING_SECONDS: Final = 5.0


class Library(Protocol):
    """What takes long to import, and some more when it is first used."""

    def load(self) -> None:
        """Import it; in a thread of its own."""

    async def rehearse(self) -> None:
        """Use it once, so that it imports the rest; in the room's loop."""


class Room:
    """The loop and its places; made when the first model is called."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(
            ThreadPoolExecutor(IO_THREADS, thread_name_prefix="nlweb-models-io")
        )
        # What it would log of a task that failed may hold what a provider said.
        self._loop.set_exception_handler(lambda _loop, _context: None)
        self._taken = 0
        self._import: Future[None] | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="nlweb-models", daemon=True
        )
        self._thread.start()

    def end(self) -> None:
        """Leave every call where it is, for the process ends."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(ENDING_SECONDS)

    def run(
        self, work: Callable[[], Coroutine[Any, Any, None]], *, places: int
    ) -> bool:
        """Begin `work`, unless as many others as there are places have not ended."""
        with self._lock:
            if self._taken >= places:
                return False
            self._taken += 1
        running = asyncio.run_coroutine_threadsafe(work(), self._loop)
        running.add_done_callback(self._free)
        return True

    def _free(self, _ended: Future[None]) -> None:
        with self._lock:
            self._taken -= 1

    def begin_import(self, library: Library) -> Future[None]:
        """Have a library loaded, once; what that raises is kept."""
        with self._lock:
            if self._import is None:
                self._import = Future()
                threading.Thread(
                    target=self._load,
                    args=(self._import, library),
                    name="nlweb-models-import",
                    daemon=True,
                ).start()
            return self._import

    @property
    def has_imported(self) -> bool:
        """Whether the loading of a library has ended, however it ended."""
        return self._import is not None and self._import.done()

    async def imported(self, library: Library) -> None:
        """Wait until a library has been loaded; it raises what that raised."""
        await asyncio.shield(asyncio.wrap_future(self.begin_import(library)))

    def _load(self, future: Future[None], library: Library) -> None:
        try:
            library.load()
            rehearsal = asyncio.run_coroutine_threadsafe(library.rehearse(), self._loop)
            rehearsal.result()
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            future.set_exception(error)
        else:
            future.set_result(None)


_room: Room | None = None
_making = threading.Lock()


def room() -> Room:
    """Return the room of this process."""
    global _room
    with _making:
        if _room is None:
            _room = Room()
        return _room


def _forget() -> None:
    # A process that was forked has none of its parent's threads.
    global _room, _making
    _room, _making = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)


# Python stops a thread like this one wherever it is: in an import it would keep the lock
# of all imports, and what a library still imports at the end would wait for ever.
@atexit.register
def _end() -> None:
    if _room is not None:
        _room.end()
