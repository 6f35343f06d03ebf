"""A request taken apart, and the names under which each field is found in it.

Every alias is honoured whatever the version says, because real clients mix them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from nlweb_ask.protocol.errors import InvalidRequest
from nlweb_ask.protocol.question import EMPTY

T = TypeVar("T")

SITE: Final = ("query.site", "site")
ITEM_TYPE: Final = ("query.itemType", "query.type", "itemType", "required_item_type")
PREV: Final = ("context.prev", "prev")
CONTEXT_TEXT: Final = ("context.text", "context", "context_description")
MEMORY: Final = ("context.memory",)
DECONTEXTUALIZED: Final = ("query.decontextualized_query", "decontextualized_query")
MODE: Final = ("prefer.mode", "return_response.mode", "mode", "generate_mode")
STREAMING: Final = ("prefer.streaming", "return_response.streaming", "streaming")
RESPONSE_FORMAT: Final = (
    "prefer.response_format",
    "return_response.format",
    "response_format",
)
LANGUAGE: Final = (
    "prefer.accept-language",
    "prefer.accept_language",
    "return_response.lang",
)
VERSION: Final = ("meta.version", "meta.api_version")

# A repeated key of a URL or a form is a list for these, and its last value for others.
LISTS: Final = frozenset({"site", "prev"})
SECTIONS: Final = ("query", "context", "prefer", "return_response", "meta")
# What a URL or a form cannot hold: there these are keys like any unknown one.
OBJECTS_ONLY: Final = frozenset({"prefer", "return_response", "meta"})
STRING_OR_SECTION: Final = frozenset({"query", "context"})
# Members of `query` that are fields of the question; every other one is a filter.
QUERY_FIELDS: Final = frozenset(
    {
        "text",
        "site",
        "itemType",
        "type",
        "decontextualized_query",
        "num_results",
        "max_results",
        "min_score",
    }
)


@dataclass(frozen=True, slots=True)
class Fields:
    """The members of a request, nulls left out: null counts as absent everywhere."""

    members: Mapping[str, Any]

    def section(self, name: str) -> Mapping[str, Any]:
        """Return a section, empty when it is absent or something else."""
        value = self.members.get(name)
        if value is None:
            return EMPTY
        return value if isinstance(value, Mapping) else EMPTY

    def get(self, path: str) -> Any:
        """Return the value at `name` or at `section.name`; None when absent."""
        section, dot, name = path.partition(".")
        return self.section(section).get(name) if dot else self.members.get(path)

    def first(self, paths: Sequence[str], read: Callable[[Any], T | None]) -> T | None:
        """Return the first readable value among `paths`."""
        for path in paths:
            value = self.get(path)
            reading = None if value is None else read(value)
            if reading is not None:
                return reading
        return None

    def present(self, paths: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """Yield path and value of those of `paths` that the request has."""
        found = ((path, self.get(path)) for path in paths)
        return ((path, value) for path, value in found if value is not None)

    def check_sections(self, *names: str) -> None:
        """Refuse a section that is no object."""
        for name in names:
            value = self.members.get(name)
            if value is None or isinstance(value, Mapping):
                continue
            if name in STRING_OR_SECTION and isinstance(value, str):
                continue
            either = "a string or " if name in STRING_OR_SECTION else ""
            msg = f"{name} must be {either}an object."
            raise InvalidRequest(msg)


def from_pairs(pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the members that a URL or a form names."""
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        if name not in OBJECTS_ONLY:
            values.setdefault(name, []).append(value)
    return {
        name: several if name in LISTS and len(several) > 1 else several[-1]
        for name, several in values.items()
    }
