"""Who asks in the proofs of rights, and the words that pages must not give away."""

from __future__ import annotations

import random
import string
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.auth.models import Group

from tests.factories import (
    GroupFactory,
    StaffFactory,
    SuperuserFactory,
    UserFactory,
)

# Stands in every page, so that one question can find them all.
COMMON: Final = "harbour"


@dataclass(frozen=True)
class Page:
    """One page: its row, the word to ask for, and what must not be given away."""

    pk: int
    probe: str
    canaries: Mapping[str, str]  # by where the word stands
    unpublished: str  # a word of the draft that nobody has released

    @property
    def address(self) -> str:
        return self.canaries["address"]


def coined() -> str:
    """Return a word that nobody has ever written."""
    # Without vowels, so that no stemmer of any language takes a part of it away.
    letters = sorted({*string.ascii_lowercase} - {*"aeiouy"})
    return "".join(random.SystemRandom().choices(letters, k=14))


@dataclass(frozen=True)
class People:
    """The groups, and the users by name; `author` has written every page."""

    a: Group
    b: Group
    users: Mapping[str, Any]


def populate() -> People:
    a, b = GroupFactory(name="A"), GroupFactory(name="B")
    users = {
        "member": UserFactory(username="member"),
        "in-a": UserFactory(username="in-a", groups=[a]),
        "in-b": UserFactory(username="in-b", groups=[b]),
        "in-both": UserFactory(username="in-both", groups=[a, b]),
        "author": UserFactory(username="author"),
        "staff": StaffFactory(username="staff"),
        "superuser": SuperuserFactory(username="superuser"),
        # The most that anybody could have lost.
        "expired": SuperuserFactory(username="expired"),
        "shut-out": SuperuserFactory(username="shut-out"),
    }
    return People(a, b, users)
