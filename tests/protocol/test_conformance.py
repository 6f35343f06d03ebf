from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.protocol.conformance import page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "conformance.md"


@pytest.mark.django_db(transaction=True)
def test_page_of_conformance_is_what_a_run_makes(fixtures_site):
    made = page(fixtures_site)
    if os.environ.get("WRITE_CONFORMANCE"):
        PAGE.write_text(made, encoding="utf-8")

    assert PAGE.read_text(encoding="utf-8") == made
