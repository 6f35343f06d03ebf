"""W002, W003, W012, W014, W015, W024, W028, W031: checks that ask the database, if one is named."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from nlweb_ask.index.store import INDEX_VERSION
from nlweb_ask.models import Document
from tests.factories import IndexProfileFactory, SiteSettingsFactory
from tests.several_sites import several_sites
from tests.testapp.models import Article

DATABASE_CHECKS = ("W002", "W003", "W012", "W014", "W015", "W024", "W028", "W031")
ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(reported):
    """Run the checks as `check --deploy --database default` does."""

    def run(check_id):
        return reported(check_id, databases=["default"], include_deployment_checks=True)

    return run


def make_document(analyzer=INDEX_VERSION, *, indexed=True):
    return Document.objects.create(
        key="k",
        source="testapp.article",
        object_id="1",
        indexed=indexed,
        analyzer=analyzer,
    )


def test_database_checks_ask_nothing_unless_a_database_is_named(
    reported, django_assert_num_queries
):
    SiteSettingsFactory()
    with django_assert_num_queries(0):
        for check_id in DATABASE_CHECKS:
            assert reported(check_id, include_deployment_checks=True) == []


def test_missing_migration_is_reported(asked):
    [(app, last)] = MigrationLoader(connection).graph.leaf_nodes("nlweb_ask")
    MigrationRecorder(connection).record_unapplied(app, last)
    [message] = asked("W002")
    assert last in message.msg
    assert message.hint == "Run: python manage.py migrate nlweb_ask"


def test_applied_migrations_are_not_reported(asked):
    assert asked("W002") == []


def test_missing_migration_is_not_reported_to_who_is_migrating(reported):
    MigrationRecorder(connection).record_unapplied("nlweb_ask", "0002_everyone_may_ask")
    assert reported("W002", databases=["default"]) == []


def test_empty_index_of_a_site_that_answers_is_reported(asked):
    SiteSettingsFactory()
    [message] = asked("W003")
    assert "empty" in message.msg
    assert message.hint == "Run: python manage.py nlweb_index"


def test_document_that_could_not_be_indexed_leaves_the_index_empty(asked):
    SiteSettingsFactory()
    make_document(indexed=False)
    assert len(asked("W003")) == 1


def test_index_of_another_version_is_reported(asked):
    SiteSettingsFactory()
    make_document(analyzer=INDEX_VERSION - 1)
    [message] = asked("W003")
    assert "another version" in message.msg


@pytest.mark.parametrize("more", [[], ["--changed"]])
def test_the_command_that_is_named_writes_an_index_of_another_version_anew(asked, more):
    SiteSettingsFactory()
    Article.objects.create(title="Kettle")
    Document.objects.update(analyzer=INDEX_VERSION - 1)
    [message] = asked("W003")
    command = message.hint.removeprefix("Run: python manage.py ").split()
    call_command(*command, *more, verbosity=0)
    assert Document.objects.filter(analyzer=INDEX_VERSION).exists()
    assert asked("W003") == []


def test_index_of_this_version_is_not_reported(asked):
    SiteSettingsFactory()
    Article.objects.create(title="Kettle")  # indexed by its save
    assert Document.objects.get().indexed
    assert asked("W003") == []


@pytest.mark.parametrize("row", [True, False], ids=["switched-off", "no-row"])
def test_empty_index_of_a_site_that_is_off_is_not_reported(asked, row):
    if row:
        SiteSettingsFactory(enabled=False)
    assert asked("W003") == []


def test_empty_index_of_a_site_switched_on_in_settings_is_reported(settings, asked):
    settings.NLWEB_ASK = {"ENABLED": True, "LOCKED": ["enabled"]}
    SiteSettingsFactory(enabled=False)
    assert len(asked("W003")) == 1


def test_site_without_an_address_is_reported(settings, asked):
    settings.NLWEB_ASK = {}
    [message] = asked("W012")
    assert '{"BASE_URL": "https://www.example.org"}' in message.hint


def test_site_with_an_address_in_settings_is_not_reported(settings, asked):
    settings.NLWEB_ASK = {"BASE_URL": "https://www.example.org"}
    assert asked("W012") == []


def test_site_with_an_address_in_its_row_is_not_reported(settings, asked):
    settings.NLWEB_ASK = {}
    SiteSettingsFactory(base_url="https://www.example.org")
    assert asked("W012") == []


def test_each_site_without_an_address_is_reported(settings, asked):
    settings.NLWEB_ASK = {}
    SiteSettingsFactory(site_id=3, base_url="https://three.example")
    with several_sites("example.com", "two.example", "example.com"):
        [message] = asked("W012")
    assert "site 1 (example.com)" in message.msg


def test_address_that_several_sites_share_is_reported(settings, asked):
    settings.NLWEB_ASK = {"BASE_URL": "https://one.example"}
    with several_sites("one.example", "two.example"):
        [message] = asked("W012")
        assert "site 2 (two.example)" in message.msg
        SiteSettingsFactory(site_id=2, base_url="https://two.example")
        assert asked("W012") == []


def test_checks_ask_nothing_of_tables_that_are_not_there(tmp_path):
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--database", "default"],
        env={
            **os.environ,
            "DATABASE": "sqlite",
            "SQLITE_PATH": str(tmp_path / "empty.sqlite3"),
            "DJANGO_SETTINGS_MODULE": "example_site.settings",
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "nlweb_ask.W" not in done.stderr


def test_checks_are_silent_while_the_settings_cannot_be_read(settings, asked):
    settings.NLWEB_ASK = {"RATE_LIMIT": "10/week"}
    SiteSettingsFactory(enabled=False)
    assert asked("W003") == []
    assert asked("W012") == []
    assert asked("W014") == []


def test_key_that_the_saved_settings_overrule_is_reported(settings, asked):
    settings.NLWEB_ASK = {
        "RATE_LIMIT": "61/m",
        "ALLOW_CROSS_ORIGIN": True,
        "MAX_RESULTS": 7,
        "LOCKED": ["snippet_length"],
    }
    SiteSettingsFactory(rate_limit="59/m", max_results=7)
    [message] = asked("W014")
    assert "ALLOW_CROSS_ORIGIN, RATE_LIMIT of NLWEB_ASK do nothing" in message.msg
    assert "they win" in message.msg
    locked = '"LOCKED": ["snippet_length", "allow_cross_origin", "rate_limit"]'
    assert locked in message.hint
    assert not {"61", "59", "True", "False"} & set(
        re.findall(r"\w+", message.msg + message.hint)
    )


@pytest.mark.parametrize(
    ("written", "row"),
    [
        pytest.param({}, {"max_results": 3}, id="not-written"),
        pytest.param({"MAX_RESULTS": 3}, {"max_results": 3}, id="the-same"),
        pytest.param({"MAX_RESULTS": 3}, None, id="no-row"),
        pytest.param(
            {"MAX_RESULTS": 3, "LOCKED": ["max_results"]},
            {"max_results": 4},
            id="locked",
        ),
        pytest.param(
            {"ALLOWED_TYPES": ["Article"]}, {"allowed_types": ["Article"]}, id="list"
        ),
        pytest.param(
            {"BASE_URL": "https://a.example"}, {"base_url": ""}, id="left-empty"
        ),
        pytest.param({"STREAM_THREADS": 3}, {}, id="of-the-deployer"),
    ],
)
def test_key_that_holds_is_not_reported(settings, asked, written, row):
    settings.NLWEB_ASK = written
    if row is not None:
        SiteSettingsFactory(**row)
    assert asked("W014") == []


def test_profile_is_compared_by_its_name(settings, asked):
    settings.NLWEB_ASK = {"DEFAULT_PROFILE": "shop"}
    shop, blog = (IndexProfileFactory(name=name) for name in ("shop", "blog"))
    row = SiteSettingsFactory(default_profile=shop)
    assert asked("W014") == []
    row.default_profile = blog
    row.save()
    [message] = asked("W014")
    assert message.msg.startswith("DEFAULT_PROFILE of NLWEB_ASK does nothing")


def test_each_site_whose_settings_overrule_is_named(settings, asked):
    settings.NLWEB_ASK = {"MAX_RESULTS": 3}
    for site_id, number in ((0, 4), (2, 5), (3, 3)):
        SiteSettingsFactory(site_id=site_id, max_results=number)
    messages = [message.msg for message in asked("W014")]
    assert [("the site " in m, "site 2" in m) for m in messages] == [
        (True, False),
        (False, True),
    ]


def test_rows_of_the_only_site_there_was_are_reported_once_there_are_several(asked):
    SiteSettingsFactory()
    IndexProfileFactory()
    with several_sites("one.example", "two.example") as ids:
        SiteSettingsFactory(site_id=ids[1])
        [message] = asked("W015")
    assert "site 0 do nothing" in message.msg
    assert "1 (one.example), 2 (two.example)" in message.hint


def test_rows_of_the_only_site_there_is_are_not_reported(asked):
    SiteSettingsFactory()
    assert asked("W015") == []


SET_LEVEL = "TRANSACTION ISOLATION LEVEL REPEATABLE READ"


@pytest.mark.servers
@pytest.mark.skipif(connection.vendor == "sqlite", reason="has one level")
@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_sees_what_was_before_it_is_reported(asked):
    assert asked("W024") == []
    scope = "SESSION " if connection.vendor == "mysql" else ""
    try:
        with connection.cursor() as cursor, transaction.atomic():
            cursor.execute(f"SET {scope}{SET_LEVEL}")
            [message] = asked("W024")
    finally:
        connection.close()
    assert "REPEATABLE READ" in message.msg
    assert "isolation_level" in message.hint


def test_the_level_that_django_sets_is_not_reported(asked):
    assert asked("W024") == []


SMALL = {"small": {"model": "openai/some-model"}}


def test_language_model_that_is_not_set_up_is_reported(asked, settings):
    settings.NLWEB_ASK = {"MODELS": SMALL}
    SiteSettingsFactory(language_model="large")
    [message] = asked("W028")
    assert "'large' of the site" in message.msg
    assert "there is: small." in message.hint


def test_language_model_of_the_settings_alone_is_looked_at(asked, settings):
    settings.NLWEB_ASK = {"LANGUAGE_MODEL": "large"}
    [message] = asked("W028")
    assert "there is: none." in message.hint


@pytest.mark.parametrize("label", ["", "small"])
def test_language_model_that_is_set_up_is_not_reported(asked, settings, label):
    settings.NLWEB_ASK = {"MODELS": SMALL}
    SiteSettingsFactory(language_model=label)
    assert asked("W028") == []


LOCAL = {"model": "openai/llama", "base_url": "http://localhost:11434/v1"}
FREE = {**LOCAL, "input_price": 0, "output_price": 0}


@pytest.mark.parametrize("cap", ["model_cost_per_day", "model_cost_per_month"])
def test_model_without_a_price_is_reported_where_cost_is_capped(asked, settings, cap):
    settings.NLWEB_ASK = {"MODELS": {"small": LOCAL}, "EMBEDDERS": {"near": LOCAL}}
    SiteSettingsFactory(**{cap: 5})
    model, embedder = asked("W031")
    assert "['small'] has no price" in model.msg
    assert "['near'] has no price" in embedder.msg


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        pytest.param(LOCAL, {}, id="no-cap"),
        pytest.param(
            LOCAL, {"models_enabled": False, "model_cost_per_day": 5}, id="off"
        ),
        pytest.param(FREE, {"model_cost_per_day": 5}, id="costs-nothing"),
    ],
)
def test_model_that_is_asked_is_not_reported(asked, settings, model, fields):
    settings.NLWEB_ASK = {"MODELS": {"small": model}}
    SiteSettingsFactory(**fields)
    assert asked("W031") == []
