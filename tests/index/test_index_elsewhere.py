"""With the index in another database, the site's own transactions stay its own."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from django.db import transaction

from nlweb_ask.index.aside import index_aside
from tests.index.noticeboard import NoticeSource, board, public
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db(transaction=True)]


class Failing(NoticeSource):
    watch = [Group]

    def affected_by(self, instance):
        # A query that the database refuses: PostgreSQL then takes no other.
        return list(Bulletin.objects.extra(where=["no_such_column = 1"]))


def test_a_hook_that_the_database_refuses_ends_no_transaction_of_the_site():
    with index_aside(), board(Failing):
        with transaction.atomic():
            group = Group.objects.create(name="anybody")
            Bulletin.objects.create(title="Kettle")
            group.delete()
        assert public() == {"Kettle"}
    assert Bulletin.objects.exists()
