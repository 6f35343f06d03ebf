"""What is wrong with a value of `settings.NLWEB_ASK`, and how to put it right."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, cast, get_type_hints

from django.core.exceptions import ValidationError
from django.db.models import Field

from nlweb_ask.conf import providers
from nlweb_ask.conf.keys import OWNER_FIELDS, Deployment
from nlweb_ask.models.settings import SiteSettings


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in `NLWEB_ASK` that cannot be meant, and how to put it right."""

    message: str
    hint: str


def problems(written: Any) -> list[Problem]:
    """Return what is wrong with `written`, a value of `settings.NLWEB_ASK`."""
    if not isinstance(written, Mapping):
        return [
            Problem("NLWEB_ASK is not a dictionary.", 'Write NLWEB_ASK = {"KEY": …}.')
        ]
    return [
        problem for key, value in written.items() for problem in _look_at(key, value)
    ]


def _look_at(key: Any, value: Any) -> Iterator[Problem]:
    known = {name.name.upper(): name for name in fields(Deployment)}
    if key not in known:
        yield _unknown("key", key, known)
        return
    if key in providers.KINDS:
        yield from _of_providers(key, value)
        return
    name = known[key].name
    expected = get_type_hints(Deployment)[name]
    if not _is_a(value, expected):
        default = known[key].default
        shown = list(default) if isinstance(default, tuple) else default
        yield Problem(
            f"NLWEB_ASK[{key!r}] is {value!r}, which is not {_WORDS[expected]}.",
            f"The default is NLWEB_ASK = {{{key!r}: {shown!r}}}.",
        )
    elif choices := known[key].metadata["choices"]:
        yield from (
            _unknown(f"entry for {key}", entry, choices)
            for entry in ([value] if isinstance(value, str) else value)
            if entry not in choices
        )
    else:
        yield from _out_of_range(key, value, known[key].metadata)
        yield from _refused(key, value)


def _of_providers(key: str, value: Any) -> Iterator[Problem]:
    for fault in providers.faults(key, value):
        if fault.unknown:
            yield _unknown(f"key of an entry of {key}", fault.unknown, fault.known)
        else:
            yield Problem(fault.message, fault.hint)


_WORDS: Final[Mapping[Any, str]] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple[str, ...]: "a list of texts",
    tuple[Mapping[str, Any], ...]: "a list of dictionaries",
}


_LISTS: Final[Mapping[Any, type]] = {
    tuple[str, ...]: str,
    tuple[Mapping[str, Any], ...]: Mapping,
}


def _is_a(value: Any, expected: Any) -> bool:
    if expected is bool or isinstance(value, bool):
        return expected is bool and isinstance(value, bool)
    if expected in _LISTS:
        return isinstance(value, list | tuple) and all(
            isinstance(entry, _LISTS[expected]) for entry in value
        )
    return isinstance(value, int | float if expected is float else expected)


def _out_of_range(key: str, value: Any, limits: Mapping[str, Any]) -> Iterator[Problem]:
    least, most = limits["least"], limits["most"]
    message = f"NLWEB_ASK[{key!r}] is {value!r}."
    if least is not None and not value >= least:
        yield Problem(message, f"It must be at least {least}.")
    elif most is not None and value > most:
        yield Problem(message, f"It must be at most {most}.")
    # A cap that is no number would hold nobody, and no clock waits for ever.
    elif isinstance(value, float) and not math.isfinite(value):
        yield Problem(message, "It must be a finite number.")


def _refused(key: str, value: Any) -> Iterator[Problem]:
    if key.lower() not in OWNER_FIELDS or key == "DEFAULT_PROFILE":
        return
    column = cast("Field[Any, Any]", SiteSettings._meta.get_field(key.lower()))
    try:
        column.clean(list(value) if isinstance(value, tuple) else value, None)
    except ValidationError as error:
        yield Problem(
            f"NLWEB_ASK[{key!r}] is {value!r}.", " ".join(map(str, error.messages))
        )


def _unknown(what: str, written: Any, known: Iterable[str]) -> Problem:
    names = sorted(known)
    by_capitals = {name.upper(): name for name in names}
    near = difflib.get_close_matches(str(written).upper(), by_capitals, 1, 0.4)
    return Problem(
        f"NLWEB_ASK: there is no {what} called {written!r}.",
        f"Did you mean {by_capitals[near[0]]!r}?"
        if near
        else f"There is: {', '.join(names)}.",
    )
