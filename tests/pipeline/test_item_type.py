"""A question for pages of one type: subtypes count, and hidden pages do not."""

from __future__ import annotations

import pytest

from nlweb_ask.pipeline.schema_types import with_subtypes
from nlweb_ask.plugins import generators, retrievers
from tests.asking import MEMBER, ask, make_scope
from tests.site_in_memory import save


@pytest.fixture
def pages(site):
    save("a", "Kettle news", "The kettle boils.", type="NewsArticle")
    save("b", "Kettle essay", "On the kettle.", type="Article")
    save("c", "Kettle talk", "Bring a kettle.", type="Event")
    save("r", "Kettle soup", "Soup in the kettle.", type="Recipe", readers="members")


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        pytest.param("Article", {"Kettle news", "Kettle essay"}, id="a-subtype-counts"),
        pytest.param("newsarticle", {"Kettle news"}, id="a-supertype-does-not"),
        pytest.param(
            "CreativeWork", {"Kettle news", "Kettle essay"}, id="two-steps-down"
        ),
        pytest.param(
            "Thing", {"Kettle news", "Kettle essay", "Kettle talk"}, id="every-page"
        ),
    ],
)
def test_pages_of_the_type_and_of_its_subtypes_are_kept(pages, asked, names):
    assert set(ask("kettle", item_type=asked).names) == names


@pytest.mark.parametrize("asked", ["Recipe", "Movie", "NoTypeAtAll"])
def test_type_that_no_visible_page_has_is_as_if_absent(pages, asked):
    assert ask("kettle", item_type=asked).items == ask("kettle").items


def test_who_may_see_the_only_page_of_the_type_gets_that_page(pages):
    assert ask("kettle", MEMBER, item_type="Recipe").names == ["Kettle soup"]


def test_page_of_the_type_that_does_not_fit_the_question_is_no_candidate(pages):
    save("m", "Lantern film", "A lantern.", type="Movie")

    assert ask("kettle", item_type="Movie").items == ask("kettle").items


def test_type_and_the_sites_own_cap_hold_both(pages):
    scope = make_scope(allowed_types=("NewsArticle", "Event"))

    assert ask("kettle", scope=scope, item_type="Article").names == ["Kettle news"]
    assert set(ask("kettle", scope=scope, item_type="Recipe").names) == {
        "Kettle news",
        "Kettle talk",
    }


def test_bm25_keeps_to_the_type_too(pages):
    scope = make_scope("bm25")

    assert ask("kettle", scope=scope, item_type="Event").names == ["Kettle talk"]


def test_type_that_is_in_no_list_is_a_kind_of_itself():
    assert with_subtypes("HouseType") == {"housetype"}


def notice_code(answered):
    notice = answered.complete.notice
    return notice and notice.code


@pytest.mark.parametrize(
    ("text", "asked", "code"),
    [
        pytest.param("kettle", "Recipe", "ITEM_TYPE_IGNORED", id="only-hidden-ones"),
        pytest.param("kettle", "Movie", "ITEM_TYPE_IGNORED", id="none"),
        pytest.param("kettle", "Event", None, id="found"),
        pytest.param("kettle", "Thing", None, id="any-type"),
        pytest.param("kettle", None, None, id="not-named"),
        pytest.param("submarine", "Movie", None, id="nothing-fits-at-all"),
    ],
)
def test_type_that_is_left_aside_is_told(pages, text, asked, code):
    answered = ask(text, item_type=asked)

    assert notice_code(answered) == code
    assert answered.complete.completeness == "complete"


class Broken:
    name = "broken"

    def _fail(self, *_, **__):
        raise RuntimeError

    retrieve = generate = _fail


@pytest.fixture
def broken(settings):
    """A retriever that fails, and a generator that does."""
    settings.NLWEB_ASK = {"GENERATORS": ["broken"]}
    for registry in (retrievers, generators):
        registry.register(Broken)
    yield
    for registry in (retrievers, generators):
        registry.unregister("broken")


def test_part_of_the_search_that_failed_is_worse_than_a_type_left_aside(pages, broken):
    scope = make_scope("keyword", "broken")

    assert notice_code(ask("kettle", scope=scope, item_type="Movie")) == "PARTIAL"


def test_text_that_is_missing_is_worse_than_a_type_left_aside(pages, broken):
    answered = ask("kettle", mode="generate", item_type="Movie")

    assert notice_code(answered) == "NOT_WRITTEN"
