"""ObjectPermissionSource: each page is judged by itself, with django-rules here."""

from __future__ import annotations

import pytest
import rules
from django.contrib.auth.models import AnonymousUser

from nlweb_ask import ObjectPermissionSource
from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.models import Document
from nlweb_ask.plugins import Viewer, sources
from tests.asking import ask, make_scope
from tests.factories import SuperuserFactory, UserFactory
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db]

PERMISSION = "testapp.view_bulletin"


class BulletinSource(ObjectPermissionSource):
    name = "memory"  # the profile of `tests.asking` searches this one
    model = Bulletin
    text_fields = ["body"]


@rules.predicate
def is_open(user, bulletin):
    return not bulletin.members_only


@rules.predicate
def is_author(user, bulletin):
    return user.is_authenticated and bulletin.author_id == user.pk


@pytest.fixture(autouse=True)
def rule(settings):
    settings.AUTHENTICATION_BACKENDS = [
        "rules.permissions.ObjectPermissionBackend",
        "django.contrib.auth.backends.ModelBackend",
    ]
    rules.add_perm(PERMISSION, is_open | is_author)
    yield
    rules.remove_perm(PERMISSION)


@pytest.fixture
def author():
    return UserFactory()


@pytest.fixture
def bulletins(author):
    """One for everyone, one for its author, one for nobody."""
    rows = [
        Bulletin(title="Open"),
        Bulletin(title="Mine", members_only=True, author=author),
        Bulletin(title="Closed", members_only=True),
    ]
    for row in rows:
        row.body = "The harbour rules."
        row.save()
    return {row.title: str(row.pk) for row in rows}


def titles_seen(user, bulletins):
    visible = BulletinSource().visible_ids(Viewer(user=user), bulletins.values())
    return {title for title, object_id in bulletins.items() if object_id in visible}


def test_each_page_is_judged_by_the_rule_of_the_site(bulletins, author):
    assert titles_seen(AnonymousUser(), bulletins) == {"Open"}
    assert titles_seen(author, bulletins) == {"Open", "Mine"}
    assert titles_seen(UserFactory(), bulletins) == {"Open"}
    assert titles_seen(SuperuserFactory(), bulletins) == {"Open", "Mine", "Closed"}


def test_a_deactivated_author_is_judged_as_an_anonymous_visitor(bulletins, author):
    author.is_active = False

    assert titles_seen(author, bulletins) == {"Open"}


def test_pages_that_were_not_asked_about_are_not_judged(bulletins):
    asked = []
    rules.set_perm(PERMISSION, rules.predicate(lambda user, page: asked.append(page)))

    BulletinSource().visible_ids(Viewer(user=AnonymousUser()), [bulletins["Mine"]])

    assert [page.title for page in asked] == ["Mine"]


def test_any_number_of_pages_costs_one_query_to_load_and_one_to_stamp(
    django_assert_num_queries, author
):
    Bulletin.objects.bulk_create(Bulletin(title=f"B{n}") for n in range(50))
    ids = [str(pk) for pk in Bulletin.objects.values_list("pk", flat=True)]

    with django_assert_num_queries(2):
        seen = BulletinSource().visible_ids(Viewer(user=author), ids)
    assert seen == set(ids)
    assert set(seen.stamps) == set(ids)


# In a whole question


@pytest.fixture
def indexed(bulletins):
    sources.register(BulletinSource)
    refresh_objects("memory", bulletins.values())
    yield bulletins
    sources.unregister("memory")


def test_an_answer_holds_the_pages_that_the_rule_allows(indexed, author):
    assert ask("harbour").names == ["Open"]
    assert set(ask("harbour", author).names) == {"Open", "Mine"}


def test_pages_are_in_the_partition_that_the_rule_puts_them_in(indexed):
    public = Document.objects.filter(public=True).values_list("name", flat=True)

    assert list(public) == ["Open"]


@pytest.mark.parametrize("hidden", [0, 1, 50])
def test_what_a_member_is_shown_does_not_depend_on_how_much_is_hidden(
    indexed, author, hidden
):
    found = [ask("harbour", author).items]
    rows = [
        Bulletin(title=f"Hidden {n}", body="harbour " * 9, members_only=True)
        for n in range(hidden)
    ]
    for row in rows:
        row.save()
        refresh_objects("memory", [str(row.pk)])
    found.append(ask("harbour", author).items)
    one = ask("harbour", author, make_scope(max_results=1)).items

    assert found[0] == found[1]
    assert one == found[0][:1]


def test_a_rule_that_fails_ends_the_question_with_nothing_shown(indexed, author):
    def fails_on_closed(user, bulletin):
        return bulletin.title != "Closed" or 1 / 0

    rules.set_perm(PERMISSION, rules.predicate(fails_on_closed))
    answer = ask("harbour", author)

    assert answer.names == []
    assert answer.failure.code == "INTERNAL_ERROR"
