"""What a page says to robots: may it be found?

As `X-Robots-Tag` and the meta element have it, in every way of writing it that people
use. In doubt the page is not for us.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

KEPT_OUT: Final = frozenset({"noindex", "none", "nosnippet"})
_SEPARATORS: Final = re.compile(r"[,;:\s]+")
# The values of these are no rules: "max-image-preview: none".
_WITH_VALUE: Final = re.compile(r"max-[\w-]+\s*:\s*[^,;\s]*")
_EXPIRES: Final = re.compile(r"unavailable_after\s*:\s*([^;]*)")


def keeps_out(told: str) -> bool:
    """Say whether these rules keep a page from being found, or did so from a past date on.

    A rule for one robot by its name counts: whichever it is, it is not for us either.
    """
    rules = _WITH_VALUE.sub(" ", told.lower())
    if any(map(_is_over, _EXPIRES.findall(rules))):
        return True
    return not KEPT_OUT.isdisjoint(_SEPARATORS.split(_EXPIRES.sub(" ", rules)))


def _is_over(said: str) -> bool:
    """Say whether a date is past; one that cannot be read may be.

    What follows it may be further rules, or belong to it: "Fri, 25 Jun 2010".
    """
    moments = (_moment(each) for each in _beginnings(said.strip()))
    moment = next((each for each in moments if each is not None), None)
    return moment is None or moment <= datetime.now(UTC)


def _beginnings(said: str) -> Iterator[str]:
    pieces = said.split(",")
    for count in range(len(pieces), 0, -1):
        yield ",".join(pieces[:count]).strip()


def _moment(said: str) -> datetime | None:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(said.upper())
        except (TypeError, ValueError, IndexError):
            continue
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None
