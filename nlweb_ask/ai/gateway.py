"""The one door to language and embedding models: nothing else imports litellm.

Read `stream` first. Importing litellm takes seconds, so it is done in the background,
once a model is first needed; `warm_up` begins it a little sooner.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from django.views.decorators.debug import sensitive_variables

from nlweb_ask.ai.call import LEAST_SECONDS, Call
from nlweb_ask.ai.failures import Failure
from nlweb_ask.ai.providers import NO_KEY, EmbeddingModel, LanguageModel, Provider
from nlweb_ask.ai.room import room
from nlweb_ask.ai.silence import silent_context
from nlweb_ask.plugins.contracts import Deadline
from nlweb_ask.plugins.types import Prompt

# What a library may take longer than a call, seconds.
BEHIND_SECONDS: Final = 5.0
# A longer text than this is none of so many tokens, whatever the tokenizer.
CHARACTERS_OF_A_TOKEN: Final = 32
# What the form of a chat adds to its words, generously.
TOKENS_OF_THE_FORM: Final = 64
# Providers that litellm reaches through the client of OpenAI.
OPENAI_CLIENT: Final = frozenset(
    {
        *("openai", "custom_openai", "lm_studio", "llamafile", "perplexity"),
        *("deepinfra", "nvidia_nim", "cerebras", "sambanova", "nebius", "volcengine"),
    }
)


# Lists of litellm's that the site itself may have filled.
CALLBACKS: Final = (
    *("callbacks", "input_callback", "success_callback", "failure_callback"),
    *("_async_input_callback", "_async_success_callback", "_async_failure_callback"),
)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call used, as the provider tells it, or as litellm counts it for one."""

    input_tokens: int
    output_tokens: int
    cost_micros: int | None  # millionths of the currency; None where no price is known


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of texts, in their order."""

    vectors: np.ndarray[Any, np.dtype[np.float32]]  # (texts, width), finite, unscaled
    usage: Usage | None  # None where the provider does not say


def input_tokens_at_most(prompt: Prompt) -> int:
    """Return no fewer tokens than any model counts in `prompt`.

    A tokenizer makes at most one token of each byte.
    """
    written = len(prompt.system.encode()) + len(prompt.user.encode())
    return written + TOKENS_OF_THE_FORM


class Completion:
    """The pieces of an answer as they come.

    The connection is closed at its end, by `close`, by leaving the `with` block, by the
    deadline and its `stop`, and when nobody holds it any more.
    """

    def __init__(self, call: Call, written: _Written) -> None:
        self._call = call
        self._written = written

    @property
    def usage(self) -> Usage | None:
        """What the whole answer used; None before its end, and if it broke off."""
        # Some tell at each piece how much it was so far.
        return self._written.usage if self._written.is_whole else None

    @property
    def was_cut(self) -> bool:
        """Whether the model stopped at `max_tokens`, in the middle of what it said."""
        return self._written.was_cut

    def __iter__(self) -> Iterator[str]:
        """Yield the pieces, none of them empty; there is at least one.

        Raises:
            ModelUnavailable: Also after the first piece, when the rest does not come;
                `NotAsked` and `Refused` where nothing has been paid for.
        """
        # Not the iterator itself, which would outlive this object and so be closed.
        yield from self._call.read()

    def close(self) -> None:
        """Hang up, from any thread and at any time; it does not wait."""
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
    """Ask a language model. What it answers may be any text, also where JSON is asked for.

    Raises:
        NotAsked: At once, when it is not to be asked now.
    """
    call = Call(model, deadline, first_timeout=model.first_timeout)
    tokens = min(max_tokens, model.max_tokens)
    said = {"system": prompt.system, "user": prompt.user}
    asked: dict[str, Any] = {
        "messages": [
            {"role": role, "content": text} for role, text in said.items() if text
        ],
        "max_tokens": tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if as_json:
        asked["response_format"] = {"type": "json_object"}
    written = _Written(most=tokens * CHARACTERS_OF_A_TOKEN)
    call.begin(room(), _LITELLM, lambda: _write(call, asked, written))
    return Completion(call, written)


@sensitive_variables()
def embed(
    model: EmbeddingModel, texts: Sequence[str], *, deadline: Deadline
) -> Embedded:
    """Return the vectors of `texts` in one call; for no texts none, without a call.

    Raises:
        ModelUnavailable: Also when a vector is missing or is not of finite numbers;
            `NotAsked` and `Refused` where nothing has been paid for.
    """
    if not texts:
        return Embedded(np.zeros((0, model.width or 0), np.float32), None)
    call = Call(model, deadline)
    asked: dict[str, Any] = {"input": list(texts), "encoding_format": "float"}
    if model.width:
        asked["dimensions"] = model.width
    made: list[Embedded] = []
    call.begin(room(), _LITELLM, lambda: _embed(call, asked, made))
    with contextlib.closing(_Leaving(call)):
        for _piece in call.read():
            pass
    return made[0]


def warm_up() -> Future[None]:
    """Begin to import litellm; return at once what ends with that, and with its error."""
    return room().begin_import(_LITELLM)


def is_ready() -> bool:
    """Whether a call need not wait for litellm, since it was imported or cannot be."""
    return room().has_imported


@dataclass(slots=True)
class _Written:
    """What is known of an answer beside its pieces."""

    most: int  # characters
    characters: int = 0
    is_whole: bool = False
    was_cut: bool = False
    was_filtered: bool = False  # the provider does not let it be said
    usage: Usage | None = None

    def add(self, piece: str) -> None:
        self.characters += len(piece)
        if self.characters > self.most:
            raise _fault(kind="TooLong")


@dataclass(frozen=True, slots=True)
class _Leaving:
    call: Call

    def close(self) -> None:
        self.call.leave()


async def _write(call: Call, asked: dict[str, Any], written: _Written) -> None:
    async with _chunks(call, asked) as chunks:
        async for chunk in chunks:
            if piece := _read(chunk, written):
                written.add(piece)
                call.pieces.put(piece)
            if usage := getattr(chunk, "usage", None):
                written.usage = _usage(call.model, usage)
            # Chunks that are all there would keep the loop from everybody else.
            await asyncio.sleep(0)
    if not written.is_whole:
        raise _fault(kind="Incomplete")
    if not written.characters:
        raise _nothing_said(written)


def _read(chunk: Any, written: _Written) -> str:
    """Return the words of a chunk; the last ones have none and only tell of the end."""
    if not chunk.choices:
        return ""
    choice = chunk.choices[0]
    if choice.finish_reason is not None:
        written.is_whole = True
        written.was_cut = choice.finish_reason == "length"
        written.was_filtered = choice.finish_reason == "content_filter"
    return choice.delta.content or ""


@contextlib.asynccontextmanager
async def _chunks(call: Call, asked: dict[str, Any]) -> AsyncIterator[Any]:
    chunks = await call.tried(lambda: _litellm().acompletion(**_reached(call, asked)))
    try:
        yield chunks
    finally:
        await chunks.aclose()


async def _embed(call: Call, asked: dict[str, Any], made: list[Embedded]) -> None:
    answer = await call.tried(lambda: _litellm().aembedding(**_reached(call, asked)))
    try:
        rows = sorted(answer.data, key=lambda row: row["index"])
        vectors = np.array([row["embedding"] for row in rows], np.float32)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise _fault(kind="Unreadable") from None
    if vectors.ndim != 2 or len(vectors) != len(asked["input"]) or not vectors.size:
        raise _fault(kind="Misshapen")
    if not np.isfinite(vectors).all():
        raise _fault(kind="NotFinite")
    made.append(Embedded(vectors, _usage(call.model, answer.usage)))


def _refuse_if_overheard() -> None:
    """Ask nothing while something hangs in litellm that is told of each call.

    Its own way of leaving a call out leaves it out of some of them only.
    """
    for name in CALLBACKS:
        # A cache of litellm's hangs there too; it is told to keep nothing.
        if any(callback != "cache" for callback in getattr(_litellm(), name, ())):
            raise _of_site(kind="Overheard")


def _nothing_said(written: _Written) -> Failure:
    if written.was_filtered:
        return Failure("fault", kind="Filtered", is_of_question=True)
    return _fault(kind="Empty")


def _fault(*, kind: str) -> Failure:
    return Failure("fault", kind)


def _of_site(*, kind: str) -> Failure:
    return Failure("fault", kind, is_of_site=True)


def _reached(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
    """Add to what is asked where, with which key, and that nothing is kept of it."""
    _refuse_if_overheard()
    model = call.model
    reached = {
        **model.extra,
        **asked,
        "model": model.model,
        "api_key": model.key() or None,
        "api_base": model.base_url or None,
        "client": _client(model),
        # Only stands behind the deadline of the call: it counts from read to read. At the
        # same moment it would have a connection closed by what is cancelled just then,
        # and so left open.
        "timeout": max(call.seconds_left(), LEAST_SECONDS) + BEHIND_SECONDS,
        "max_retries": 0,
        "drop_params": True,
        # Else it leaves out what it does not know of a model, without a word.
        "allowed_openai_params": [*model.extra, *({"dimensions"} & asked.keys())],
        "caching": False,
        "cache": {"no-cache": True, "no-store": True},
        "no-log": True,
    }
    call.asks()
    return reached


def _usage(model: Provider, told: Any) -> Usage | None:
    try:
        read = int(told.prompt_tokens)
        written = int(getattr(told, "completion_tokens", 0) or 0)
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None
    if read < 0 or written < 0 or read + written == 0:
        return None
    return Usage(read, written, _cost(model, read, written))


def _cost(model: Provider, read: int, written: int) -> int | None:
    cost = model.cost_micros(read, written)
    if cost is not None or model.base_url:
        return cost
    try:
        prices: tuple[float, float] = _litellm().cost_per_token(
            model=model.model, prompt_tokens=read, completion_tokens=written
        )
        return math.ceil(sum(prices) * 1_000_000)
    except Exception:  # noqa: BLE001 - it raises bare ones for a model it does not know
        return None


def _address(model: Provider) -> str | None:
    """Return where a model is reached; None for what the client itself takes: OpenAI.

    The client would go there with the key of any other provider too.
    """
    if model.base_url or model.model.startswith("openai/"):
        return model.base_url or None
    address: str | None = _litellm().get_llm_provider(model.model)[3]
    if not address:
        raise _of_site(kind="NoAddress")
    return address


def _client(model: Provider, http_client: Any = None) -> Any:
    """Return the client that litellm is to use, over the connections of the room.

    Made for each call, as it holds the key; the connections are kept.
    """
    from nlweb_ask.ai.transport import shared_client

    http_client = http_client or shared_client()
    if model.model.partition("/")[0] not in OPENAI_CLIENT:
        from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

        handler = AsyncHTTPHandler(follow_redirects=False)
        handler.client = http_client
        return handler
    from openai import AsyncOpenAI

    class Once(AsyncOpenAI):
        # litellm sets it to 2 for embeddings, whatever it is told.
        max_retries = property(lambda _: 0, lambda _, __: None)

    return Once(
        api_key=model.key() or None,
        base_url=_address(model),
        http_client=http_client,
    )


class _LiteLLM:
    """The library that is loaded in the background when a model is first needed."""

    def load(self) -> None:
        # It would fetch a list of prices from the network, and try again and again.
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
        silent_context().run(_litellm)
        # It prints, when a call fails.
        _litellm().suppress_debug_info = True
        _litellm().set_verbose = False

    async def rehearse(self) -> None:
        """Answer one call of each kind here, without a network."""
        rehearsal = asyncio.get_running_loop().create_task(
            _rehearse(), context=silent_context()
        )
        await asyncio.wait({rehearsal})
        # What may be wrong with it, the first call will find out.
        rehearsal.exception()


async def _rehearse() -> None:
    from nlweb_ask.ai.transport import answering_itself

    here: dict[str, Any] = {"api_key": NO_KEY, "no-log": True}
    model = LanguageModel(
        label="", model="openai/rehearsal", base_url="http://localhost"
    )
    async with answering_itself() as http_client:
        here["client"] = _client(model, http_client)
        said = [{"role": "user", "content": "?"}]
        asked = {"model": model.model, "messages": said, "stream": True}
        async for _chunk in await _litellm().acompletion(**here, **asked):
            pass
        await _litellm().aembedding(**here, model=model.model, input=["?"])


_LITELLM: Final = _LiteLLM()


def _litellm() -> Any:
    import litellm

    return litellm
