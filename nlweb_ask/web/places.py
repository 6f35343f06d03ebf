"""Places for streams: so many threads at once, and an end to them with the process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from django.utils.translation import gettext as _

from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.protocol.errors import ServerBusy

# A stream usually lasts some seconds, so a place is free again about then.
BUSY_RETRY_SECONDS: Final = 5


class StreamPool:
    """Threads for streams; a full pool refuses, since a queue would only send pings.

    A stream has a thread to itself, which ends with it: starting one is nothing beside
    the work of a stream, and a process that ends need not wait for threads like these.
    """

    def __init__(self, size: int) -> None:
        self._free = threading.BoundedSemaphore(size)
        self._threads: set[threading.Thread] = set()

    def run(self, work: Callable[[], None]) -> None:
        """Do `work` in a thread.

        Raises:
            ServerBusy: When every place is taken, or the system gives no more threads.
        """
        if not self._free.acquire(blocking=False):
            raise _busy()
        thread = threading.Thread(
            target=self._do, args=(work,), name="nlweb-ask-stream", daemon=True
        )
        try:
            thread.start()
        except RuntimeError as error:
            self._free.release()
            raise _busy() from error

    def wait(self, seconds: float) -> None:
        """Wait until no work is done any more, for so long at most."""
        until = time.monotonic() + seconds
        for thread in self._threads.copy():
            thread.join(max(0.0, until - time.monotonic()))

    def _do(self, work: Callable[[], None]) -> None:
        thread = threading.current_thread()
        self._threads.add(thread)
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - nobody else would ever see it
            log_failure("stream", error)
        finally:
            self._threads.discard(thread)
            self._free.release()


def _busy() -> ServerBusy:
    msg = _("Too many answers are being written right now. Please try again.")
    return ServerBusy(msg, retry_after=BUSY_RETRY_SECONDS)
