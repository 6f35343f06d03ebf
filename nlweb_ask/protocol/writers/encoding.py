"""JSON on the wire: compact UTF-8 that no transport can take for anything else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

# Line ends for weak clients of a stream, though not by the standard; half characters
# have no UTF-8. In JSON all of these stand inside strings only.
_ESCAPED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def dumps(document: Mapping[str, Any]) -> bytes:
    """Return `document` as one line of JSON.

    Raises:
        ValueError: It holds NaN or an infinity, which JSON cannot say.
    """
    return _ESCAPED.sub(_escape, _json(document)).encode()


def _plain(value: Any) -> Any:
    """Turn a read-only mapping, as events hold them, into what json knows."""
    if isinstance(value, Mapping):
        return dict(value)
    msg = f"A {type(value).__name__} cannot be written as JSON."
    raise TypeError(msg)


# `json.dumps` would make an encoder for each document.
_json: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain
).encode


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"
