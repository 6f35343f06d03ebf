"""E014: the rows by which `elicit` asks back say when, and what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, register

from nlweb_ask.checks.table import TAG, report
from nlweb_ask.processors.elicit_rules import faults


@register(TAG)
def check_elicit(**_kwargs: Any) -> list[CheckMessage]:
    """Look at each row; that it is a list of dictionaries is a matter of E001."""
    written = getattr(settings, "NLWEB_ASK", {})
    rows = written.get("ELICIT", ()) if isinstance(written, Mapping) else ()
    return list(_reports(rows)) if isinstance(rows, list | tuple) else []


def _reports(rows: Any) -> Iterator[CheckMessage]:
    for number, row in enumerate(rows):
        if isinstance(row, Mapping):
            for fault in faults(row):
                message = f"NLWEB_ASK['ELICIT'][{number}]: {fault.message}"
                yield report("E014", message, hint=fault.hint)
