"""Pages follow the rows that decide about them, in the transaction that changes those."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, Permission
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from nlweb_ask.index import later, reading, rechecks, watching
from nlweb_ask.models import Change, Document, IndexFailure, Recheck
from nlweb_ask.plugins import sources
from tests.factories import GroupFactory, UserFactory
from tests.index.noticeboard import (
    NoticeSource,
    WatchingSource,
    board,
    name,
    notices,
    public,
    told,
    told_by_twin,
)
from tests.index.test_saves import rolled_back
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db]

TITLES = {"Kettle 0", "Kettle 1", "Kettle 2"}


@pytest.fixture
def watched(db):
    with board():
        yield


def family(**fields) -> list[Bulletin]:
    """Write a parent, its child, and a notice of neither."""
    parent, child, other = notices(3, **fields)
    Bulletin.objects.filter(pk=child.pk).update(parent=parent)
    return [parent, child, other]


def restrict(parent: Bulletin, *, members_only: bool = True) -> None:
    parent.members_only = members_only
    parent.save()


def test_a_child_follows_the_parent_whose_rule_it_inherits(watched):
    parent, *_ = family()
    restrict(parent)
    assert public() == {"Kettle 2"}
    restrict(parent, members_only=False)
    assert public() == TITLES


def test_without_a_watch_only_the_saved_page_moves(db):
    with board(NoticeSource):
        parent, *_ = family()
        restrict(parent)
        assert public() == {"Kettle 1", "Kettle 2"}


def test_a_change_that_is_rolled_back_leaves_no_trace(watched):
    parent, *_ = family()
    before = told()
    changes = Change.objects.count()
    with rolled_back():
        restrict(parent)
        assert public() == {"Kettle 2"}
    assert public() == TITLES
    assert Change.objects.count() == changes
    assert told() == before


def test_nothing_is_read_or_analysed_to_move_a_page(watched, monkeypatch):
    parent, *_ = family()
    stamps = set(Document.objects.values_list("object_id", "refreshed_at"))
    Group.objects.create(name="anybody")  # watched, and decides about nobody
    Bulletin.objects.filter(pk=parent.pk).update(members_only=True)
    Group.objects.create(name="another")
    assert public() == {"Kettle 2"}
    assert set(Document.objects.values_list("object_id", "refreshed_at")) == stamps


def queries_of_a_flip(number: int) -> int:
    parent, *children = notices(number + 1)
    keys = [child.pk for child in children]
    Bulletin.objects.filter(pk__in=keys).update(parent=parent)
    Bulletin.objects.filter(pk=parent.pk).update(members_only=True)
    moved = Change.objects.filter(kind=Change.Kind.CLOSED)
    with CaptureQueriesContext(connection) as captured:
        Group.objects.create(name=f"group {number}")
    assert moved.count() == number + 1
    return len(captured)


def test_many_pages_move_with_as_few_queries_as_one(watched):
    with rolled_back():
        one = queries_of_a_flip(1)
    reading.forget()
    with rolled_back():
        # Few enough that SQLite takes their changes in one statement.
        assert queries_of_a_flip(99) == one


@pytest.mark.parametrize(
    "transition",
    [
        pytest.param(lambda row: restrict(row), id="restricted"),
        pytest.param(lambda row: row.groups.add(GroupFactory()), id="for-a-group"),
        pytest.param(lambda row: row.delete(), id="deleted-with-its-children"),
    ],
)
def test_a_closed_page_is_as_one_that_was_never_written(watched, transition):
    parent, *_ = family()
    open_answer = told()
    transition(parent)
    closed = told()
    assert closed != open_answer
    assert closed == told_by_twin()


def test_an_opened_page_is_as_one_that_was_always_open(watched):
    parent, *_ = family()
    restrict(parent)
    restrict(parent, members_only=False)
    assert told() == told_by_twin()


# Many-to-many relations, from both ends


def test_a_page_opens_when_the_group_it_was_for_is_deleted(watched):
    row, *_ = notices(2)
    group = GroupFactory()
    row.groups.add(group)
    assert public() == {"Kettle 1"}
    group.delete()
    assert public() == {"Kettle 0", "Kettle 1"}


@pytest.mark.parametrize("source", [NoticeSource, WatchingSource])
def test_pages_follow_their_own_relation_from_the_other_end(db, source):
    with board(source):
        rows = notices(3)
        group = GroupFactory()
        group.bulletin_set.add(rows[0], rows[1])
        assert public() == {"Kettle 2"}
        group.bulletin_set.remove(rows[0])
        assert public() == {"Kettle 0", "Kettle 2"}
        group.bulletin_set.clear()
        assert public() == TITLES


def test_a_group_that_goes_takes_its_pages_along_without_a_watch(db):
    with board(NoticeSource):
        row, *_ = notices(1)
        group = GroupFactory()
        row.groups.set([group])
        assert public() == set()
        Group.objects.filter(pk=group.pk).delete()
        assert public() == {"Kettle 0"}


class OfPermissions(NoticeSource):
    """As where a backend lets visitors have the permissions of a group."""

    watch = ["auth.Group", "auth.Permission", "auth.User_groups"]

    def visible_to(self, viewer, queryset):
        granted = Permission.objects.filter(
            codename="view_bulletin", group__name="visitors"
        )
        return queryset if granted.exists() else queryset.none()


def test_pages_follow_a_groups_permissions(db):
    with board(OfPermissions):
        notices(1)
        permission = Permission.objects.get(codename="view_bulletin")
        group = GroupFactory(name="visitors")
        group.permissions.add(permission)
        assert public() == {"Kettle 0"}
        group.permissions.clear()
        assert public() == set()
        permission.group_set.add(group)
        assert public() == {"Kettle 0"}
        permission.delete()
        assert public() == set()


class OfMembers(NoticeSource):
    """A rule that hangs on who is in a group."""

    watch = ["auth.User_groups"]

    def visible_to(self, viewer, queryset):
        empty = not Group.objects.filter(name="closers", user__isnull=False).exists()
        return queryset if empty else queryset.none()


def test_a_relation_can_be_watched_by_itself(db):
    with board(OfMembers):
        notices(1)
        user, group = UserFactory(), GroupFactory(name="closers")
        user.groups.add(group)
        assert public() == set()
        group.user_set.remove(user)
        assert public() == {"Kettle 0"}


# Which pages a row decides about


class Narrow(WatchingSource):
    asked: list[set[str]] = []

    def affected_by(self, instance):
        if isinstance(instance, Group):
            return []
        return Bulletin.objects.filter(parent=instance.pk).values_list("pk", flat=True)

    def visible_ids(self, viewer, object_ids):
        self.asked.append(set(object_ids))
        return super().visible_ids(viewer, object_ids)


def test_only_pages_that_a_row_decides_about_are_asked_about(db):
    with board(Narrow):
        parent, child, _ = family()
        Narrow.asked.clear()
        restrict(parent)
        assert set().union(*Narrow.asked) == {str(parent.pk), str(child.pk)}
        assert public() == {"Kettle 2"}
        Narrow.asked.clear()
        Group.objects.create(name="nobody's")
        assert Narrow.asked == []


def test_what_a_deleted_row_decided_about_is_found_before_it_goes(db):
    with board(Narrow):
        parent, child, _ = family(members_only=False)
        restrict(parent)
        Narrow.asked.clear()
        Bulletin.objects.filter(pk=child.pk).update(parent=None)
        Bulletin.objects.filter(pk=parent.pk).delete()
        assert Document.objects.filter(object_id=parent.pk).count() == 0


class Approved(NoticeSource):
    """A notice is for everybody once a row below it approves it."""

    watch = [Bulletin]

    def get_queryset(self):
        return Bulletin.objects.exclude(title="approval")

    def affected_by(self, instance):
        return [instance.parent_id]

    def visible_to(self, viewer, queryset):
        return queryset.filter(bulletin__title="approval")


def test_a_row_that_is_moved_decides_about_the_page_it_left_as_well(db):
    with board(Approved):
        one, two = notices(2)
        approval = Bulletin.objects.create(title="approval", parent=one)
        assert public() == {"Kettle 0"}
        approval.parent = two
        approval.save()
        assert public() == {"Kettle 1"}


def test_affected_by_that_fails_has_all_pages_asked_about(db, caplog):
    class Broken(WatchingSource):
        def affected_by(self, instance):
            return 1 / 0

    with board(Broken):
        parent, *_ = family()
        restrict(parent)
        assert public() == {"Kettle 2"}
        assert "ZeroDivisionError" in caplog.text


PAGES_OF_A_ROW = {
    "a text": lambda rows: str(rows[0].pk),
    "bytes": lambda rows: b"12",
    "a mapping": lambda rows: {str(rows[0].pk): False},
    "rows of several columns": lambda rows: Bulletin.objects.values_list("pk", "title"),
    "rows by their columns": lambda rows: Bulletin.objects.values("pk"),
    "one number": lambda rows: 12,
}


@pytest.mark.parametrize("told", PAGES_OF_A_ROW.values(), ids=PAGES_OF_A_ROW.keys())
def test_affected_by_that_names_no_pages_has_all_asked_about(db, caplog, told):
    class Vague(WatchingSource):
        def affected_by(self, instance):
            return told(list(Bulletin.objects.order_by("pk")))

    with board(Vague):
        notices(2)
        Bulletin.objects.update(members_only=True)
        Group.objects.create(name="anybody")
        assert public() == set()
        assert "affected_by failed source=vague object=* error=TypeError" in caplog.text


def test_affected_by_may_return_the_pages_themselves(db):
    class OfPages(WatchingSource):
        def affected_by(self, instance):
            return Bulletin.objects.filter(title="Kettle 1")

    with board(OfPages):
        notices(2)
        Bulletin.objects.update(members_only=True)
        Group.objects.create(name="anybody")
        assert public() == {"Kettle 0"}


# Rules that fail


def test_a_rule_that_fails_for_one_page_closes_no_other(watched, monkeypatch):
    _, child, other = family()
    source = sources.get(name())
    rule = source.visible_ids

    def fails_for_one(viewer, object_ids):
        if str(other.pk) in object_ids:
            # As a query that the database refuses, inside the site's transaction.
            Bulletin.objects.extra(where=["no_such_column = 1"]).exists()
        return rule(viewer, object_ids)

    monkeypatch.setattr(source, "visible_ids", fails_for_one)
    with transaction.atomic():
        restrict(child)
    child.refresh_from_db()
    assert child.members_only
    assert public() == {"Kettle 0"}
    assert IndexFailure.objects.get().object_id == str(other.pk)


class FailingForSome(WatchingSource):
    def visible_to(self, viewer, queryset):
        if queryset.filter(title__startswith="Bad").exists():
            raise ValueError
        return super().visible_to(viewer, queryset)


@pytest.mark.parametrize("bad", [1, 10, 11, 40])
def test_a_rule_that_fails_for_many_pages_closes_no_other(db, bad):
    with board(WatchingSource):
        rows = notices(60)
        hidden = {row.title for row in rows[:bad]}
        for row in rows[:bad]:
            Bulletin.objects.filter(pk=row.pk).update(title=f"Bad {row.pk}")
        before = public()
        Document.objects.update(source=FailingForSome.__name__.lower())
    with board(FailingForSome):
        Group.objects.create(name="anybody")
        assert public() == before - hidden
        assert IndexFailure.objects.count() == min(bad, 10)


def test_a_rule_that_fails_for_all_closes_all(watched, monkeypatch, caplog):
    notices(30)
    monkeypatch.setattr(sources.get(name()), "visible_ids", lambda *_: 1 / 0)
    Group.objects.create(name="anybody")
    assert public() == set()
    assert caplog.text.count("ZeroDivisionError") == 10
    monkeypatch.undo()
    Group.objects.create(name="another")
    assert len(public()) == 20  # the others come back with the next sweep


# Too many for the site's own save


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(watching, "MOST_IN_A_SAVE", 2)


def test_many_pages_are_noted_in_the_transaction_and_asked_about_later(watched, few):
    parent, *_ = family()
    restrict(parent)
    assert public() == {"Kettle 1", "Kettle 2"}
    assert Recheck.objects.get().source == name()
    rechecks.settle(name())
    assert public() == {"Kettle 2"}
    assert not Recheck.objects.exists()


def test_what_is_noted_goes_with_its_transaction(watched, few):
    parent, *_ = family()
    with rolled_back():
        restrict(parent)
        assert Recheck.objects.exists()
    assert not Recheck.objects.exists()


def test_what_is_noted_is_done_after_the_commit(
    watched, few, django_capture_on_commit_callbacks
):
    parent, *_ = family()
    with django_capture_on_commit_callbacks(execute=True):
        restrict(parent)
    later.drain()
    assert public() == {"Kettle 2"}


@pytest.mark.skipif(
    connection.vendor == "sqlite", reason="it has one transaction at a time"
)
def test_what_another_transaction_did_meanwhile_is_seen_after_the_commit(
    watched, django_capture_on_commit_callbacks
):
    parent, _, other = family()
    with django_capture_on_commit_callbacks(execute=True):
        restrict(parent)
        # As another transaction whose own look cannot see this one's rows.
        Bulletin.objects.filter(pk=other.pk).update(members_only=True)
    later.drain()
    assert public() == set()


def test_what_is_noted_meanwhile_is_not_forgotten(watched, monkeypatch):
    notices(1)
    rechecks.note(name())
    source = sources.get(name())
    rule = source.visible_ids

    def note_another(*arguments):
        rechecks.note(name())
        return rule(*arguments)

    monkeypatch.setattr(source, "visible_ids", note_another)
    rechecks.settle(name())
    assert Recheck.objects.count() == 1


def test_work_that_is_broken_off_stays_noted(watched, monkeypatch):
    notices(1)
    rechecks.note(name())

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(sources.get(name()), "visible_ids", killed)
    with pytest.raises(KeyboardInterrupt):
        rechecks.settle(name())
    assert Recheck.objects.exists()
