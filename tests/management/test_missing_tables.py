"""What the commands say to an operator who has not migrated."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("command", "table", "code"),
    [
        (["nlweb_ask", "kettle"], "nlweb_ask_sitesettings", 2),
        (["nlweb_index"], "nlweb_ask_document", 1),
        (["nlweb_eval", "folder"], "nlweb_ask_sitesettings", 2),
        (["nlweb_prove"], "nlweb_ask_posting", 2),
        (["nlweb_budget"], "nlweb_ask_modelspending", 2),
    ],
    ids=["ask", "index", "eval", "prove", "budget"],
)
def test_a_missing_table_is_an_error_that_says_what_to_run(command, table, code):
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} RENAME TO gone")
    with pytest.raises(CommandError, match=r"python manage\.py migrate") as raised:
        call_command(*command)
    assert raised.value.returncode == code
