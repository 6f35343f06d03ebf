from __future__ import annotations

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from example_site.demo_users import DEMO_USERS
from example_site.models import BlogPosting, Recipe, Status
from nlweb_ask.conf import site_conf
from nlweb_ask.index.search import fingerprint
from nlweb_ask.models import Document


@pytest.fixture
def load(example, db, settings):
    def run() -> str:
        settings.DEBUG = True
        out = io.StringIO()
        call_command("load_example", stdout=out)
        return out.getvalue()

    return run


def rows():
    return {
        model: sorted(model.objects.values_list("pk", flat=True))
        for model in (Recipe, BlogPosting, User, Document)
    }


def test_content_is_more_than_thirty_pages_of_each_audience(example, db):
    pages = [*Recipe.objects.all(), *BlogPosting.objects.all()]
    assert len(pages) >= 34
    assert {page.audience for page in pages} == {"public", "members", "staff"}
    assert [p.slug for p in pages if p.status == Status.DRAFT] == ["pumpkin-doughnuts"]


def test_loading_again_changes_nothing(load):
    before = rows()
    assert "0 of them new or brought back" in load()
    assert rows() == before


def test_loading_again_writes_nothing_to_the_index(load):
    load()
    before = fingerprint(0)
    load()
    assert fingerprint(0) == before


def test_loading_says_how_many_pages_can_be_found(load):
    printed = load()
    indexed = Document.objects.filter(indexed=True).count()
    assert indexed > 40
    assert f"\n{indexed} pages are in the index.\n" in printed
    assert " written" not in printed


def test_loading_again_brings_back_shipped_pages_and_keeps_others(load):
    Recipe.objects.filter(slug="nettle-pesto").update(title="Something else")
    BlogPosting.objects.filter(slug="darning-a-sock").delete()
    mine = Recipe.objects.get(slug="rhubarb-crumble")
    mine.pk, mine.slug = None, "mine"
    mine.save()
    assert "2 of them new or brought back" in load()
    assert Recipe.objects.get(slug="nettle-pesto").title == "Nettle pesto"
    assert BlogPosting.objects.filter(slug="darning-a-sock").exists()
    assert Recipe.objects.filter(slug="mine").exists()


def test_loading_switches_the_site_on(load):
    from nlweb_ask.models import SiteSettings

    SiteSettings.objects.update(enabled=False, max_results=7)
    load()
    assert site_conf(0).enabled
    assert site_conf(0).max_results == 7


def test_printed_users_can_log_in_with_the_printed_passwords(load, client):
    printed = load()
    for person in DEMO_USERS:
        assert f"{person.name:8} {person.password}" in printed
        assert client.login(username=person.name, password=person.password)


def test_loading_prints_where_to_go(load, settings):
    home = settings.NLWEB_ASK["BASE_URL"]
    printed = load()
    assert f"{home}/admin/" in printed
    assert f'curl "{home}/ask?query=sourdough&streaming=false"' in printed


def test_loading_is_refused_without_debug(example, db):
    User.objects.all().delete()
    with pytest.raises(CommandError, match="DEBUG"):
        call_command("load_example")
    assert not User.objects.exists()
