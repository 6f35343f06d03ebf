"""How the values of a request are read: each reader returns None for "not said"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Final

from nlweb_ask.protocol import json_body
from nlweb_ask.protocol.errors import InvalidParameter, Refusal
from nlweb_ask.protocol.negotiation import preferred
from nlweb_ask.protocol.question import Mode

MAX_TEXT_LENGTH: Final = 1000  # characters after NFKC
MAX_PREV: Final = 10
MAX_QUERY_ID_LENGTH: Final = 64

# Composition joins at most four code points into one, so a longer text cannot come
# below the limit; normalising it could take very long.
_MAX_RAW_LENGTH: Final = 4 * MAX_TEXT_LENGTH

_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_QUERY_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SCHEMA_ORG: Final = re.compile(r"https?://schema\.org/", re.IGNORECASE)
_DECIMAL_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,300}(\.[0-9]{1,300})?")
_NO_SITE: Final = frozenset({"", "all", "*"})
_BOOLEANS: Final = {
    **dict.fromkeys(("true", "1", "yes", "on"), True),
    **dict.fromkeys(("false", "0", "no", "off"), False),
}
_MODES: Final[Mapping[str, Mode]] = {
    "list": "list",
    "none": "list",
    "summarize": "summarize",
    "summary": "summarize",
    "generate": "generate",
}
_STRONGEST_FIRST: Final[tuple[Mode, ...]] = ("generate", "summarize", "list")
_FORMATS: Final = {
    "conv_search": "conv_search",
    "conversational_search": "conv_search",
    "chatgpt_app": "chatgpt_app",
    "chatgptapp": "chatgpt_app",
}


def text(value: Any) -> str | None:
    """Return a string without control characters and outer space; None when blank."""
    if not isinstance(value, str):
        return None
    return _CONTROLS.sub(" ", value).strip() or None


def bounded_text(value: Any, *, parameter: str) -> str | None:
    """Like `text`, refusing more than `MAX_TEXT_LENGTH` characters after NFKC."""
    words = text(value)
    if words is not None and _is_too_long(words):
        msg = f"{parameter} is longer than {MAX_TEXT_LENGTH} characters."
        raise InvalidParameter(
            msg,
            details={
                "parameter": parameter,
                "expected_format": f"at most {MAX_TEXT_LENGTH} characters after NFKC",
            },
        )
    return words


def _is_too_long(words: str) -> bool:
    if len(words) > _MAX_RAW_LENGTH:
        return True
    return len(unicodedata.normalize("NFKC", words)) > MAX_TEXT_LENGTH


def strings(value: Any) -> list[str]:
    """Return the strings of a string or a list, each cut at its commas."""
    entries = value if isinstance(value, list) else [value]
    parts = [part for e in entries if isinstance(e, str) for part in e.split(",")]
    return [part for part in map(text, parts) if part is not None]


def boolean(value: Any) -> bool | None:
    if isinstance(value, str):
        return _BOOLEANS.get(value.strip().casefold())
    return bool(value) if isinstance(value, int | float) and value in (0, 1) else None


def sites(value: Any) -> tuple[str, ...] | None:
    listed = _list_in_one_value(value) if isinstance(value, str) else value
    named = (name for name in strings(listed) if name.casefold() not in _NO_SITE)
    return tuple(dict.fromkeys(named)) or None


def item_type(value: Any, *, parameter: str) -> str | None:
    """Return the first schema.org type named, without the prefix of its address.

    A filter that cannot be read is refused: dropping it would answer another question.
    """
    entries = value if isinstance(value, list) else [value]
    if not all(isinstance(entry, str) for entry in entries):
        raise _misread(parameter, value, "a schema.org type, such as Recipe")
    named = (_SCHEMA_ORG.sub("", name, count=1) for name in strings(entries))
    return next((name for name in named if name), None)


def mode(value: Any) -> Mode | None:
    """Return the strongest mode of a comma list; None when it names none."""
    asked = {_MODES.get(name.casefold()) for name in strings(value)}
    return next((known for known in _STRONGEST_FIRST if known in asked), None)


def response_format(value: Any) -> str | None:
    """Return the first supported format of a comma list or a list."""
    known = (_FORMATS.get(name.casefold()) for name in strings(value))
    return next((name for name in known if name), None)


def language(value: Any) -> str | None:
    """Return the language tag liked best, in lower case."""
    tags = preferred_languages(value) if isinstance(value, str) else ()
    return tags[0] if tags else None


def preferred_languages(header: str) -> tuple[str, ...]:
    """Return the tags of an Accept-Language header, best first, in lower case."""
    tags = (tag for tag in preferred(header.replace("_", "-")) if _is_language_tag(tag))
    return tuple(dict.fromkeys(tags))


def _is_language_tag(tag: str) -> bool:
    return re.fullmatch(r"[a-z]{2,8}(-[a-z0-9]{1,8}){0,7}", tag) is not None


def query_id(value: Any) -> str | None:
    """Return the client's own id when it can be sent back as it is."""
    candidate = identifier(value)
    return candidate if candidate and _QUERY_ID.fullmatch(candidate) else None


def identifier(value: Any) -> str | None:
    """Return a string, or a number as one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return text(value)


def prev(value: Any) -> tuple[str, ...] | None:
    """Return the earlier questions, oldest first; the last ten count."""
    asked = [words for words in map(_earlier, _prev_entries(value)) if words]
    return tuple(asked[-MAX_PREV:]) or None


def _prev_entries(value: Any) -> list[Any]:
    if isinstance(value, str):
        return _list_in_one_value(value)
    if isinstance(value, list):
        return value
    return [value]


def _list_in_one_value(value: str) -> list[Any]:
    """Return the entries of a JSON list, else what stands between the commas."""
    if value.lstrip().startswith("["):
        try:
            entries = json_body.parse(value)
        except Refusal:
            entries = None
        if isinstance(entries, list):
            return entries
    return list(value.split(","))


def _earlier(entry: Any) -> str | None:
    """Return the words of an entry: a string, or an object whose `query` has them.

    What is longer than a question can be is cut, not refused: it only helps to
    understand the one that is asked.
    """
    for _ in range(2):
        if isinstance(entry, Mapping):
            entry = entry.get("query")
    words = text(entry)
    return words[:MAX_TEXT_LENGTH] if words else None


def memory(value: Any) -> tuple[str, ...] | None:
    entries: Iterable[Any] = value if isinstance(value, list) else [value]
    return tuple(words for words in map(text, entries) if words) or None


def whole_number(value: Any, *, low: int, high: int, parameter: str) -> int:
    """Return `value` clamped to `low`..`high`; a fraction is cut off, also in a string."""
    number = _number(value)
    if number is None:
        raise _misread(parameter, value, "integer", kind="a whole number")
    return int(min(max(number, low), high))


def decimal_number(value: Any, *, low: float, high: float, parameter: str) -> float:
    """Return `value` clamped to `low`..`high`."""
    number = _number(value)
    if number is None:
        raise _misread(parameter, value, "number", kind="a number")
    return float(min(max(number, low), high))


def _number(value: Any) -> int | float | None:
    if isinstance(value, str) and _DECIMAL_NUMBER.fullmatch(value.strip()):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value


def _misread(
    parameter: str, value: Any, expected: str, *, kind: str = ""
) -> InvalidParameter:
    details: dict[str, Any] = {"parameter": parameter}
    if isinstance(value, str | int | float) and len(str(value)) <= MAX_QUERY_ID_LENGTH:
        details["provided_value"] = value
    details["expected_format"] = expected
    return InvalidParameter(f"{parameter} must be {kind or expected}.", details=details)
