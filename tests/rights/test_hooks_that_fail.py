"""A permission hook that fails, at whatever call: nothing is shown, and one failure told."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any, Final

import pytest
from django.contrib.auth.models import Group
from django.db import OperationalError, connection
from django.db.models.expressions import RawSQL
from django.test import Client

import nlweb_ask
from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.models import Document
from nlweb_ask.pipeline import permit
from nlweb_ask.plugins import Viewer, sources
from tests.asking import ANONYMOUS
from tests.rights import channels
from tests.rights.channels import JSON, STREAM, Asker, Heard
from tests.rights.overheard import listening
from tests.rights.sites import BulletinSource, public
from tests.site_in_memory import SiteInMemory, save, site_in_memory
from tests.testapp.models import Bulletin

PRIVATE: Final = "words that only its readers may see"

WAYS: Final = {
    "POST JSON": channels.post("0.55", JSON),
    "POST SSE": channels.post("0.55", STREAM),
    "GET JSON": channels.get(JSON),
    "GET stream": channels.get(STREAM),
    "result page": channels.page,
    "command": channels.command("--json"),
}


def raising(error: BaseException) -> Callable[..., Any]:
    def hook(*_: Any) -> Any:
        raise error

    return hook


RAISED: Final = {
    "exception": raising(RuntimeError(PRIVATE)),
    "time-out": raising(TimeoutError(PRIVATE)),
    "time-out of the database": raising(OperationalError(PRIVATE)),
    "end of the program": raising(SystemExit(PRIVATE)),
    "cancelled": raising(asyncio.CancelledError(PRIVATE)),
    "recursion": raising(RecursionError(PRIVATE)),
}
# Given the ids that it was asked about, what a wrong hook may return of them.
WRONG: Final = {
    "nothing": lambda ids: None,
    "yes": lambda ids: True,
    "number": lambda ids: 7,
    "text": lambda ids: ",".join(ids),
    "bytes": lambda ids: ",".join(ids).encode(),
    "answers by id": lambda ids: dict.fromkeys(ids, False),
    "pairs": lambda ids: [(object_id, False) for object_id in ids],
    "numbers": lambda ids: set(range(9)),
    "what is not run yet": lambda ids: (object_id for object_id in ids),
    "one wrong among good": lambda ids: {*ids, None},
}


def returning(wrong: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda viewer, object_ids: wrong(object_ids)


FAULTS: Final = RAISED | {name: returning(wrong) for name, wrong in WRONG.items()}


@pytest.fixture
def pages(people):
    """Nine pages, each named by one digit, beside the bulletins."""
    with site_in_memory():
        for number in range(9):
            save(str(number), f"Kettle {number}", "The kettle whistles.")
        yield SiteInMemory.pages


@pytest.fixture
def anonymous() -> Asker:
    return Asker(Client(), None)


def failures(heard: Heard) -> int:
    """Count what tells of a failure, in whatever form the answer has."""
    text = heard.body.decode()
    coded = len(re.findall(r'"code": ?"INTERNAL_ERROR"', text))
    return coded or text.count("The question could not be answered.")


def shows_nothing(heard: Heard) -> bool:
    """Tell whether an answer holds no page, one failure, and no word of its cause."""
    text = heard.body.decode()
    told = [PRIVATE, "Kettle 0", "/pages/", "Traceback", "Error"]
    assert not [word for word in told if word in text]
    return failures(heard) == 1


@pytest.mark.servers
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", FAULTS)
def test_failing_hook_shows_nothing_and_is_one_failure(
    pages, anonymous, monkeypatch, way, fault
):
    monkeypatch.setattr(sources.get("memory"), "visible_ids", FAULTS[fault])
    with listening() as records:
        heard = WAYS[way](anonymous, "kettle", "")
    assert shows_nothing(heard)
    assert PRIVATE not in "\n".join(records.lines)


@pytest.mark.parametrize("way", WAYS)
def test_the_same_question_finds_pages_while_the_hook_is_well(pages, anonymous, way):
    heard = WAYS[way](anonymous, "kettle", "")
    assert b"Kettle 0" in heard.body
    assert failures(heard) == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_hook_that_fails_at_any_of_its_calls_shows_nothing(
    pages, anonymous, monkeypatch, fault
):
    """Also when it was well for the pages that were asked about before."""
    monkeypatch.setattr(permit, "ASKED_AT_ONCE", 2)
    calls = []

    def hook(failing: int) -> Callable[..., Any]:
        well = SiteInMemory.visible_ids

        def visible_ids(viewer: Any, object_ids: Any) -> Any:
            calls.append(failing)
            if calls.count(failing) == failing:
                return FAULTS[fault](viewer, object_ids)
            return well(sources.get("memory"), viewer, object_ids)

        return visible_ids

    monkeypatch.setattr(sources.get("memory"), "visible_ids", hook(0))
    assert failures(WAYS["POST JSON"](anonymous, "kettle", "")) == 0
    made = calls.count(0)
    assert made >= 4
    for number in range(1, made + 1):
        monkeypatch.setattr(sources.get("memory"), "visible_ids", hook(number))
        assert shows_nothing(WAYS["POST JSON"](anonymous, "kettle", "")), number


OF_A_MODEL: Final = {
    "nothing": lambda *_: None,
    "a list of rows": lambda *_: list(BulletinSource.model.objects.all()),
    "rows of another model": lambda *_: Group.objects.all(),
    "keys of another model": lambda *_: Group.objects.values_list("pk"),
    "a part that cannot be asked for": lambda *_: BulletinSource.model.objects.all()[
        :1
    ],
}


@pytest.mark.servers
@pytest.mark.parametrize("hook", ["visible_to", "get_queryset"])
@pytest.mark.parametrize("fault", RAISED | OF_A_MODEL)
def test_failing_hook_of_a_model_shows_nothing(
    people, anonymous, monkeypatch, hook, fault
):
    page = public(people)
    assert page.address.encode() in WAYS["POST JSON"](anonymous, page.probe, "").body
    monkeypatch.setattr(sources.get("bulletins"), hook, (RAISED | OF_A_MODEL)[fault])
    heard = WAYS["POST JSON"](anonymous, page.probe, "")
    assert shows_nothing(heard)
    assert page.address.encode() not in heard.body


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_hook_that_the_database_breaks_off_shows_nothing(
    transactional_db, people, anonymous, monkeypatch
):
    limits = {
        "postgresql": ("SET statement_timeout = 200", "pg_sleep(5) IS NULL"),
        "mysql": ("SET max_statement_time = 0.2", "SLEEP(5)"),
    }
    if connection.vendor not in limits:
        pytest.skip("SQLite has no limit for a statement")
    limit, sleep = limits[connection.vendor]
    page = public(people)
    monkeypatch.setattr(
        sources.get("bulletins"),
        "visible_to",
        lambda viewer, queryset: queryset.annotate(slept=RawSQL(sleep, [])).filter(
            slept__in=[True, False]
        ),
    )
    with connection.cursor() as cursor:
        cursor.execute(limit)
    try:
        heard = WAYS["POST JSON"](anonymous, page.probe, "")
    finally:
        connection.close()
    assert shows_nothing(heard)
    assert page.address.encode() not in heard.body


# A hidden page of which it cannot be told who may see it


class ByPage(SiteInMemory):
    """Decides page by page, and fails over one whose readers are nobody it knows."""

    name = "by-page"

    def visible_ids(self, viewer: Any, object_ids: Any) -> set[str]:
        for object_id in object_ids:
            if object_id in self.pages and self.pages[object_id].readers == "broken":
                raise RuntimeError(PRIVATE)
        return super().visible_ids(viewer, object_ids)


@pytest.fixture
def by_page(pages, monkeypatch):
    source = sources.get("memory")
    monkeypatch.setattr(
        source,
        "visible_ids",
        lambda viewer, ids: ByPage.visible_ids(ByPage(), viewer, ids),
    )
    return source


def answers(asker: Asker) -> list[tuple[int, str]]:
    found = [
        way(asker, text, "")
        for way in WAYS.values()
        for text in ("kettle", "kettle lantern", "lantern")
    ]
    return [(heard.status, lasting(heard.body.decode())) for heard in found]


def lasting(text: str) -> str:
    """Leave out what differs from answer to answer: ids, and the clock."""
    text = re.sub(r'"(query_id|conversation_id)": ?"[^"]+"', "", text)
    return re.sub(r'"processing_time_ms": ?\d+', "", text)


@pytest.mark.servers
def test_hidden_page_whose_hook_raises_leaves_anonymous_answers_as_they_were(
    by_page, anonymous
):
    before = answers(anonymous)
    save("h", "Kettle lantern", "kettle lantern " * 9, readers="broken")
    assert not Document.objects.filter(object_id="h").exists()
    assert answers(anonymous) == before


@pytest.mark.servers
def test_hook_that_raises_since_a_page_was_hidden_changes_no_anonymous_answer(
    by_page, anonymous
):
    before = answers(anonymous)
    save("h", "Kettle lantern", "kettle lantern " * 9, readers="staff")
    by_page.pages["h"].readers = "broken"
    assert answers(anonymous) == before


def test_member_who_might_meet_such_a_page_is_shown_nothing(by_page, people):
    client = Client()
    client.force_login(people.users["member"])
    save("h", "Kettle lantern", "kettle lantern " * 9, readers="staff")
    by_page.pages["h"].readers = "broken"
    assert shows_nothing(WAYS["POST JSON"](Asker(client, "member"), "kettle", ""))


def test_page_whose_flag_cannot_be_told_is_never_counted_as_public(pages, monkeypatch):
    """A text that holds the id is no permission for it, nor an answer that says no."""
    for number, wrong in enumerate(WRONG.values()):
        with monkeypatch.context() as patched:
            source = sources.get("memory")
            patched.setattr(source, "visible_ids", returning(wrong))
            save(f"w{number}", "Kettle", "kettle", readers="staff")
        assert not Document.objects.filter(object_id=f"w{number}", public=True).exists()


def test_answer_of_a_stream_is_a_failure_and_nothing_after_it(
    pages, anonymous, monkeypatch
):
    monkeypatch.setattr(sources.get("memory"), "visible_ids", FAULTS["exception"])
    heard = WAYS["POST SSE"](anonymous, "kettle", "")
    kinds = re.findall(r"^event: (\w+)$", heard.body.decode(), re.MULTILINE)
    assert kinds == ["start", "failure", "complete", "end"]


# The hooks of the sources that ask about permissions, and of parts


class Backend:
    """Fails whenever it is asked what somebody may do."""

    fault: Callable[..., Any]

    def authenticate(self, request, **credentials):
        return None

    def has_perm(self, user, permission, page=None):
        return Backend.fault()


class OfModel(nlweb_ask.ModelPermissionSource):
    name = "notices"
    model = Bulletin
    text_fields = ["body"]


class OfObject(nlweb_ask.ObjectPermissionSource):
    name = "notices"
    model = Bulletin
    text_fields = ["body"]


@pytest.mark.parametrize("source", [OfModel, OfObject])
@pytest.mark.parametrize("fault", RAISED)
def test_failing_backend_shows_nothing(people, anonymous, settings, source, fault):
    settings.AUTHENTICATION_BACKENDS = [f"{__name__}.Backend"]
    Backend.fault = staticmethod(lambda: True)
    sources.register(source)
    try:
        row = Bulletin.objects.create(title="Notice", body="kettle", slug="on-kettles")
        refresh_objects(source.name, [str(row.pk)])
        Bulletin.objects.filter(pk=row.pk).update(noindex=True)  # of no other source
        assert b"on-kettles" in WAYS["POST JSON"](anonymous, "kettle", "").body
        Backend.fault = staticmethod(RAISED[fault])
        heard = WAYS["POST JSON"](anonymous, "kettle", "")
    finally:
        sources.unregister(source.name)
    assert shows_nothing(heard)
    assert b"on-kettles" not in heard.body


class InParts(nlweb_ask.PublicSource):
    name = "parted"
    model = Bulletin
    text_fields = ["body"]
    parts = {"draft": ["draft_body"]}

    def part_visible_to(self, part, viewer, queryset):
        return queryset


@pytest.mark.parametrize("fault", RAISED | OF_A_MODEL)
def test_failing_hook_of_a_part_shows_nothing(people, anonymous, monkeypatch, fault):
    sources.register(InParts)
    try:
        row = Bulletin.objects.create(
            title="Notice", body="kettle", draft_body="kettle lid", slug="on-kettles"
        )
        refresh_objects(InParts.name, [str(row.pk)])
        assert b"on-kettles" in WAYS["POST JSON"](anonymous, "kettle", "").body
        hook = (RAISED | OF_A_MODEL)[fault]
        monkeypatch.setattr(sources.get(InParts.name), "part_visible_to", hook)
        heard = WAYS["POST JSON"](anonymous, "kettle", "")
    finally:
        sources.unregister(InParts.name)
    assert shows_nothing(heard)
    assert b"on-kettles" not in heard.body


class OfGroups(BulletinSource):
    """Takes groups for its pages, and has stamps of its own, which ask for no column."""

    name = "mistaken"

    def visible_to(self, viewer, queryset):
        return Group.objects.all()

    def stamps(self, object_ids):
        return dict.fromkeys(object_ids, "as ever")


def test_keys_of_another_model_are_no_keys_of_pages(people, anonymous):
    page = public(people)
    Group.objects.get_or_create(pk=page.pk, defaults={"name": "of the same number"})
    with pytest.raises(TypeError, match="must return Bulletin rows, not Group rows"):
        OfGroups().visible_ids(Viewer(user=ANONYMOUS), [str(page.pk)])
