"""One row with a date that Python cannot hold spoils no other row of its source."""

from __future__ import annotations

import pytest
from django.db import connection

from nlweb_ask import ObjectPermissionSource
from nlweb_ask.index.refresh import sweep
from nlweb_ask.models import IndexFailure
from nlweb_ask.plugins import Viewer, sources
from tests.asking import MEMBER, ask
from tests.index.noticeboard import NoticeSource
from tests.testapp.models import Bulletin

pytestmark = [
    pytest.mark.servers,
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor == "mysql", reason="holds no such date"),
]

# What each database takes, and its driver gives to nobody.
UNREADABLE = {"postgresql": "infinity", "sqlite": "9999-13-45 00:00:00"}


class DatedNotices(NoticeSource):
    name = "memory"  # the profile of `tests.asking` searches this one
    published_field = "opens"
    updated_field = "closes"


@pytest.fixture
def notices():
    sources.register(DatedNotices)
    yield [Bulletin.objects.create(title=f"Kettle {n}", body="kettle") for n in "012"]
    sources.unregister("memory")


def date_unreadably(notice):
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE testapp_bulletin SET closes = %s WHERE id = %s",
            [UNREADABLE[connection.vendor], notice.pk],
        )


@pytest.mark.parametrize("changed_only", [False, True])
def test_a_sweep_takes_in_the_others(notices, changed_only):
    date_unreadably(notices[0])

    sweep("memory", changed_only=changed_only)

    assert ask("kettle").names == ["Kettle 1", "Kettle 2"]
    assert IndexFailure.objects.get().object_id == str(notices[0].pk)


def test_a_question_is_answered_with_the_others(notices):
    sweep("memory")
    assert len(ask("kettle").names) == 3

    date_unreadably(notices[0])

    assert ask("kettle").names == ["Kettle 1", "Kettle 2"]


class AllowsEach:
    """A backend that looks at each page by itself."""

    def authenticate(self, request):
        return None

    def has_perm(self, user, permission, obj=None):
        return obj is not None


class JudgedNotices(ObjectPermissionSource):
    name = "judged"
    model = Bulletin


def test_a_source_that_judges_each_page_judges_the_others(notices, settings):
    settings.AUTHENTICATION_BACKENDS = [f"{__name__}.AllowsEach"]
    date_unreadably(notices[0])
    asked = [str(notice.pk) for notice in notices]

    assert JudgedNotices().visible_ids(Viewer(user=MEMBER), asked) == set(asked[1:])
