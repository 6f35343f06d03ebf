"""Nothing is carried over: from one caller to the next, or from before to after."""

from __future__ import annotations

import hashlib
from itertools import permutations
from urllib.parse import quote

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.http import HttpResponse
from django.test import Client
from django.urls import include, path
from django.utils import timezone
from django.views.decorators.cache import cache_control

from tests.rights import oracle, sites
from tests.rights.channels import JSON, STREAM, asker
from tests.rights.http_cache import HttpCache
from tests.rights.matrix import CHANNELS
from tests.rights.overheard import readings
from tests.rights.site_cache import keep_whatever_may_be_kept
from tests.rights.sites import COMMON
from tests.testapp.models import Bulletin

pytestmark = pytest.mark.django_db


@cache_control(public=True, max_age=600)
def clock(request):
    return HttpResponse(timezone.now().isoformat())


def validated(request):
    return HttpResponse("as ever")


urlpatterns = [
    path("clock", clock),
    path("validated", validated),
    path("", include("example_site.urls")),
]

# What is asked by GET, since only that may be kept.
ADDRESSES = {
    "GET JSON": (f"/ask?query={COMMON}&streaming=false", JSON),
    "GET stream": (f"/ask?query={COMMON}", STREAM),
    "result page": (f"/ask/results/?q={COMMON}", "text/html"),
    "/sites": ("/sites", JSON),
}
WAYS = pytest.mark.parametrize("way", ADDRESSES)
SHARED = pytest.mark.parametrize("shared", [True, False], ids=["shared", "browser"])
PEOPLE = ("superuser", "in-a", "in-b", "member", None)


@pytest.fixture(autouse=True)
def _site_that_keeps_what_it_may(settings):
    settings.ROOT_URLCONF = __name__
    settings.NLWEB_ASK = settings.NLWEB_ASK | {"SITES_ENDPOINT": True}
    keep_whatever_may_be_kept(settings)


@pytest.fixture
def pages(people):
    makers = (sites.public, sites.for_members, sites.for_a, sites.draft)
    return [make(people) for make in makers]


def get(cache, client, way) -> str:
    address, accept = ADDRESSES[way]
    status, body = cache.get(client, address, {"accept": accept})
    assert status == 200
    return body.decode()


# The models of caches work


@SHARED
def test_cache_keeps_what_it_is_allowed_to(people, shared):
    cache, client = HttpCache(shared), Client()
    assert len({cache.get(client, "/clock", {}) for _ in range(3)}) == 1
    assert cache.hits == 2


def test_cache_asks_again_with_what_it_was_given(people):
    cache, client = HttpCache(), Client()
    assert len({cache.get(client, "/validated", {}) for _ in range(3)}) == 1
    assert cache.hits == 2


def test_cache_of_the_site_keeps_what_it_is_allowed_to(people):
    assert Client().get("/clock").content == Client().get("/clock").content
    assert len(caches["default"]._cache) > 0


# From before to after


@WAYS
@SHARED
def test_page_that_is_restricted_is_in_no_answer_after(people, way, shared):
    page = sites.public(people)
    cache, client = HttpCache(shared), Client()
    before = get(cache, client, way)
    Bulletin.objects.filter(pk=page.pk).update(members_only=True)
    after = get(cache, client, way)
    assert (page.address in before) is (way != "/sites")
    assert not [word for word in page.canaries.values() if word in after]
    assert (cache.hits, cache.kept) == (0, {})


@WAYS
@SHARED
def test_page_that_is_opened_is_found_at_once(people, way, shared):
    page = sites.for_members(people)
    cache, client = HttpCache(shared), Client()
    before = get(cache, client, way)
    row = Bulletin.objects.get(pk=page.pk)
    row.members_only = False
    row.save()
    assert page.address not in before
    assert (page.address in get(cache, client, way)) is (way != "/sites")


@WAYS
def test_member_who_is_shut_out_is_answered_as_a_stranger(people, way):
    page = sites.for_members(people)
    cache, whoever = HttpCache(shared=False), asker("member")
    before = get(cache, whoever.client, way)
    people.users["member"].is_active = False
    people.users["member"].save()
    assert (page.address in before) is (way != "/sites")
    assert page.address not in get(cache, whoever.client, way)


# From one caller to the next


@WAYS
@pytest.mark.parametrize(
    ("first", "second"),
    list(permutations(PEOPLE, 2)),
    ids=lambda name: name or "anonymous",
)
def test_second_caller_is_answered_as_if_there_had_been_no_first(
    people, pages, way, first, second
):
    cache = HttpCache()
    askers = {name: asker(name) for name in (first, second)}
    for name in (first, second, first):
        answered = get(cache, askers[name].client, way)
        for page in pages:
            seen = oracle.may_see(page.pk, name, now=timezone.now())
            assert (page.address in answered) is (seen and way != "/sites")
    assert (cache.hits, cache.kept) == (0, {})


BACKENDS = {
    "memory": "django.core.cache.backends.locmem.LocMemCache",
    "file": "django.core.cache.backends.filebased.FileBasedCache",
    "database": "django.core.cache.backends.db.DatabaseCache",
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("order", [1, -1], ids=["superuser-first", "anonymous-first"])
def test_cache_of_the_site_keeps_no_answer(people, settings, tmp_path, backend, order):
    location = str(tmp_path) if backend == "file" else "kept_answers"
    settings.CACHES = {"default": {"BACKEND": BACKENDS[backend], "LOCATION": location}}
    if backend == "database":
        call_command("createcachetable", verbosity=0)
    page = sites.for_members(people)
    for name in ("superuser", None)[::order]:
        whoever = asker(name)
        for channel in CHANNELS:
            if channel.finds:
                heard = channel.ask(whoever, page.probe, "")
                assert (page.address in readings(heard)) is (name is not None)


# Nothing to ask again with: a validator made from an answer would confirm what is in it


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.name)
def test_answer_has_no_validator(people, channel):
    page = sites.public(people)
    headers = channel.ask(asker(None), page.probe, "").headers.casefold()
    assert "etag" not in headers
    assert "last-modified" not in headers


@WAYS
def test_guessed_validator_confirms_nothing(people, way):
    sites.public(people)
    address, accept = ADDRESSES[way]
    first = Client().get(address, headers={"accept": accept})
    body = b"".join(first) if first.streaming else first.content
    guess = f'"{hashlib.md5(body).hexdigest()}"'  # as Django would make it
    for condition in (guess, f"W/{guess}", "*"):
        headers = {"accept": accept, "if-none-match": condition}
        assert Client().get(address, headers=headers).status_code == 200


def test_address_is_never_kept_under_another_spelling(people):
    """What one caller asked is not found by another through a normalised question."""
    page = sites.for_members(people)
    cache, member, stranger = HttpCache(), asker("member"), asker(None)
    for spelling in (COMMON, COMMON.upper(), f" {COMMON} ", f"{COMMON}?"):
        address = f"/ask?query={quote(spelling)}&streaming=false"
        kept = [
            cache.get(who.client, address, {"accept": JSON})[1].decode()
            for who in (member, stranger)
        ]
        assert [page.address in text for text in kept] == [True, False]
