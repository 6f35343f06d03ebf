"""The cases about private pages, O20 to O26, on rows of a model and with a writer.

Where a case has a language model, a generator stands for it that writes whatever it is
given, and so would give away whatever reaches it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.db.models import Q
from django.test import Client
from django.urls import include, path

from nlweb_ask.index.refresh import sweep
from nlweb_ask.index.signals import connect_signals
from nlweb_ask.models import Document, Passage, SiteSettings
from nlweb_ask.plugins import Sentence, generators, sources
from tests.factories import SiteSettingsFactory, StaffFactory, SuperuserFactory
from tests.rights.http_cache import HttpCache
from tests.rights.sites import BulletinSource
from tests.testapp.models import Bulletin
from tests.trials.conftest import case
from tests.trials.test_trials import RIGHT, Right, hold

pytestmark = pytest.mark.servers


class CaseSource(BulletinSource):
    """The pages of a case as rows; the address of a case is that of its page."""

    name = "case"
    text_fields = ["body"]

    def get_queryset(self):
        return Bulletin.objects.filter(status="published")

    def visible_to(self, viewer, queryset):
        user = viewer.user
        mine = Q(members_only=False) | Q(members_only=user.is_authenticated)
        return queryset.filter(mine if user.is_staff else mine & ~Q(tags="staff"))

    def url(self, obj):
        return obj.slug


class Repeats:
    """Writes the text of every page that it is given, and remembers it."""

    name = "repeats"
    given: list[str] = []

    def generate(self, question, results, deadline) -> Iterator[Sentence]:
        for result in results:
            words = [passage.text for passage in result.passages]
            self.given.extend([result.name, result.url, *words])
            yield Sentence(text=" ".join([result.name, *words]) + " ")


backstage = admin.AdminSite(name="backstage")
backstage.register(Bulletin)

urlpatterns = [
    path("backstage/", backstage.urls),
    path("", include("example_site.urls")),
]


@pytest.fixture
def case_site(db, settings):
    """A site of rows that is switched on, with a writer."""
    settings.NLWEB_ASK = settings.NLWEB_ASK | {"GENERATORS": [Repeats.name]}
    SiteSettingsFactory()
    Repeats.given.clear()
    sources.register(CaseSource)
    generators.register(Repeats)
    connect_signals()
    yield
    generators.unregister(Repeats.name)
    sources.unregister(CaseSource.name)


def offer(trial: str) -> None:
    """Save the pages of a case as they were when the index last heard of them."""
    if trial == "O24":
        for number in range(1, 10):
            words = "lighthouse " * (10 - number) + "beacon " * (number - 1)
            row(f"/p{number}/", f"Page {number}", words, staff=number < 5)
        SiteSettings.objects.update(max_results=3)
        return
    for item in case(trial)["setup"]["items"]:
        readers = item.get("visible_to", "everyone")
        state = item.get("state", "")
        row(
            item["url"],
            item["title"],
            item.get("text", ""),
            staff=readers == "staff",
            members_only=readers == "signed-in users",
            language=item.get("lang", "en"),
            status="draft" if "never published" in state else "published",
            draft_body=state,
        )


def row(url: str, title: str, body: str, *, staff: bool = False, **more: Any) -> None:
    tags = "staff" if staff else ""
    Bulletin.objects.create(slug=url, title=title, body=body, tags=tags, **more)


def by_instance() -> None:
    Bulletin.objects.get(slug="/old/").delete()


def by_queryset() -> None:
    Bulletin.objects.filter(slug="/old/").delete()


def by_admin() -> None:
    """Delete it with the action of its screen, as an editor does."""
    client = Client()
    client.force_login(SuperuserFactory())
    pk = Bulletin.objects.get(slug="/old/").pk
    body = {"action": "delete_selected", "_selected_action": [pk], "post": "yes"}
    client.post("/backstage/testapp/bulletin/", body)


@pytest.mark.parametrize("delete", [by_instance, by_queryset, by_admin])
def test_o20_deleted_page_is_gone_at_once(case_site, asking, settings, delete):
    settings.ROOT_URLCONF = __name__
    offer("O20")
    listing, writing = case("O20")["action"]
    hold(asking(listing), Right(first="/old/"))
    delete()
    assert not Bulletin.objects.filter(slug="/old/").exists()
    began = time.monotonic()
    hold(asking(listing), Right(absent=("/old/",), unsaid=("only page with",)))
    written = asking(writing)
    assert written.status_code == 200
    assert "/old/" not in written.content.decode()
    assert time.monotonic() - began < 2 * 2
    assert not [words for words in Repeats.given if "quokka" in words.casefold()]
    sweep(CaseSource.name)
    assert not Document.objects.filter(url="/old/").exists()
    assert not Passage.objects.filter(text__contains="quokka").exists()


def test_o21_members_only_page_is_neither_listed_nor_written_of(case_site, asking):
    offer("O21")
    listing, summing_up, of_member = case("O21")["action"]
    unsaid = ("minutes", "sold", "May")
    hold(asking(listing), Right(only=("/quarry/",), unsaid=unsaid))
    hold(asking(summing_up), Right(only=("/quarry/",), unsaid=unsaid))
    assert "A public path round the quarry." in Repeats.given
    hold(asking(of_member), Right(only=("/minutes/", "/quarry/")))


def test_o22_neither_drafts_nor_what_was_unpublished_unseen(case_site, asking):
    offer("O22")
    Bulletin.objects.filter(slug="/tutorials/").update(status="draft")
    for action, right in zip(case("O22")["action"], RIGHT["O22"], strict=True):
        hold(asking(action), right)
    fair = asking(case("O22")["action"][1])
    hold(fair, Right(only=("/fair/",), unsaid=("cancelled", "flood due")))


@pytest.mark.parametrize("trial", ["O23", "O24"])
def test_rows_hold_what_is_right(case_site, asking, trial):
    offer(trial)
    for action, right in zip(case(trial)["action"], RIGHT[trial], strict=True):
        hold(asking(action), right)


@pytest.fixture
def cached_site(settings):
    """The site keeps for ten minutes whatever may be kept, in front of everything."""
    settings.CACHE_MIDDLEWARE_SECONDS = 600
    settings.MIDDLEWARE = [
        "django.middleware.cache.UpdateCacheMiddleware",
        *settings.MIDDLEWARE,
        "django.middleware.cache.FetchFromCacheMiddleware",
    ]


def in_mode(action: dict[str, Any], mode: str) -> dict[str, Any]:
    body = json.loads(action["body"])
    return {**action, "body": json.dumps(body | {"prefer": {"mode": mode}})}


@pytest.mark.parametrize("mode", ["list", "summarize"])
def test_o25_kept_answer_never_crosses_users(case_site, cached_site, asking, mode):
    offer("O25")
    staff, *strangers = case("O25")["action"]
    for _ in range(2):
        told = asking(in_mode(staff, mode))
        hold(told, Right(first="/pay/"))
        assert "41000" in told.content.decode()
        for action in strangers:
            hold(asking(in_mode(action, mode)), Right(unsaid=("41000", "/pay/")))


@pytest.mark.parametrize("order", [1, -1], ids=["as-told", "the-other-way"])
def test_o26_shared_cache_mixes_neither_forms_nor_users(case_site, order):
    row("/kiln/", "Kiln for all", "A kiln.")
    row(
        "/kiln/keys/",
        "Keys of the kiln",
        "Where the keys of the kiln hang.",
        staff=True,
    )
    cache = HttpCache()
    staff, stranger = Client(), Client()
    staff.force_login(StaffFactory())
    who = {"staff": staff, "anonymous": stranger}
    for action in [*case("O26")["action"], *case("O26")["action"]][::order]:
        headers = {name.lower(): value for name, value in action["headers"].items()}
        _, body = cache.get(who[action["as"]], action["path"], headers)
        text = body.decode()
        assert ("/kiln/keys/" in text) is (action["as"] == "staff")
        streamed = headers["accept"] == "text/event-stream"
        assert text.startswith("data:" if streamed else "{")
    assert cache.hits == 0


def test_o26_every_form_says_that_nobody_may_keep_it(case_site):
    for action in case("O26")["action"]:
        response = Client().get(action["path"], headers=action["headers"])
        assert "no-store" in response["Cache-Control"]
        assert {"Accept", "Cookie"} <= {*response["Vary"].split(", ")}
