"""JSON or stream: what the caller said, what it accepts, what its version is used to."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from nlweb_ask.protocol.question import Question, Version

# The bare `curl -N` of 0.1 documentation expects a stream, that of later ones JSON.
STREAMING_VERSIONS: Final[frozenset[Version]] = frozenset({"0.1"})

_EVENT_STREAM: Final = "text/event-stream"
_JSON: Final = "application/json"
_WEIGHT: Final = re.compile(r"\s*q\s*=\s*(\d{0,3}(?:\.\d{0,9})?)\s*", re.IGNORECASE)
_MAX_ENTRIES: Final = 50  # of a header; a longer one is not sent in earnest


def wants_stream(
    question: Question,
    accept: str,
    *,
    streaming_versions: Collection[str] = STREAMING_VERSIONS,
) -> bool:
    """Say whether the answer is a stream.

    An explicit `streaming` wins; then the weights of the Accept header; then, when the
    header names neither form, the habit of the version.
    """
    if question.streaming is not None:
        return question.streaming
    weights = dict(reversed(weighted(accept)))  # the first mention of a type counts
    stream = weights.get(_EVENT_STREAM)
    json = _json_weight(weights)
    if stream:
        return weights.get(_JSON, 0.0) <= stream
    if stream == 0.0 or json:
        return False
    return question.version in streaming_versions


def _json_weight(weights: dict[str, float]) -> float:
    named = (
        q for name, q in weights.items() if name == _JSON or name.endswith("+json")
    )
    return max(named, default=0.0)


def preferred(header: str) -> list[str]:
    """Return the values of a header with weights, best first, refused ones left out."""
    accepted = [(value, q) for value, q in weighted(header) if q > 0]
    return [value for value, _ in sorted(accepted, key=lambda pair: -pair[1])]


def weighted(header: str) -> list[tuple[str, float]]:
    """Return the values of a header in its order, in lower case, each with its q."""
    parts = header.split(",", _MAX_ENTRIES)[:_MAX_ENTRIES]
    return [entry for entry in map(_entry, parts) if entry[0]]


def _entry(part: str) -> tuple[str, float]:
    value, *parameters = part.split(";")
    return value.strip().lower(), next(map(_weight, filter(_is_q, parameters)), 1.0)


def _is_q(parameter: str) -> bool:
    return parameter.partition("=")[0].strip().lower() == "q"


def _weight(parameter: str) -> float:
    match = _WEIGHT.fullmatch(parameter)
    try:
        return min(float(match.group(1)), 1.0) if match else 1.0
    except ValueError:
        return 1.0
