"""Parts of a page with rules of their own: asked about apart, shown as one page."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.models import Document
from nlweb_ask.pipeline.fusion import fold
from nlweb_ask.plugins import Candidate, Section, SourceDocument, SourceRef
from tests.asking import MEMBER, ask
from tests.site_in_memory import SiteInMemory, site_in_memory

pytestmark = [pytest.mark.servers, pytest.mark.django_db]


class PartedSite(SiteInMemory):
    """One page: its body is for everyone, its minutes are for members."""

    def iter_refs(self):
        yield SourceRef("page")

    def load(self, object_ids: Collection[str]):
        for part, text in (("", "The kettle club meets."), ("minutes", "kettle vote")):
            yield SourceDocument(
                object_id="page",
                part=part,
                url=f"/page/#{part}",
                name="Club",
                language="en",
                schema_object={"@type": "Article"},
                sections=(Section(text=text),),
            )

    def visible_ids(self, viewer, object_ids):
        members = viewer.user.is_authenticated
        allowed = {"page", "page#minutes"} if members else {"page"}
        return allowed & set(object_ids)


@pytest.fixture
def parted(db):
    with site_in_memory(PartedSite):
        refresh_objects("memory", ["page"])
        yield


def test_a_part_is_in_the_partition_of_its_own_rule(parted):
    rows = Document.objects.order_by("part").values_list("part", "public")
    assert list(rows) == [("", True), ("minutes", False)]


def test_words_of_a_part_are_found_by_those_who_may_see_it(parted):
    assert ask("vote").names == []
    assert ask("vote", MEMBER).names == ["Club"]


def test_a_page_with_several_visible_parts_is_one_result(parted):
    assert ask("kettle", MEMBER).names == ["Club"]


def make_part(part: str, score: float, whole: float, object_id="a") -> Candidate:
    return Candidate(
        source="s",
        object_id=object_id,
        language="en",
        part=part,
        score=score,
        whole=whole,
    )


def test_the_shares_of_the_whole_page_add_up_and_of_passages_the_best_counts():
    parts = [make_part("", 5.0, 2.0), make_part("x", 4.5, 0.5)]
    (page,) = fold(parts)
    assert (page.part, page.score) == ("x", 4.0 + 2.5)


def test_a_page_of_several_parts_can_pass_one_of_a_single_part():
    single = make_part("", 5.5, 1.0, object_id="b")
    folded = fold([single, make_part("", 5.0, 2.0), make_part("x", 4.5, 0.5)])
    assert [page.object_id for page in folded] == ["a", "b"]
