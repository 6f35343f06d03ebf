"""The rules that keep hidden pages hidden, at the pipeline; see docs on rights."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from nlweb_ask.index import later
from nlweb_ask.index.merge import merge
from nlweb_ask.index.refresh import refresh_objects, sweep
from nlweb_ask.models import Document
from nlweb_ask.pipeline import permit
from nlweb_ask.plugins import Candidate, retrievers, sources
from nlweb_ask.plugins.types import Reference
from nlweb_ask.protocol.question import Limits
from tests.asking import ANONYMOUS, MEMBER, STAFF, ask, make_scope
from tests.site_in_memory import delete, save

pytestmark = pytest.mark.servers

PRIVATE = "words that only its readers may see"

VIEWERS = pytest.mark.parametrize(
    ("user", "expected"),
    [
        pytest.param(ANONYMOUS, {"Open kettle"}, id="anonymous"),
        pytest.param(MEMBER, {"Open kettle", "Member kettle"}, id="member"),
        pytest.param(
            STAFF, {"Open kettle", "Member kettle", "Staff kettle"}, id="staff"
        ),
    ],
)


def mixed_site() -> None:
    save("a", "Open kettle", "The kettle on the stove is for all.")
    save("b", "Member kettle", "The kettle of members.", readers="members")
    save("c", "Staff kettle", "kettle kettle kettle of staff.", readers="staff")


@VIEWERS
def test_each_viewer_gets_what_that_viewer_may_see(site, user, expected):
    mixed_site()
    assert set(ask("kettle", user).names) == expected


@VIEWERS
def test_counts_are_of_what_the_viewer_may_see(site, user, expected):
    mixed_site()
    assert ask("kettle", user).complete.total_items == len(expected)


def test_the_best_visible_page_scores_100_whoever_has_a_better_hidden_one(site):
    mixed_site()
    assert ask("kettle").items[0]["score"] == 100
    assert ask("kettle", STAFF).items[0]["name"] == "Staff kettle"


def twin(change, steps=()) -> list[dict]:
    """Ask before and after `change` wrote, hid, moved or removed pages."""
    questions = ["kettle", "kettle on the barge", "orchard lantern", "nothing here"]
    save("a", "Open kettle", "The kettle on the stove is for all.")
    save("b", "Barge", "A barge with a lantern and one kettle.")
    save("d", "Orchard", "An orchard of plums. A lantern hangs there.")
    before = [ask(question).items for question in questions]
    for step in (change, *steps):
        step()
        assert [ask(question).items for question in questions] == before
    return before


@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_hidden_candidates_change_no_order_and_no_score_of_fused_lists(site, fusion):
    """A retriever of another kind may offer hidden pages; they count for nothing."""

    class ByLength:
        name = "by-length"

        def retrieve(self, question, scope, *, limit):
            pages = sorted(site.pages.items(), key=lambda p: (-len(p[1].text), p[0]))
            found = [
                Candidate(
                    source="memory",
                    object_id=object_id,
                    language="en",
                    score=float(len(page.text)),
                )
                for object_id, page in pages
            ]
            return found[:limit] if scope.partition == "public" else []

    scope = make_scope("keyword", "by-length", fusion=fusion)
    for number in range(12):
        save(f"p{number:02}", f"Page {number}", "kettle barge " * (1 + number * 5 % 7))
    retrievers.register(ByLength)
    try:
        before = ask("kettle barge", scope=scope).items
        for number in range(40):
            words = "kettle barge lantern " * (2 + number)
            save(f"h{number}", f"Hidden {number}", words, readers="staff")
        assert ask("kettle barge", scope=scope).items == before
    finally:
        retrievers.unregister("by-length")


def hide(object_id: str, text: str) -> None:
    save(object_id, text, f"{text} orchard lantern barge", readers="staff")


def test_pages_written_hidden_leave_no_trace(site):
    twin(lambda: [hide(f"h{number}", "kettle kettle") for number in range(40)])


def test_a_hidden_page_whose_flag_was_open_by_mistake_leaves_no_trace(site):
    def change() -> None:
        hide("h", "kettle kettle")
        # What raw SQL or a clock does: the live rule hides what the flag shows.
        save("h2", "kettle", "kettle", readers="staff")

    twin(change)


@pytest.mark.parametrize("then", ["restrict", "delete", "rename"])
def test_a_page_once_public_leaves_no_trace_after(site, then):
    def close() -> None:
        save("x", "kettle lantern", "kettle kettle barge")
        if then == "restrict":
            site.pages["x"].readers = "staff"
            refresh_objects("memory", ["x"])
        elif then == "delete":
            delete("x")
        else:
            site.pages["y"] = site.pages.pop("x")
            site.pages["y"].readers = "staff"
            sweep("memory")

    twin(close, steps=[lambda: merge(0), lambda: merge(0, fold=True)])


def test_a_page_closed_by_a_way_nobody_watches_is_gone_from_the_next_question(site):
    mixed_site()
    save("d", "Second open kettle", "kettle")
    site.pages["a"].readers = "staff"
    assert ask("kettle").names == ["Second open kettle"]


def test_its_flag_follows_after_the_answer(site):
    mixed_site()
    site.pages["a"].readers = "staff"
    ask("kettle")
    assert Document.objects.get(object_id="a").public
    later.drain()
    assert not Document.objects.get(object_id="a").public


def test_lists_are_refilled_when_pages_are_refused(site):
    for number in range(25):
        save(f"p{number:02}", f"kettle {number}", "kettle")
    for number in range(20):
        site.pages[f"p{number:02}"].readers = "staff"
    assert len(ask("kettle").names) == 5


def test_members_are_not_starved_by_pages_of_others(site):
    for number in range(60):
        save(f"s{number:02}", "kettle kettle", "kettle " * 5, readers="staff")
    save("m", "Members", "one kettle among other words", readers="members")
    assert ask("kettle", MEMBER).names == ["Members"]


def test_a_failing_permission_hook_shows_nothing(site, monkeypatch, caplog):
    mixed_site()

    def broken(viewer, object_ids):
        raise RuntimeError(PRIVATE)

    monkeypatch.setattr(sources.get("memory"), "visible_ids", broken)
    answered = ask("kettle")
    assert answered.items == []
    assert answered.failure is not None
    assert answered.failure.code == "INTERNAL_ERROR"
    assert PRIVATE not in caplog.text + answered.failure.message


@pytest.mark.parametrize("wrong", [None, True, 7])
def test_a_hook_that_returns_no_ids_shows_nothing(site, monkeypatch, wrong):
    mixed_site()
    monkeypatch.setattr(sources.get("memory"), "visible_ids", lambda *_: wrong)
    answered = ask("kettle")
    assert (answered.items, answered.complete.response_type) == ([], "failure")


def test_a_hook_cannot_allow_what_was_not_asked_about(site, monkeypatch):
    mixed_site()
    monkeypatch.setattr(sources.get("memory"), "visible_ids", lambda *_: {"a", "c"})
    assert ask("kettle").names == ["Open kettle"]


def test_a_retriever_cannot_bring_in_a_hidden_page(site):
    mixed_site()

    class Careless:
        name = "careless"

        def retrieve(self, question, scope, *, limit):
            return [
                Candidate(source="memory", object_id=i, language="en", score=9.0)
                for i in ("c", "b", "a")
            ][:limit]

    retrievers.register(Careless)
    try:
        assert ask("kettle", scope=make_scope("careless")).names == ["Open kettle"]
    finally:
        retrievers.unregister("careless")


def test_paging_counts_visible_pages_only(site):
    for number in range(12):
        readers = "staff" if number % 2 else "everyone"
        save(f"p{number:02}", f"kettle {number}", "kettle", readers=readers)
    pages = [
        ask("kettle", limits=Limits(max_results=2, offset=offset)).names
        for offset in (0, 2, 4, 6)
    ]
    assert [name for page in pages for name in page] == ask("kettle").names
    assert pages[3] == []


def test_page_of_results_two_goes_on_where_page_one_ended(site):
    for number in range(30):
        save(f"p{number:02}", f"kettle {number}", "kettle " * (number + 1))
    scope = make_scope(max_results=100)
    whole = ask("kettle", scope=scope).names
    pages = [
        ask("kettle", scope=scope, limits=Limits(max_results=7, offset=offset)).names
        for offset in range(0, 30, 7)
    ]
    assert [name for page in pages for name in page] == whole


def queries(user=ANONYMOUS) -> int:
    ask("kettle barge", user)  # warm
    with CaptureQueriesContext(
        connection,
    ) as captured:
        ask("kettle barge", user)
    return len(captured)


def fill(count: int, readers: str, first: int = 0) -> None:
    from nlweb_ask.index.refresh import sweep
    from tests.site_in_memory import PageInMemory, SiteInMemory

    for number in range(first, first + count):
        SiteInMemory.pages[f"{readers}{number}"] = PageInMemory(
            f"kettle {number}", "kettle of the barge", readers
        )
    sweep("memory")
    merge(0)


@pytest.mark.parametrize("user", [ANONYMOUS, MEMBER], ids=["anonymous", "member"])
def test_a_question_costs_as_many_queries_with_10_pages_as_with_1000(site, user):
    fill(10, "everyone")
    with_ten = queries(user)
    fill(990, "everyone", first=10)
    assert queries(user) == with_ten


@pytest.mark.parametrize("user", [ANONYMOUS, MEMBER], ids=["anonymous", "member"])
def test_1000_hidden_pages_cost_a_question_no_query(site, user):
    fill(10, "everyone")
    fill(1, "members")
    without = queries(user)
    fill(1000, "staff")
    assert queries(user) == without


def test_hidden_pages_are_not_even_asked_about_for_anonymous_viewers(site):
    mixed_site()
    site.asked.clear()
    ask("kettle")
    assert {object_id for asked in site.asked for object_id in asked} == {"a"}


def test_very_many_candidates_are_asked_about_in_several_statements(site, monkeypatch):
    monkeypatch.setattr(permit, "ASKED_AT_ONCE", 4)
    for number in range(10):
        save(f"p{number}", f"kettle {number}", "kettle")
    site.asked.clear()
    assert len(ask("kettle").names) == 10
    # By the gate, and once their words were loaded.
    assert [len(asked) for asked in site.asked] == 2 * [4, 4, 2]


def test_ties_are_broken_by_identity_and_never_by_row(site):
    for object_id in ("b", "c", "a"):
        save(object_id, "kettle", "kettle")
    assert [i["url"][-3:-1] for i in ask("kettle").items] == ["/a", "/b", "/c"]
    delete("a")
    save("a", "kettle", "kettle")
    assert [i["url"][-3:-1] for i in ask("kettle").items] == ["/a", "/b", "/c"]


def test_public_ids_are_keyed_and_differ_by_document(site, settings):
    from nlweb_ask.index.store import identity_key, public_id

    one = public_id(identity_key(0, Reference("memory", "a", "en")))
    other = public_id(identity_key(0, Reference("memory", "b", "en")))
    settings.SECRET_KEY = "another"
    assert (
        len({one, other, public_id(identity_key(0, Reference("memory", "a", "en")))})
        == 3
    )
