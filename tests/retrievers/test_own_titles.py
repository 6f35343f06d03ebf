"""What vectors weigh is told by the site's own titles, on public pages."""

from __future__ import annotations

import pytest

from nlweb_ask.index.embedding import bring_up_to_date
from nlweb_ask.index.vector_sets import LEAST_PAGES
from nlweb_ask.models import VectorSet
from nlweb_ask.plugins import retrievers
from nlweb_ask.retrievers.own_titles import is_due, weigh_by_titles
from tests.index.toy_embedder import ToyEmbedder, vector_settings
from tests.site_in_memory import save

pytestmark = pytest.mark.django_db


class KnowsTheBodies(ToyEmbedder):
    """Finds each page by its title, though they have no word in common."""

    def _vector(self, text):
        vector = super()._vector("")
        vector[int(text.split()[-1])] = 1.0
        return vector


@pytest.fixture
def pages(site):
    for number in range(LEAST_PAGES):
        save(str(number), f"Title {number}", f"Another body {number}")


def weigh(settings, **entry) -> VectorSet:
    settings.NLWEB_ASK = {**vector_settings(), "EMBEDDERS": {"toy": entry}}
    bring_up_to_date(0)
    weigh_by_titles(0)
    return VectorSet.objects.get()


GOOD = {"class": f"{__name__}.KnowsTheBodies", "width": 32}
POOR = {"class": "tests.index.toy_embedder.ToyEmbedder"}


def test_a_model_that_finds_as_much_as_words_do_weighs_one(pages, settings):
    row = weigh(settings, **GOOD)
    assert (row.weight, row.by_vectors, row.tested_pages) == (1.0, 1.0, LEAST_PAGES)
    assert retrievers.get("vector").weight_on(0) == 1.0


def test_a_model_that_finds_less_weighs_what_it_did(pages, settings):
    row = weigh(settings, **POOR)
    assert row.by_vectors < row.by_words
    assert row.weight == 0.3
    assert retrievers.get("vector").weight_on(0) == 0.3


def test_of_a_few_pages_no_model_is_raised(site, settings):
    for number in range(LEAST_PAGES - 1):
        save(str(number), f"Title {number}", f"Another body {number}")
    assert weigh(settings, **GOOD).weight == 0.3


def test_another_model_begins_anew(pages, settings):
    weigh(settings, **GOOD)
    settings.NLWEB_ASK = {**vector_settings(), "EMBEDDERS": {"toy": POOR}}
    bring_up_to_date(0)
    assert VectorSet.objects.get().weight == 0.3
    assert is_due(0)


def test_it_is_due_until_it_was_made_and_when_the_site_has_doubled(pages, settings):
    settings.NLWEB_ASK = {**vector_settings(), "EMBEDDERS": {"toy": GOOD}}
    assert not is_due(0)
    bring_up_to_date(0)
    assert is_due(0)
    weigh_by_titles(0)
    assert not is_due(0)
    for number in range(LEAST_PAGES + 1):
        save(f"more{number}", "More", f"Another body {number}")
    assert is_due(0)


def test_it_is_due_as_soon_as_there_are_enough_pages(site, settings):
    for number in range(LEAST_PAGES - 1):
        save(str(number), f"Title {number}", f"Another body {number}")
    weigh(settings, **GOOD)
    assert not is_due(0)
    save("last", "Title 19", "Another body 19")
    assert is_due(0)


def test_pages_without_a_text_or_that_are_hidden_do_not_make_it_due(site, settings):
    for number in range(LEAST_PAGES - 1):
        save(str(number), f"Title {number}", f"Another body {number}")
    weigh(settings, **GOOD)
    save("bare", "Title 19", "")
    save("hidden", "Title 20", "Another body 20", readers="members")
    assert not is_due(0)
