"""Sites of chance: pages with rules by group, by user and by author, and people."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from django.contrib.auth.models import AnonymousUser, User

from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.plugins import Section, SourceDocument, SourceRef, UserLike, sources

# Far enough apart that none is another one mistyped.
WORDS = (
    "kettle barge lantern orchard puncture ferry mortar saddle violet harbour "
    "ledger pumpkin anvil thistle copper canal rope flour spanner moss"
).split()
GROUPS = ("bakers", "ferrymen", "smiths")


@dataclass(frozen=True)
class Rule:
    """Who may see a page: everyone, or any of these."""

    everyone: bool = False
    members: bool = False
    groups: frozenset[str] = frozenset()
    users: frozenset[int] = frozenset()  # its author, and who else is named


EVERYONE = Rule(everyone=True)
NOBODY = Rule()


@dataclass(frozen=True)
class RuledPage:
    name: str
    text: str = ""
    rule: Rule = EVERYONE
    type: str = "Article"
    language: str = "en"
    parts: dict[str, tuple[str, Rule]] = field(default_factory=dict)  # by name


@dataclass(frozen=True)
class Person:
    """A user, or nobody in particular; groups are looked up live, by the user's key."""

    user: UserLike
    groups: frozenset[str] = frozenset()

    @property
    def key(self) -> int | None:
        return self.user.pk


NOBODY_IN_PARTICULAR = Person(AnonymousUser())


class RuledSite:
    """A source of the name `memory` whose pages and members are two dictionaries."""

    name = "memory"
    pages: dict[str, RuledPage] = {}
    groups_of: dict[int, frozenset[str]] = {}

    def iter_refs(self) -> Iterator[SourceRef]:
        return (SourceRef(object_id) for object_id in sorted(self.pages))

    def load(self, object_ids: Collection[str]) -> Iterable[SourceDocument]:
        for object_id in object_ids:
            if object_id in self.pages:
                yield from documents(object_id, self.pages[object_id])

    def visible_ids(self, viewer, object_ids: Collection[str]) -> set[str]:
        user = viewer.user
        groups = self.groups_of.get(user.pk, frozenset())
        seen = set()
        for asked in object_ids:
            object_id, _, part = asked.partition("#")
            page = self.pages.get(object_id)
            if page is None or (part and part not in page.parts):
                continue
            rules = [page.rule, *([page.parts[part][1]] if part else [])]
            if all(_lets_in(rule, user, groups) for rule in rules):
                seen.add(asked)
        return seen


def _lets_in(rule: Rule, user: UserLike, groups: frozenset[str]) -> bool:
    return (
        rule.everyone
        or (rule.members and user.is_authenticated)
        or not rule.groups.isdisjoint(groups)
        or user.pk in rule.users
    )


def documents(object_id: str, page: RuledPage) -> Iterator[SourceDocument]:
    whole = SourceDocument(
        object_id=object_id,
        url=f"/pages/{object_id}/",
        name=page.name,
        language=page.language,
        schema_object={"@type": page.type, "name": page.name},
        sections=(Section(text=page.text),),
    )
    yield whole
    for part, (text, _rule) in page.parts.items():
        yield replace(whole, part=part, sections=(Section(text=text),))


@contextmanager
def ruled_site() -> Iterator[RuledSite]:
    """Register an empty site, and forget it again."""
    sources.register(RuledSite)
    RuledSite.pages, RuledSite.groups_of = {}, {}
    try:
        yield sources.get("memory")
    finally:
        sources.unregister("memory")


def refresh(object_ids: Iterable[str]) -> None:
    refresh_objects("memory", sorted(object_ids))


def random_people(chance: random.Random) -> list[Person]:
    """Return somebody who is not signed in, and members of some of the groups."""
    members = [
        Person(
            User(pk=number, username=f"member{number}"),
            frozenset(chance.sample(GROUPS, k=chance.randint(0, 2))),
        )
        for number in range(1, 6)
    ]
    return [NOBODY_IN_PARTICULAR, *members]


def random_rule(chance: random.Random) -> Rule:
    return chance.choice(
        [
            EVERYONE,
            EVERYONE,
            Rule(members=True),
            Rule(groups=frozenset(chance.sample(GROUPS, k=chance.randint(1, 2)))),
            Rule(users=frozenset({chance.randint(1, 5)})),
            NOBODY,
        ]
    )


def random_words(chance: random.Random, number: int) -> str:
    return " ".join(chance.choices(WORDS, k=number))


def random_page(chance: random.Random, rule: Rule) -> RuledPage:
    return RuledPage(
        name=random_words(chance, chance.randint(1, 3)),
        text=random_words(chance, chance.choice([0, 3, 20, 60])),
        rule=rule,
        type=chance.choice(["Article", "Article", "Recipe"]),
        language=chance.choice(["en", "en", "de"]),
    )
