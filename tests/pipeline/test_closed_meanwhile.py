"""A page closed and written anew while a question is answered gives no new words away."""

from __future__ import annotations

import pytest

from nlweb_ask.index.signals import connect_signals
from nlweb_ask.plugins import rankers, sources
from tests import site_in_memory as memory
from tests.asking import MEMBER, ask, make_scope
from tests.index.noticeboard import NoticeSource
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db]

SECRET = "nightfall"


class NoticesThatMayTurn(NoticeSource):
    """Notices of which something may become as soon as they were asked about."""

    name = "memory"  # the profile of `tests.asking` searches this one
    turn = None

    def visible_ids(self, viewer, object_ids):
        visible = super().visible_ids(viewer, object_ids)
        turn, NoticesThatMayTurn.turn = NoticesThatMayTurn.turn, None
        if turn:
            turn()
        return visible


class NoticesEachOnce(NoticesThatMayTurn):
    """Rows that are made distinct have no stamps read along with them."""

    def get_queryset(self):
        return super().get_queryset().distinct()


class SlowRanker:
    name = "slow"
    meanwhile = staticmethod(lambda: None)

    def rank(self, question, results):
        self.meanwhile()
        return results


@pytest.fixture(params=[NoticesThatMayTurn, NoticesEachOnce])
def notice(request):
    sources.register(request.param)
    connect_signals()
    yield Bulletin.objects.create(title="Kettle", body="kettle")
    sources.unregister("memory")


def close_and_rewrite(**which):
    row = Bulletin.objects.get(**which)
    row.members_only, row.title = True, f"Kettle {SECRET}"
    row.body = f"The kettle is called {SECRET}."
    row.save()


def test_new_words_of_a_page_closed_after_the_gate_are_not_shown(notice):
    NoticesThatMayTurn.turn = staticmethod(close_and_rewrite)

    answered = ask("kettle")

    assert answered.items == []
    assert answered.failure is None
    assert SECRET in str(ask("kettle", MEMBER).items)


def test_words_changed_unseen_by_a_page_that_closes_are_not_shown(notice):
    def close_unseen():
        Bulletin.objects.update(members_only=True, title=SECRET, body=SECRET)

    NoticesThatMayTurn.turn = staticmethod(close_unseen)

    assert SECRET not in str(ask("kettle").items)


def test_new_words_of_a_page_that_stays_open_are_shown(notice):
    def rewrite():
        notice.title = "Samovar"
        notice.save()

    NoticesThatMayTurn.turn = staticmethod(rewrite)

    assert ask("kettle").names == ["Samovar"]


def test_a_page_of_a_source_without_stamps_is_asked_about_with_its_words(monkeypatch):
    with memory.site_in_memory() as site:
        memory.save("p", "Kettle", "kettle")
        asked = memory.SiteInMemory.visible_ids

        def turning(self, viewer, object_ids):
            visible = asked(self, viewer, object_ids)
            monkeypatch.undo()
            memory.save("p", f"Kettle {SECRET}", "kettle", readers="staff")
            return visible

        monkeypatch.setattr(type(site), "visible_ids", turning)
        assert ask("kettle").items == []


def test_what_follows_the_ranked_head_is_loaded_before_a_ranker_works(
    notice, settings, monkeypatch
):
    for number in range(35):
        Bulletin.objects.create(title=f"Kettle {number:02}", body="kettle kettle")
    rankers.register(SlowRanker)
    settings.NLWEB_ASK = {**settings.NLWEB_ASK, "RANKERS": ["slow"]}

    def meanwhile():
        close_and_rewrite(pk=notice.pk)

    monkeypatch.setattr(SlowRanker, "meanwhile", staticmethod(meanwhile))
    try:
        answered = ask("kettle", scope=make_scope(max_results=50))
    finally:
        rankers.unregister("slow")

    assert len(answered.items) == 36
    assert SECRET not in str(answered.items)
