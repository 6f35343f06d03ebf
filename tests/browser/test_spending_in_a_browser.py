"""What models have cost, as an owner's browser shows it.

`SCREENSHOTS=docs/images` keeps the picture that the docs show.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.conftest import example_site
from tests.browser.spent import PASSWORD, USER
from tests.serving import ROOT

pytestmark = pytest.mark.browser

SETTINGS = "tests.browser.spent_site"
PAGE = "/admin/nlweb_ask/modelspending/"


@pytest.fixture(scope="module")
def spent(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spent")
    key = {"SPENT_SITE_KEY": "of nobody"}
    with example_site(folder, SETTINGS, **key) as (address, environment):
        fill = [sys.executable, "-m", "tests.browser.spent"]
        subprocess.run(fill, cwd=ROOT, env=environment, check=True)
        yield address


@pytest.fixture
def shown(spent, page, complaints):
    page.goto(f"{spent}/admin/login/")
    page.fill("input[name=username]", USER)
    page.fill("input[name=password]", PASSWORD)
    page.click("[type=submit]")
    page.wait_for_url("**/admin/")
    complaints.clear()  # the admin has no icon, which is asked for once
    page.goto(spent + PAGE)
    return page


def test_owner_sees_what_was_spent_under_a_strict_policy(shown, complaints, tmp_path):
    words = shown.locator("#content").inner_text()
    assert "language models are asked" in words
    assert "of 200" in words
    assert "openai/small" in words
    assert complaints == []
    folder = Path(os.environ.get("SCREENSHOTS") or tmp_path)
    shown.locator("#content").screenshot(path=folder / "spending.png")


def test_page_of_spending_fits_a_phone(shown):
    shown.set_viewport_size({"width": 360, "height": 640})
    wide = shown.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360
