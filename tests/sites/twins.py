"""Twins of a CMS's site: what both are asked, and what must not differ between them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from nlweb_ask.index.merge import merge
from nlweb_ask.plugins import UserLike
from nlweb_ask.protocol.question import Limits
from tests.rights.sent import sent
from tests.sites.asking import ask_site

# Far enough apart that none is another one mistyped.
WORDS: Final = (
    "kettle barge lantern orchard puncture ferry mortar saddle violet".split()
)
QUESTIONS: Final = ("kettle", "barge lantern orchard", "ferry violet")
ASKED: Final = " ".join(QUESTIONS)
PAGES: Final = (Limits(), Limits(max_results=1), Limits(max_results=3, offset=2))


def words(chance: random.Random, number: int) -> str:
    return " ".join(chance.choices(WORDS, k=number))


def answers(who: UserLike) -> list[tuple[bytes, bytes]]:
    # Loaded anew, as each request does.
    user = User.objects.get(pk=who.pk) if who.pk else who
    return [
        sent(ask_site(question, user=user, limits=limits))
        for question in QUESTIONS
        for limits in PAGES
    ]


@contextmanager
def same_bytes(*people: UserLike) -> Iterator[None]:
    """Check that the block changes no answer to these, before and after a merge."""
    alone = [answers(who) for who in people]
    yield
    assert [answers(who) for who in people] == alone
    merge(0)
    assert [answers(who) for who in people] == alone


@contextmanager
def other_bytes(who: UserLike) -> Iterator[None]:
    """Check that the block changes an answer."""
    alone = answers(who)
    yield
    assert answers(who) != alone


@contextmanager
def same_number_of_queries(who: UserLike) -> Iterator[None]:
    """Check that the block makes no question dearer."""
    before = queries(who)
    yield
    assert queries(who) == before


def queries(who: UserLike) -> int:
    answers(who)  # warm
    with CaptureQueriesContext(connection) as captured:
        answers(who)
    return len(captured)
