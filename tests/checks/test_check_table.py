"""The table of checks is what the checks report, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

import nlweb_ask.checks
from nlweb_ask.checks import CHECKS


def test_every_check_in_the_table_is_reported_somewhere_and_the_other_way_round():
    room = Path(nlweb_ask.checks.__file__).parent
    code = "".join(
        path.read_text() for path in room.glob("*.py") if path.name != "table.py"
    )
    assert set(re.findall(r'report\(\s*"([EW]\d{3})"', code)) == set(CHECKS)
