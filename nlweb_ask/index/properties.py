"""The words in a page's schema.org object that its text may not say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

MAX_CHARACTERS = 10_000
MAX_DEPTH = 8

# Said by other fields of the index, where a page says them of itself.
_PAGE_FIELDS: Final = frozenset(
    {"name", "headline", "description", "abstract", "text", "articleBody"}
)
_NO_WORDS: Final = frozenset({"url", "image", "logo", "sameAs", "inLanguage"})
_IS_DATE: Final = re.compile(r"date[A-Z]\w*|\w+(?:Date|Time)")
# Addresses, times and durations; a title may well begin with a year, so not numbers.
_NO_TEXT: Final = re.compile(
    r"\s*(?:[a-z][a-z0-9+.-]{1,20}://\S*|mailto:\S*|/\S*"
    r"|\d{4}-\d\d(?:-\d\d)?(?:[T ][\d:.]*(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|P(?=[\dT])(?:\d+[YMWD])*(?:T[\dHMS.]*)?)\s*",
    re.IGNORECASE,
)


def property_text(schema: Mapping[str, Any]) -> str:
    """Return the texts and numbers of the object's properties, one a line.

    Left out is what other fields of the index hold (name, description, text), what is
    no word (addresses, dates, durations) and what JSON-LD needs for itself. Of nested
    objects the name counts too. At most 10,000 characters.
    """
    own = {key: value for key, value in schema.items() if key not in _PAGE_FIELDS}
    return "\n".join(_values(own, MAX_DEPTH))[:MAX_CHARACTERS]


def _values(value: object, depth: int) -> Iterator[str]:
    if depth == 0 or isinstance(value, bool):
        return
    if isinstance(value, str):
        if value.strip() and not _NO_TEXT.fullmatch(value):
            yield value.strip()
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, Mapping):
        yield from _each(
            (part for key, part in value.items() if _has_words(str(key))), depth
        )
    elif isinstance(value, list | tuple):
        yield from _each(value, depth)


def _each(values: Iterable[object], depth: int) -> Iterator[str]:
    for value in values:
        yield from _values(value, depth - 1)


def _has_words(key: str) -> bool:
    return not (key.startswith("@") or key in _NO_WORDS or _IS_DATE.fullmatch(key))
