"""The ask box in a page's StreamField."""

from __future__ import annotations

import pytest
from django.test import Client

from nlweb_ask.plugins import sources
from tests.sites.wagtail.pages.models import StreamPage


@pytest.fixture
def page(home, add):
    made = add(home, "Ask us", kind=StreamPage)
    made.body = [("ask", {"label": "Ask the harbour"})]
    made.save_revision().publish()
    return made


def test_the_block_shows_the_form_with_its_label(page):
    html = Client(HTTP_HOST="localhost").get("/ask-us/").content.decode()
    assert "Ask the harbour" in html
    assert "<form" in html


def test_the_block_shows_nothing_while_the_site_is_off(page, settings):
    settings.NLWEB_ASK = {"ENABLED": False}
    html = Client(HTTP_HOST="localhost").get("/ask-us/").content.decode()
    assert "<form" not in html


def test_the_label_is_no_word_of_the_page(page):
    [document] = sources.get("wagtail").load([str(page.pk)])
    assert "harbour" not in str([part.text for part in document.sections])
