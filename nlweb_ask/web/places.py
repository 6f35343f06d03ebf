"""Places for long answers: so many threads at once, and an end to them with the process."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Final

from django.utils.translation import gettext as _

from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.protocol.errors import ServerBusy

# An answer usually takes some seconds, so a place is free again about then.
BUSY_RETRY_SECONDS: Final = 5


class StreamPool:
    """Threads for long answers; a full pool refuses: a queue would only send pings.

    A thread that has nothing to do waits for the next answer. None of them keeps a
    process from ending, as those of a `ThreadPoolExecutor` would.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._free = threading.BoundedSemaphore(size)
        self._idle = threading.Semaphore(0)
        self._work = queue.SimpleQueue[Callable[[], None]]()

    def run(self, work: Callable[[], None]) -> None:
        """Do `work` in a thread.

        Raises:
            ServerBusy: When every place is taken, or the system gives no more threads.
        """
        if not self._free.acquire(blocking=False):
            raise _busy()
        if not self._idle.acquire(blocking=False):
            self._start()
        self._work.put(work)

    def close(self, seconds: float) -> None:
        """Take no more work, and wait for what is done still, for so long at most."""
        until = time.monotonic() + seconds
        for _place in range(self._size):
            self._free.acquire(timeout=max(0.0, until - time.monotonic()))

    def _start(self) -> None:
        name = "nlweb-ask-stream"
        try:
            threading.Thread(target=self._serve, name=name, daemon=True).start()
        except RuntimeError as error:
            self._free.release()
            raise _busy() from error

    def _serve(self) -> None:
        while True:
            _do(self._work.get())
            # Idle first: whoever gets the place must find the thread of it.
            self._idle.release()
            self._free.release()


def _do(work: Callable[[], None]) -> None:
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - nobody else would ever see it
        log_failure("stream", error)


def _busy() -> ServerBusy:
    msg = _("Too many answers are being written right now. Please try again.")
    return ServerBusy(msg, retry_after=BUSY_RETRY_SECONDS)
