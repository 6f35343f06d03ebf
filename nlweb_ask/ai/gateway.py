"""The one door to language and embedding models: nothing else imports litellm.

Every call runs on one event loop in a thread of its own, so that a provider that hangs
holds no thread of an answer, and its connection can be closed at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import os
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from django.views.decorators.debug import sensitive_variables

from nlweb_ask.ai.breaker import breaker_of
from nlweb_ask.ai.faults import Failure, failure_of
from nlweb_ask.ai.pieces import Pieces
from nlweb_ask.ai.providers import EmbeddingModel, LanguageModel, Provider
from nlweb_ask.ai.room import room
from nlweb_ask.plugins.contracts import Deadline
from nlweb_ask.plugins.errors import ModelUnavailable, NoModel
from nlweb_ask.plugins.types import Prompt

logger = logging.getLogger("nlweb_ask.ai")

# How often a call is looked at: has the client gone, is the time up?
POLL_SECONDS: Final = 0.1
# With less than this, a call is not begun: it would only cost.
LEAST_SECONDS: Final = 0.2
# Before the one other try, where the provider does not say when.
RETRY_SECONDS: Final = 0.5
# A token of any tokenizer is at most this many characters on average; what is longer
# than that is no answer of `max_tokens`.
CHARACTERS_OF_A_TOKEN: Final = 32
# What a chat's form adds to its words, generously.
TOKENS_OF_THE_FORM: Final = 64


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call used."""

    input_tokens: int
    output_tokens: int
    cost_micros: int | None  # millionths of the currency; None where no price is known


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of texts, in their order."""

    vectors: np.ndarray[
        Any, np.dtype[np.float32]
    ]  # (texts, width), as the model gave them
    usage: Usage | None  # None where the provider does not say


def input_tokens_at_most(prompt: Prompt) -> int:
    """Return no fewer tokens than any model counts in `prompt`.

    A tokenizer makes at most one token of each byte.
    """
    written = len(prompt.system.encode()) + len(prompt.user.encode())
    return written + TOKENS_OF_THE_FORM


class Completion:
    """The pieces of an answer as they come.

    It is closed by its end, by `close`, by leaving its `with` block, and by the
    deadline, whoever is reading or not.
    """

    def __init__(self, call: _Call) -> None:
        self._call = call

    @property
    def usage(self) -> Usage | None:
        """What the whole answer used; None before its end, or when nobody knows."""
        return self._call.usage

    @property
    def was_cut(self) -> bool:
        """Whether the model stopped in the middle, because `max_tokens` were written."""
        return self._call.was_cut

    def __iter__(self) -> Iterator[str]:
        """Yield the pieces, none of them empty.

        Raises:
            ModelUnavailable: Also after the first piece, when the rest does not come.
        """
        return iter(self._call.pieces)

    def close(self) -> None:
        """Hang up; may be called at any time and from any thread, and does not wait."""
        self._call.leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


@sensitive_variables()
def stream(
    model: LanguageModel,
    prompt: Prompt,
    *,
    max_tokens: int,
    deadline: Deadline,
    as_json: bool = False,
) -> Completion:
    """Ask a language model; its answer may be longer than asked for, and any text.

    Raises:
        ModelUnavailable: At once, when it is not to be asked now.
    """
    call = _Call(model, deadline, first_timeout=model.first_timeout)
    tokens = min(max_tokens, model.max_tokens)
    asked = {
        "messages": [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ],
        "max_tokens": tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if as_json:
        asked["response_format"] = {"type": "json_object"}
    call.begin(lambda: _write(call, asked, tokens * CHARACTERS_OF_A_TOKEN))
    return Completion(call)


@sensitive_variables()
def embed(
    model: EmbeddingModel, texts: Sequence[str], *, deadline: Deadline
) -> Embedded:
    """Return the vectors of `texts`, none of them for no texts; in one call.

    Raises:
        ModelUnavailable: Also when a vector is missing, or is not of finite numbers.
    """
    if not texts:
        return Embedded(np.zeros((0, model.width or 0), np.float32), None)
    call = _Call(model, deadline)
    asked: dict[str, Any] = {"input": list(texts), "encoding_format": "float"}
    if model.width:
        asked["dimensions"] = model.width
    call.begin(lambda: _embed(call, asked))
    try:
        list(call.pieces)
    finally:
        call.leave()
    if call.embedded is None:
        raise ModelUnavailable(reason="fault")
    return call.embedded


class _Call:
    """One call from its beginning to its end; the room's loop and a reader share it."""

    def __init__(
        self,
        model: Provider,
        deadline: Deadline,
        *,
        first_timeout: float | None = None,
    ) -> None:
        self.model = model
        self.deadline = deadline
        self.first_timeout = first_timeout
        self.pieces = Pieces(deadline)
        self.usage: Usage | None = None
        self.was_cut = False
        self.embedded: Embedded | None = None
        self.begun_at = time.monotonic()
        self._left = threading.Event()
        self._breaker = breaker_of(_identity(model))

    def begin(self, work: Callable[[], Awaitable[None]]) -> None:
        self._refuse_unless_ready()
        if not self._breaker.admits():
            raise ModelUnavailable(reason="busy")
        place = room().take()
        if place is None:
            self._breaker.abandoned()
            raise ModelUnavailable(reason="busy")
        place.run(lambda: self._run(work))

    def _refuse_unless_ready(self) -> None:
        if self.deadline.stop.is_set():
            raise ModelUnavailable(reason="stopped")
        if self.deadline.at - time.monotonic() < LEAST_SECONDS:
            raise ModelUnavailable(reason="time")
        if self.model.key() is None:
            logger.warning("model=%s has no key in its variable", self.model.label)
            raise ModelUnavailable(reason="off")

    def leave(self) -> None:
        self._left.set()

    def seconds_left(self) -> float:
        until = min(self.deadline.at, self.begun_at + self.model.timeout)
        if self.first_timeout is not None and not self.pieces.has_begun:
            until = min(until, self.begun_at + self.first_timeout)
        return until - time.monotonic()

    def _over(self) -> NoModel | None:
        if self._left.is_set() or self.deadline.stop.is_set():
            return "stopped"
        return "time" if self.seconds_left() <= 0 else None

    async def _run(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            # Importing it takes long, and is no fault of the model.
            await room().imported(_import_litellm)
            self.begun_at = time.monotonic()
            reason, failure = await self._watched(work)
        except Exception as error:  # noqa: BLE001 - whatever litellm's import raises
            reason, failure = "fault", failure_of(error)
        self._tell(reason, failure)
        self.pieces.end(reason)

    async def _watched(
        self, work: Callable[[], Awaitable[None]]
    ) -> tuple[NoModel | None, Failure | None]:
        """Do `work` until it ends or nobody waits for it any more."""
        task = asyncio.ensure_future(work())
        while not task.done():
            await asyncio.wait({task}, timeout=POLL_SECONDS)
            if not task.done() and (reason := self._over()):
                task.cancel()
                self.pieces.end(reason)  # nobody waits for what clears itself away
                await asyncio.wait({task})
                return reason, None
        error = task.exception() if not task.cancelled() else asyncio.CancelledError()
        if error is None:
            return None, None
        failure = failure_of(error)
        return failure.reason, failure

    def _tell(self, reason: NoModel | None, failure: Failure | None) -> None:
        if reason is None:
            self._breaker.succeeded()
        elif reason == "stopped":
            self._breaker.abandoned()
        else:
            self._breaker.failed()
            logger.warning(
                "model=%s reason=%s kind=%s status=%s",
                self.model.label,
                reason,
                failure.kind if failure else "-",
                failure.status if failure else "-",
            )


def _identity(model: Provider) -> tuple[str, ...]:
    return (type(model).__name__, model.model, model.base_url, model.key_variable)


async def _write(call: _Call, asked: dict[str, Any], most: int) -> None:
    written, ended = 0, False
    async with _begun(
        call, lambda: _litellm().acompletion(**_with(call, asked))
    ) as chunks:
        async for chunk in chunks:
            for choice in chunk.choices[:1]:
                if piece := choice.delta.content:
                    written += len(piece)
                    if written > most:
                        raise Failure("fault", "TooLong")
                    call.pieces.put(piece)
                ended = ended or choice.finish_reason is not None
                call.was_cut = call.was_cut or choice.finish_reason == "length"
            if usage := getattr(chunk, "usage", None):
                call.usage = _usage(call.model, usage)
    if not written or not ended:
        raise Failure("fault", "Empty" if ended else "Incomplete")


async def _embed(call: _Call, asked: dict[str, Any]) -> None:
    answer = await _tried(call, lambda: _litellm().aembedding(**_with(call, asked)))
    rows = sorted(answer.data, key=lambda row: row["index"])
    vectors = np.array([row["embedding"] for row in rows], np.float32)
    if vectors.ndim != 2 or len(vectors) != len(asked["input"]):
        raise Failure("fault", "Misshapen")
    if not vectors.shape[1] or not np.isfinite(vectors).all():
        raise Failure("fault", "NotFinite")
    call.embedded = Embedded(vectors, _usage(call.model, answer.usage))


def _with(call: _Call, asked: dict[str, Any]) -> dict[str, Any]:
    """Add to what is asked where, with which key, and how long it may take."""
    model = call.model
    return {
        **asked,
        **model.extra,
        "model": model.model,
        "api_key": model.key() or None,
        "base_url" if "messages" in asked else "api_base": model.base_url or None,
        "timeout": max(call.seconds_left(), LEAST_SECONDS),
        "max_retries": 0,
        "drop_params": True,
        "no-log": True,
    }


@contextlib.asynccontextmanager
async def _begun(
    call: _Call, ask: Callable[[], Awaitable[Any]]
) -> AsyncIterator[AsyncIterator[Any]]:
    chunks = await _tried(call, ask)
    try:
        yield chunks
    finally:
        await chunks.aclose()


async def _tried(call: _Call, ask: Callable[[], Awaitable[Any]]) -> Any:
    """Ask, and once more where the provider says that this may help."""
    try:
        return await ask()
    except Exception as error:  # noqa: BLE001 - litellm raises what it likes
        failure = failure_of(error)
        seconds = RETRY_SECONDS if failure.retry_after is None else failure.retry_after
        if not failure.may_pass or seconds + LEAST_SECONDS > call.seconds_left():
            raise failure from None
    await asyncio.sleep(seconds)
    return await ask()


def _usage(model: Provider, told: Any) -> Usage | None:
    try:
        read = int(told.prompt_tokens)
        written = int(getattr(told, "completion_tokens", 0) or 0)
    except (AttributeError, TypeError, ValueError):
        return None
    if read < 0 or written < 0 or read + written == 0:
        return None
    return Usage(read, written, _cost(model, read, written))


def _cost(model: Provider, read: int, written: int) -> int | None:
    if isinstance(model, LanguageModel):
        cost = model.cost_micros(read, written)
    elif isinstance(model, EmbeddingModel):
        cost = model.cost_micros(read)
    if cost is not None:
        return cost
    try:
        prices: tuple[float, float] = _litellm().cost_per_token(
            model=model.model, prompt_tokens=read, completion_tokens=written
        )
    except Exception:  # noqa: BLE001 - it raises bare ones for a model it does not know
        return None
    return math.ceil(sum(prices) * 1_000_000)


def _import_litellm() -> None:
    # It would fetch a list of prices from the network, and try again and again.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    litellm = _litellm()
    litellm.suppress_debug_info = True
    litellm.DEFAULT_MAX_RETRIES = 0


def _litellm() -> Any:
    import litellm

    return litellm


def warm_up() -> None:
    """Begin to import litellm, which takes seconds, and return at once."""
    room().begin_import(_import_litellm)
