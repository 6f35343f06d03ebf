"""JSON from strangers, bounded before it is understood."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NoReturn

from nlweb_ask.protocol.errors import InvalidParameter, InvalidRequest

MAX_DEPTH: Final = 20
# Every integer this short is also a finite float, and far below the length at which
# int() itself refuses.
MAX_NUMBER_LENGTH: Final = 300

# A string that never ends swallows the rest: possessive, so that the scan is linear.
_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_OPENING: Final = ("[", "{")
_CLOSING: Final = ("]", "}")


def decode(body: bytes) -> str:
    """Return `body` as text, without a byte order mark."""
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = "The body is not UTF-8."
        raise InvalidRequest(msg) from error


def parse(text: str) -> Any:
    """Return what `text` says as JSON.

    Raises:
        InvalidRequest: Not JSON; NaN, an infinity, a number too long to be meant, a
            lone surrogate, or a key twice in one object, which readers understand
            differently.
        InvalidParameter: Nested deeper than `MAX_DEPTH`.
    """
    check_depth(text)
    try:
        document = json.loads(
            text,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_constant,
            object_pairs_hook=_object,
        )
    except ValueError as error:
        msg = "The body is not valid JSON."
        raise InvalidRequest(msg) from error
    _check_surrogates(document)
    return document


def check_depth(text: str) -> None:
    """Refuse deep nesting by a scan, because the parser answers it with RecursionError."""
    depth = 0
    for token in _TOKEN.findall(text):
        if token in _OPENING:
            depth += 1
            if depth > MAX_DEPTH:
                msg = f"The body is nested more than {MAX_DEPTH} levels deep."
                raise InvalidParameter(msg)
        elif token in _CLOSING:
            depth -= 1


def _integer(text: str) -> int:
    _check_length(text)
    return int(text)


def _number(text: str) -> float:
    _check_length(text)
    number = float(text)
    if not math.isfinite(number):
        msg = "The body holds a number that is too large."
        raise InvalidRequest(msg)
    return number


def _check_length(text: str) -> None:
    if len(text) > MAX_NUMBER_LENGTH:
        msg = f"The body holds a number of more than {MAX_NUMBER_LENGTH} digits."
        raise InvalidRequest(msg)


def _constant(text: str) -> NoReturn:
    msg = f"The body is not valid JSON: {text} is no JSON number."
    raise InvalidRequest(msg)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        msg = "An object in the body has the same key twice."
        raise InvalidRequest(msg)
    return members


def _check_surrogates(document: Any) -> None:
    """Refuse half characters, which no database and no UTF-8 answer can hold."""
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        msg = "The body holds an escape that is only half a character."
        raise InvalidRequest(msg) from error
