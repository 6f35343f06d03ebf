"""Parts of a model's page: fields with a rule of their own, judged by themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.contrib.auth.models import AnonymousUser

from nlweb_ask import PublicSource
from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.models import Document
from nlweb_ask.plugins import SourceFault, Viewer, sources
from nlweb_ask.sources.parts import divided, documents_of_parts
from tests.asking import ANONYMOUS, MEMBER, STAFF, ask
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db]


class MeetingSource(PublicSource):
    """Open to all; what was said is for members, the draft for staff."""

    name = "memory"  # the profile of `tests.asking` searches this one
    model = Bulletin
    text_fields = ["tags"]
    parts = {"minutes": ["body"], "draft": ["draft_body"]}

    def visible_to(self, viewer, queryset):
        if viewer.user.is_authenticated:
            return queryset
        return queryset.filter(members_only=False)

    def part_visible_to(self, part, viewer, queryset):
        user = viewer.user
        allowed = user.is_staff if part == "draft" else user.is_authenticated
        return queryset if allowed else queryset.none()


@pytest.fixture
def meeting():
    sources.register(MeetingSource)
    row = Bulletin(title="Meeting", tags="harbour", body="kettle", draft_body="lantern")
    yield keep(row)
    sources.unregister("memory")


def keep(row):
    row.save()
    refresh_objects("memory", [str(row.pk)])
    return row


def visible(user, *object_ids):
    return MeetingSource().visible_ids(Viewer(user=user), object_ids)


def test_each_part_is_judged_by_itself(meeting):
    page, minutes, draft = (
        f"{meeting.pk}{part}" for part in ("", "#minutes", "#draft")
    )

    assert visible(ANONYMOUS, page, minutes, draft) == {page}
    assert visible(MEMBER, page, minutes, draft) == {page, minutes}
    assert visible(STAFF, page, minutes, draft) == {page, minutes, draft}
    assert visible(MEMBER, minutes) == {minutes}


def test_a_part_is_found_by_whoever_may_see_it_and_by_nobody_else(meeting):
    assert ask("kettle").names == ask("lantern", MEMBER).names == []
    assert ask("kettle", MEMBER).names == ask("lantern", STAFF).names == ["Meeting"]


def test_a_part_is_not_seen_where_its_page_is_not(meeting):
    class MinutesForAll(MeetingSource):
        def part_visible_to(self, part, viewer, queryset):
            return queryset

    Bulletin.objects.update(members_only=True)
    asked = [f"{meeting.pk}#minutes"]

    source = MinutesForAll()
    assert source.visible_ids(Viewer(user=AnonymousUser()), asked) == set()
    assert source.visible_ids(Viewer(user=MEMBER), asked) == set(asked)


def test_a_part_without_a_rule_is_shown_to_nobody(meeting):
    class WithoutRule(PublicSource):
        model = Bulletin
        parts = {"minutes": ["body"]}

    asked = [str(meeting.pk), f"{meeting.pk}#minutes"]
    assert WithoutRule().visible_ids(Viewer(user=STAFF), asked) == {str(meeting.pk)}


def test_a_name_that_is_no_part_is_not_visible(meeting):
    assert visible(STAFF, f"{meeting.pk}#else", "#minutes", "x#minutes") == set()


def test_a_part_lies_in_the_partition_of_its_own_rule(meeting):
    rows = Document.objects.order_by("part").values_list("part", "public")

    assert list(rows) == [("", True), ("draft", False), ("minutes", False)]


def test_a_part_without_words_is_no_document(meeting):
    Bulletin.objects.update(draft_body="")
    refresh_objects("memory", [str(meeting.pk)])

    assert sorted(Document.objects.values_list("part", flat=True)) == ["", "minutes"]


def test_hidden_parts_change_nothing_of_an_anonymous_answer(meeting):
    rival = keep(Bulletin(title="Rival", tags="harbour quay"))
    with_parts = ask("harbour kettle").items
    Bulletin.objects.update(body="", draft_body="")
    refresh_objects("memory", [str(meeting.pk), str(rival.pk)])

    assert ask("harbour kettle").items == with_parts


def test_words_of_a_part_raise_its_page_for_those_who_see_the_part(meeting):
    keep(Bulletin(title="Rival", tags="harbour kettle"))
    keep(Bulletin(title="Other", tags="harbour"))

    def names_to(user):
        return ask("harbour kettle lantern", user).names

    assert names_to(ANONYMOUS)[0] == "Rival"
    assert names_to(STAFF)[0] == "Meeting"


def test_words_that_leave_a_part_unseen_are_not_quoted(meeting):
    Bulletin.objects.update(body="anchor")

    [found] = ask("kettle", MEMBER).items
    assert "kettle" not in found["description"]


def test_pages_and_parts_cost_one_query_for_each_kind(
    meeting, django_assert_num_queries
):
    rows = [keep(Bulletin(title=f"M{n}", body="x")) for n in range(9)]
    ids = [f"{row.pk}{part}" for row in rows for part in ("", "#minutes", "#draft")]

    with django_assert_num_queries(3):
        assert visible(STAFF, *ids) == set(ids)


def test_ids_are_divided_at_the_last_sign_and_only_where_a_part_is_named():
    pages, parts = divided(["a", "a#b#minutes", "a#b"], {"minutes": []})

    assert (pages, parts) == (["a", "a#b"], {"minutes": ["a#b"]})


def test_a_key_that_could_be_read_as_one_of_a_part_is_refused(meeting):
    [page, *_] = MeetingSource().load([str(meeting.pk)])

    with pytest.raises(SourceFault, match="without '#'"):
        list(documents_of_parts(replace(page, object_id="a#b"), {"minutes": []}))
