"""Which version of the protocol a request speaks."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from nlweb_ask.protocol import fields
from nlweb_ask.protocol.fields import Fields
from nlweb_ask.protocol.question import NEWEST_VERSION, Version

# Compared as decimals: 0.5.3 is a 0.5, and 0.6 is later than 0.55.
_SPOKEN: Final[tuple[tuple[Decimal, Version], ...]] = (
    (Decimal("0.55"), "0.55"),
    (Decimal("0.54"), "0.54"),
    (Decimal("0.5"), "0.5"),
)
_NUMBER: Final = re.compile(
    r"v?([0-9]{1,9}(?:\.[0-9]{1,9})?)(?:[.+-].*)?", re.IGNORECASE
)


def version_of(members: Fields) -> Version:
    """Return the version of a body; a question that is a string is a 0.1 one."""
    if isinstance(members.get("query"), str):
        return "0.1"
    return stated_version(members) or _version_by_sections(members)


def stated_version(members: Fields) -> Version | None:
    return members.first(fields.VERSION, _read)


def _version_by_sections(members: Fields) -> Version:
    has_older = members.get("return_response") is not None
    return "0.5" if has_older and members.get("prefer") is None else NEWEST_VERSION


def _read(value: Any) -> Version | None:
    match = _NUMBER.fullmatch(str(value).strip())
    if match is None or not isinstance(value, str | int | float):
        return None
    number = Decimal(match.group(1))
    return next((name for least, name in _SPOKEN if number >= least), None)
