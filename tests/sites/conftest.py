"""Each site of this folder has settings of its own: `pytest --ds tests.sites.NAME.settings`."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from django.contrib.auth.models import Group, User

from tests.browser.conftest import launched_chromium

HERE = Path(__file__).parent
CHOSEN = os.environ.get("DJANGO_SETTINGS_MODULE", "").split(".")

collect_ignore = [
    str(site) for site in HERE.iterdir() if site.is_dir() and site.name not in CHOSEN
]

# Their assertions are those of the tests.
pytest.register_assert_rewrite(
    "tests.sites.real_server", "tests.sites.trial", "tests.sites.twins"
)


@pytest.fixture
def member(db):
    """One of the crew; there are pilots as well."""
    Group.objects.create(name="pilots")
    crew = Group.objects.create(name="crew")
    made = User.objects.create_user("member")
    made.groups.add(crew)
    return made


# What follows is of the tests of a real server, whose `site` is a running `Site`.


@pytest.fixture
def visitor(site):
    with httpx.Client(base_url=site.url, timeout=60, follow_redirects=True) as client:
        yield client


@pytest.fixture(scope="module")
def chromium():
    with launched_chromium() as browser:
        yield browser


@pytest.fixture
def opened(chromium, site):
    """Open a page for a visitor with a screen of some width, in light or in dark."""
    with ExitStack() as contexts:

        def open_page(path, *, width=720, dark=False, as_user=""):
            context = chromium.new_context(
                viewport={"width": width, "height": 480},
                color_scheme="dark" if dark else "light",
                base_url=site.url,
            )
            contexts.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(60_000)
            if as_user:
                site.sign_in_on_screen(page, as_user)
            page.goto(path)
            return page

        yield open_page


@pytest.fixture
def keep(site, tmp_path):
    """Keep a picture of a page; `SCREENSHOTS=docs/images` has those that the docs show."""
    folder = Path(os.environ.get("SCREENSHOTS") or tmp_path)

    def keep_picture(page, name):
        page.screenshot(path=folder / f"{site.name}-{name}.png", full_page=True)

    return keep_picture
