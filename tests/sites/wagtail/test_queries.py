"""How many queries the source makes: as many for forty pages as for three."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User

from nlweb_ask.plugins import Viewer, sources


@pytest.fixture(params=[3, 40])
def ids(request, home, add):
    made = [add(home, f"Berth {number}") for number in range(request.param)]
    return [str(page.pk) for page in made]


@pytest.fixture
def source():
    return sources.get("wagtail")


@pytest.mark.parametrize(("who", "queries"), [("anonymous", 6), ("member", 7)])
def test_who_may_see(ids, source, who, queries, django_assert_num_queries):
    user = AnonymousUser()
    if who == "member":
        user = User.objects.create_user("member")
        user.groups.add(Group.objects.create(name="crew"))
    with django_assert_num_queries(queries):
        assert source.visible_ids(Viewer(user=user), ids) == set(ids)


def test_stamps(ids, source, django_assert_num_queries):
    source.stamps(ids)
    with django_assert_num_queries(5):
        assert source.stamps(ids).keys() == set(ids)


def test_the_list_of_all_pages(ids, source, django_assert_num_queries):
    list(source.iter_refs())
    with django_assert_num_queries(5):
        assert len(list(source.iter_refs())) == len(ids) + 1


def test_what_pages_say(ids, source, django_assert_num_queries):
    list(source.load(ids))
    with django_assert_num_queries(6):
        assert len(list(source.load(ids))) == len(ids)
