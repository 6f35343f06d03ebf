"""What an entry of `NLWEB_ASK["MODELS"]` and of `["EMBEDDERS"]` may hold.

A problem names keys and labels and shows no value: somebody may have written a key there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of an entry: what its value must be."""

    kind: type
    least: float | None = None  # for a number: it must be more, or at least this


_REACHED: Final = {
    "model": Entry(str),
    "key_variable": Entry(str),
    "base_url": Entry(str),
    "timeout": Entry(float, least=0.1),  # seconds
    "input_price": Entry(float, least=0),  # of a million tokens
    "extra": Entry(Mapping),
}
MODEL_KEYS: Final[Mapping[str, Entry]] = _REACHED | {
    "first_timeout": Entry(float, least=0.1),  # seconds
    "output_price": Entry(float, least=0),  # of a million tokens
    "max_tokens": Entry(int, least=1),
}
EMBEDDER_KEYS: Final[Mapping[str, Entry]] = _REACHED | {
    "width": Entry(int, least=1),
    "batch": Entry(int, least=1),  # texts of one call
}
# An embedder that runs in the site's own process is a class with whatever it needs.
CLASS_KEY: Final = "class"
KINDS: Final[Mapping[str, Mapping[str, Entry]]] = {
    "MODELS": MODEL_KEYS,
    "EMBEDDERS": EMBEDDER_KEYS,
}
# Parameters that the gateway sets itself, or that would undo what it promises.
NOT_EXTRA: Final = frozenset(
    {
        *("api_base", "api_key", "base_url", "client", "custom_llm_provider", "model"),
        *("input", "max_completion_tokens", "max_tokens", "messages", "n", "prompt"),
        *("stream", "stream_options", "tool_choice", "tools", "mock_response"),
        *("cache", "caching", "callbacks", "failure_callback", "success_callback"),
        *("fallbacks", "max_retries", "num_retries", "timeout", "logger_fn", "no-log"),
    }
)
# Under what somebody would write a key, in small letters.
KEY_NAMES: Final = frozenset(
    {"api_key", "api-key", "apikey", "key", "secret", "secret_key", "token"}
)
_WORDS: Final[Mapping[type, str]] = {
    str: "a text",
    float: "a number",
    int: "a whole number",
    Mapping: "a dictionary",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with the entries of `MODELS` or `EMBEDDERS`."""

    message: str
    hint: str
    unknown: str = ""  # the key that there is not
    known: tuple[str, ...] = ()


def faults(setting: str, written: Any) -> Iterator[Fault]:
    """Yield what is wrong with the value of `NLWEB_ASK[setting]`."""
    where = f"NLWEB_ASK[{setting!r}]"
    if not isinstance(written, Mapping) or not all(
        isinstance(label, str) and label for label in written
    ):
        example = f'NLWEB_ASK = {{"{setting}": {{"small": {{"model": "openai/…"}}}}}}'
        yield Fault(f"{where} is not a dictionary of models by label.", example)
        return
    if _is_one_entry(written, KINDS[setting]):
        # The values of one entry would each be reported as a broken entry of its own.
        example = f'NLWEB_ASK = {{"{setting}": {{"small": {{"model": "…", …}}}}}}'
        message = f"{where} is one entry; it is a dictionary of entries by label."
        yield Fault(message, f"Put it under a label: {example}")
        return
    for label, entry in written.items():
        yield from _of_entry(f"{where}[{label!r}]", entry, KINDS[setting])


def _is_one_entry(written: Mapping[str, Any], keys: Mapping[str, Entry]) -> bool:
    """Tell what belongs under a label from entries, which are dictionaries."""
    own = {*keys, CLASS_KEY, *KEY_NAMES}
    named = [name for name in written if name.lower() in own]
    return any(not isinstance(written[name], Mapping) for name in named)


def _of_entry(where: str, entry: Any, keys: Mapping[str, Entry]) -> Iterator[Fault]:
    if not isinstance(entry, Mapping):
        yield Fault(f"{where} is not a dictionary.", _listed(keys))
        return
    if keys is EMBEDDER_KEYS and CLASS_KEY in entry:
        if not isinstance(entry[CLASS_KEY], str):
            yield Fault(f"{where}['class'] is not a text.", "Write an import path.")
        return
    for name, value in entry.items():
        if name in keys:
            yield from _of_value(f"{where}[{name!r}]", name, value, keys[name])
        else:
            yield _unknown(where, name, keys)
    yield from _of_model(where, entry, keys)


def _of_model(
    where: str, entry: Mapping[str, Any], keys: Mapping[str, Entry]
) -> Iterator[Fault]:
    model = entry.get("model")
    if not model:
        yield Fault(f"{where} has no 'model'.", _such_as(entry, keys))
    elif isinstance(model, str) and "/" not in model:
        message = f"{where}['model'] names no provider."
        yield Fault(message, _such_as(entry, keys))


def _such_as(entry: Mapping[str, Any], keys: Mapping[str, Entry]) -> str:
    """Show a model as litellm writes it, of the kind that the entry is of."""
    if entry.get("base_url"):
        return (
            'Such as "openai/<name of your model>": that server is spoken to as'
            " OpenAI's."
        )
    if keys is EMBEDDER_KEYS:
        return 'Such as "openai/text-embedding-3-small".'
    return 'Such as "openai/gpt-5-mini".'


def _unknown(where: str, name: Any, keys: Mapping[str, Entry]) -> Fault:
    if _is_a_key(name):
        return _key_in(f"{where}[{name!r}]")
    message = f"{where} has a key that there is not."
    known = (*keys, CLASS_KEY) if keys is EMBEDDER_KEYS else tuple(keys)
    return Fault(message, _listed(known), str(name), known)


def _is_a_key(name: Any) -> bool:
    return str(name).lower() in KEY_NAMES


def _key_in(where: str) -> Fault:
    return Fault(
        f"{where} does not belong there. If it holds a key, take it out and replace the"
        " key: whoever reads the settings has it.",
        "Set a variable of the environment and write its name:"
        ' "key_variable": "OPENAI_API_KEY".',
    )


def _of_value(where: str, name: str, value: Any, key: Entry) -> Iterator[Fault]:
    if not _is_a(value, key.kind):
        yield Fault(
            f"{where} is not {_WORDS[key.kind]}.", "Write one, or leave it out."
        )
    elif key.least is not None and not value >= key.least:
        yield Fault(f"{where} is too small.", f"It must be at least {key.least}.")
    elif isinstance(value, float) and not math.isfinite(value):
        yield Fault(f"{where} has no end.", "It must be a finite number.")
    elif name == "base_url" and not _is_address(value):
        yield Fault(
            f"{where} is not the address of a server.",
            'Such as "http://localhost:11434/v1", without a name or a password.',
        )
    elif name == "extra" and "api_key" in value:
        yield _key_in(f"{where}['api_key']")
    elif name == "extra" and (own := sorted(NOT_EXTRA & value.keys())):
        yield Fault(
            f"{where} holds {', '.join(own)}.", "Leave out what is set elsewhere."
        )


def _is_address(written: str) -> bool:
    if not written:
        return True
    try:
        parts = urlsplit(written)
    except ValueError:
        return False
    is_open = parts.username is None and parts.password is None
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and is_open


def _is_a(value: Any, kind: type) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int | float if kind is float else kind)


def _listed(keys: Iterable[str]) -> str:
    return f"There is: {', '.join(keys)}."
