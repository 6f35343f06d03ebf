"""One call of a model, from its beginning to whatever ends it."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any, Final, TypeVar

from nlweb_ask.ai.breaker import breaker_of
from nlweb_ask.ai.exchange import Exchange, exchange
from nlweb_ask.ai.failures import BUSY, TIME, Failure, NotAsked, Refused, failure_of
from nlweb_ask.ai.pieces import Pieces
from nlweb_ask.ai.providers import Provider
from nlweb_ask.ai.room import Library, Room
from nlweb_ask.ai.silence import silent_context
from nlweb_ask.plugins.contracts import Deadline
from nlweb_ask.plugins.errors import ModelUnavailable, NoModel

logger = logging.getLogger("nlweb_ask.ai")

Answer = TypeVar("Answer")
Work = Callable[[], Coroutine[Any, Any, None]]

# How often a call is looked at: has the client gone, is the time up?
POLL_SECONDS: Final = 0.1
# With less than this, a call is not begun: it would only cost.
LEAST_SECONDS: Final = 0.2
# Before the one other try, where the provider does not say when.
RETRY_SECONDS: Final = 0.5
# A reader leaves it to the loop to end a call, and goes so much later by itself.
GRACE_SECONDS: Final = 0.5
# The kind of failure where it was ours to end the call.
OVER: Final = "Over"
LEFT_ALONE: Final = "it is left alone for a while, as it has failed before"


class Call:
    """What a reader in one thread and the work in the room's loop share."""

    def __init__(
        self, model: Provider, deadline: Deadline, *, first_timeout: float | None = None
    ) -> None:
        self.model = model
        self.pieces = Pieces(self._why_stop)
        self._deadline = deadline
        self._first_timeout = first_timeout
        # Not before litellm has been imported: what that takes is no fault of the model.
        self._begun_at: float | None = None
        self._left = threading.Event()
        self._is_asked = False
        # Who has left knows for certain whether it has been asked.
        self._asking = threading.Lock()
        self._breaker = breaker_of(model.identity)
        self._exchange = Exchange()
        self._detail = ""  # what whoever runs the site is told of a failure

    def begin(self, room: Room, library: Library, work: Work) -> None:
        """Have `work` done in `room`, once `library` has been loaded.

        Raises:
            NotAsked: When the model is not to be asked now.
        """
        self._refuse_unless_ready()
        if not self._breaker.admits():
            raise NotAsked(reason=self._breaker.reason, detail=LEFT_ALONE)
        if not room.run(
            lambda: self._run(room, library, work), places=self.model.places
        ):
            self._breaker.abandoned()
            raise NotAsked(reason="busy")

    def read(self) -> Iterator[str]:
        """Yield the pieces as they come.

        Raises:
            NotAsked: When the provider has been sent nothing, and will not be.
            Refused: When it had too much to do.
            ModelUnavailable: When it does not go on for another reason.
        """
        try:
            yield from self.pieces
        except ModelUnavailable as error:
            reason = error.reason
        else:
            return
        self.leave()
        raise self._told(reason)

    def leave(self) -> None:
        """Say that nobody waits any more."""
        with self._asking:
            self._left.set()

    def asks(self) -> None:
        """Say that the provider is asked now.

        Raises:
            Failure: When nobody waits any more.
        """
        with self._asking:
            if self._left.is_set():
                raise Failure("stopped", OVER)  # noqa: EM101 - a reason
            self._is_asked = True

    def seconds_left(self) -> float:
        """Return how long the call may still take; below 0 it should have ended."""
        seconds = [self._deadline.at - time.monotonic()]
        if self._begun_at is not None:
            taken = time.monotonic() - self._begun_at
            seconds.append(self.model.timeout - taken)
            if self._first_timeout is not None and not self.pieces.has_begun:
                seconds.append(self._first_timeout - taken)
        return min(seconds)

    async def tried(self, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """Ask, and once more where the provider says that this may help."""
        try:
            return await ask()
        except Exception as error:  # noqa: BLE001 - a library may raise anything
            failure = failure_of(error, self._exchange)
        seconds = RETRY_SECONDS if failure.retry_after is None else failure.retry_after
        if not failure.may_pass or seconds + LEAST_SECONDS > self.seconds_left():
            raise failure
        await asyncio.sleep(seconds)
        return await ask()

    def _refuse_unless_ready(self) -> None:
        if self._deadline.stop.is_set():
            raise NotAsked(reason="stopped")
        if self._deadline.at - time.monotonic() < LEAST_SECONDS:
            raise NotAsked(reason="time")
        if self.model.key() is None:
            logger.warning(
                "model=%s not asked: no key, %s is not set",
                self.model.label,
                self.model.key_variable,
            )
            detail = f"{self.model.key_variable} is not set"
            raise NotAsked(reason="fault", detail=detail)

    def _told(self, reason: NoModel) -> ModelUnavailable:
        if not self._is_asked:
            return NotAsked(reason=reason, detail=self._detail)
        if self._exchange.status in BUSY:
            return Refused(reason=reason, detail=self._detail)
        return ModelUnavailable(reason=reason, detail=self._detail)

    async def _run(self, room: Room, library: Library, work: Work) -> None:
        try:
            await room.imported(library)
        except Exception as error:  # noqa: BLE001 - an import runs anybody's code
            self._end(Failure("fault", type(error).__name__, is_of_site=True))
            return
        self._begun_at = time.monotonic()
        if reason := self._over():
            # It ended while the import took its time, which says nothing of the model.
            self._breaker.abandoned()
            if reason == "time":
                logger.warning(
                    "model=%s not asked: the time was up before litellm was imported",
                    self.model.label,
                )
            self.pieces.end(reason)
            return
        try:
            await self._watch(work)
        finally:
            await self._exchange.close()

    async def _watch(self, work: Work) -> None:
        """Do `work` until it ends, or nobody waits for it any more."""
        loop = asyncio.get_running_loop()
        context = silent_context()
        context.run(exchange.set, self._exchange)
        task = loop.create_task(work(), context=context)
        while not task.done():
            await asyncio.wait({task}, timeout=POLL_SECONDS)
            if not task.done() and (reason := self._over()):
                task.cancel()
                # The reader need not wait until the connection has been closed.
                self._end(Failure(reason, TIME if reason == "time" else OVER))
                await asyncio.wait({task})
                return
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        self._end(None if error is None else failure_of(error, self._exchange))

    def _over(self) -> NoModel | None:
        if self._left.is_set() or self._deadline.stop.is_set():
            return "stopped"
        return "time" if self.seconds_left() <= 0 else None

    def _why_stop(self) -> NoModel | None:
        """Say why a reader should wait no more, whatever the loop does."""
        if self._deadline.stop.is_set():
            return "stopped"
        return "time" if self.seconds_left() < -GRACE_SECONDS else None

    def _end(self, failure: Failure | None) -> None:
        if failure is None:
            self._breaker.succeeded()
        else:
            self._failed(failure)
        self.pieces.end(None if failure is None else failure.reason)

    def _failed(self, failure: Failure) -> None:
        if failure.reason != "stopped":
            self._detail = failure.detail
            # Never its text, nor the address: both may hold a key.
            logger.warning(
                "model=%s not to be had: reason=%s kind=%s status=%s",
                self.model.label,
                failure.reason,
                failure.kind,
                failure.status,
            )
        if not failure.tells_of_model:
            self._breaker.abandoned()
        elif self._breaker.failed(failure.reason):
            logger.warning(
                "model=%s left alone for %d seconds: reason=%s kind=%s",
                self.model.label,
                self._breaker.rest,
                failure.reason,
                failure.kind,
            )
