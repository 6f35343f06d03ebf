"""Twins: a site, and the same one on which pages were hidden, moved or taken away.

Whoever may not see these gets the same bytes from both, whatever the pages went through.
`PROVE_TWINS=2000` has that many pairs.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from nlweb_ask.index.merge import merge
from nlweb_ask.index.refresh import sweep
from nlweb_ask.models import Document
from nlweb_ask.pipeline import permit
from nlweb_ask.plugins import Candidate, Question, Viewer, retrievers
from nlweb_ask.protocol.question import Limits
from tests.asking import ask, make_scope
from tests.rights.random_sites import (
    EVERYONE,
    NOBODY_IN_PARTICULAR,
    WORDS,
    Person,
    Rule,
    RuledPage,
    RuledSite,
    random_page,
    random_words,
    refresh,
    ruled_site,
)
from tests.rights.sent import sent

pytestmark = [pytest.mark.django_db, pytest.mark.servers]

IN_CI = "200" if os.environ.get("DATABASE", "sqlite") == "sqlite" else "48"
TWINS = int(os.environ.get("PROVE_TWINS", IN_CI))
MEMBER = Person(User(pk=1, username="member"), frozenset({"bakers"}))
OTHERS = Rule(groups=frozenset({"smiths"}), users=frozenset({2}))
# What the member may see, and no anonymous visitor.
FOR_MEMBERS = (
    Rule(members=True),
    Rule(groups=frozenset({"bakers", "smiths"})),
    Rule(users=frozenset({1})),
)
HIDDEN = (1, 0, 1, 50, 1)
# Of the whole list its best, some in its midst, and what is behind the ninth.
PAGES = (Limits(max_results=1), Limits(max_results=3, offset=2), Limits(offset=9))


def answers(person: Person, questions: Sequence[Question]) -> list[tuple[bytes, bytes]]:
    """Ask for the whole lists, and in turn for each page of them."""
    return [
        sent(
            ask(
                question.text,
                person.user,
                limits=limits,
                item_type=question.item_type,
                language=question.language,
            )
        )
        for number, question in enumerate(questions)
        for limits in (Limits(), PAGES[number % len(PAGES)])
    ]


def random_questions(chance: random.Random) -> list[Question]:
    return [
        Question(text=random_words(chance, 1)),
        Question(text=random_words(chance, 3)),
        Question(text=random_words(chance, 2), item_type="Recipe"),
    ]


def hidden_page(chance: random.Random, questions: Sequence[Question]) -> RuledPage:
    """Return a page that would be the first of every list, if it were on one."""
    page = random_page(chance, OTHERS)
    asked = " ".join(question.text for question in questions)
    return replace(page, name=asked, text=f"{asked} {page.text} kettles")


def write(pages: dict[str, RuledPage]) -> None:
    RuledSite.pages.update(pages)
    refresh(pages)


def with_rule(pages: dict[str, RuledPage], rule: Rule) -> dict[str, RuledPage]:
    return {object_id: replace(page, rule=rule) for object_id, page in pages.items()}


# What hidden pages may have gone through. Each of these leaves them hidden, or gone.

History = Callable[[dict[str, RuledPage]], None]


def written(pages: dict[str, RuledPage]) -> None:
    write(pages)


def restricted(pages: dict[str, RuledPage]) -> None:
    write(with_rule(pages, EVERYONE))
    write(pages)


def opened_and_closed(pages: dict[str, RuledPage]) -> None:
    write(pages)
    write(with_rule(pages, EVERYONE))
    merge(0)
    write(pages)


def moved(pages: dict[str, RuledPage]) -> None:
    """As below another parent, or another address: another object, closed at once."""
    write(with_rule({f"old-{name}": page for name, page in pages.items()}, EVERYONE))
    for name in pages:
        del RuledSite.pages[f"old-{name}"]
    RuledSite.pages.update(pages)
    sweep("memory")


def expired(pages: dict[str, RuledPage]) -> None:
    """As by the clock: no save, and the next sweep finds it."""
    write(with_rule(pages, EVERYONE))
    RuledSite.pages.update(pages)
    sweep("memory", changed_only=True)


def deleted(pages: dict[str, RuledPage]) -> None:
    write(with_rule(pages, EVERYONE))
    for name in pages:
        del RuledSite.pages[name]
    refresh(pages)


def added_as_parts(pages: dict[str, RuledPage]) -> None:
    """Each hidden page is a part of one that can be seen, with a rule of its own."""
    hosts = [name for name in sorted(RuledSite.pages) if name.startswith("v")]
    for number, (name, page) in enumerate(pages.items()):
        host = hosts[number % len(hosts)]
        parts = {**RuledSite.pages[host].parts, name: (page.text, page.rule)}
        RuledSite.pages[host] = replace(RuledSite.pages[host], parts=parts)
    refresh(hosts)


def seen_until_a_group_was_left(pages: dict[str, RuledPage]) -> None:
    RuledSite.groups_of = {1: MEMBER.groups | {"smiths"}}
    write(pages)
    ask("kettle", MEMBER.user)
    RuledSite.groups_of = {1: MEMBER.groups}


HISTORIES: tuple[History, ...] = (
    written,
    restricted,
    opened_and_closed,
    moved,
    expired,
    deleted,
    added_as_parts,
    seen_until_a_group_was_left,
)
VIEWERS = {"anonymous": NOBODY_IN_PARTICULAR, "member": MEMBER}
EACH = -(-TWINS // (len(HISTORIES) * len(VIEWERS)))


def visible_pages(chance: random.Random, person: Person) -> dict[str, RuledPage]:
    rules = [EVERYONE, EVERYONE, *(FOR_MEMBERS if person is MEMBER else ())]
    return {
        f"v{number}": random_page(chance, chance.choice(rules))
        for number in range(chance.randint(4, 14))
    }


@pytest.fixture(params=VIEWERS.values(), ids=VIEWERS)
def person(request):
    return request.param


@pytest.fixture
def ruled():
    with ruled_site() as site:
        RuledSite.groups_of = {1: MEMBER.groups}
        yield site


@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: history.__name__)
def test_twins_give_the_same_bytes(ruled, person, history, tally):
    for pair in range(EACH):
        chance = random.Random(f"{history.__name__} {pair}")
        questions = random_questions(chance)
        RuledSite.pages = visible_pages(chance, person)
        refresh({*RuledSite.pages, *stored()})
        if chance.random() < 0.5:
            merge(0)
        alone = answers(person, questions)
        hidden = {
            f"h{number}": hidden_page(chance, questions)
            for number in range(HIDDEN[pair % len(HIDDEN)])
        }
        history(hidden)
        assert answers(person, questions) == alone, pair
        merge(0, fold=chance.random() < 0.5)
        assert answers(person, questions) == alone, pair
        tally["twins"] += 1


def stored() -> set[str]:
    return set(Document.objects.values_list("object_id", flat=True))


def test_a_page_that_is_not_hidden_makes_a_difference(ruled, person):
    chance = random.Random(1)
    questions = random_questions(chance)
    write(visible_pages(chance, person))
    alone = answers(person, questions)
    page = replace(hidden_page(chance, questions), rule=EVERYONE)
    write({"h": page})
    with_it = answers(person, questions)
    whole_lists = slice(None, None, 2)
    for one, other in zip(with_it[whole_lists], alone[whole_lists], strict=True):
        assert one != other


def queries(person: Person, questions: Sequence[Question]) -> int:
    answers(person, questions)  # warm
    with CaptureQueriesContext(connection) as captured:
        answers(person, questions)
    return len(captured)


def test_5000_hidden_pages_above_the_first_show_in_no_byte(ruled):
    """And cost an anonymous question no query."""
    chance = random.Random(2)
    questions = random_questions(chance)
    parts = {"minutes": (" ".join(WORDS), FOR_MEMBERS[0])}
    shown = visible_pages(chance, MEMBER)
    write({name: replace(page, parts=parts) for name, page in shown.items()})
    merge(0)
    alone = [answers(person, questions) for person in VIEWERS.values()]
    asked = queries(NOBODY_IN_PARTICULAR, questions)
    page = hidden_page(chance, questions)
    write({f"h{number}": page for number in range(5000)})
    merge(0)
    assert [answers(person, questions) for person in VIEWERS.values()] == alone
    assert queries(NOBODY_IN_PARTICULAR, questions) == asked


def test_parts_that_stand_behind_many_hidden_pages_count_all_the_same(
    ruled, monkeypatch
):
    monkeypatch.setattr(permit, "RESTRICTED_WINDOW", 20)
    questions = [Question(text="kettle")]
    weak = {"minutes": ("kettle " + random_words(random.Random(3), 90), FOR_MEMBERS[0])}
    page = RuledPage("kettle kettle", "kettle " * 9, FOR_MEMBERS[0], parts=weak)
    single = replace(page, parts={})
    write({f"v{n}": page if n % 2 else single for n in range(14)})
    alone = answers(MEMBER, questions)
    write({f"h{n}": RuledPage("kettle", "kettle", OTHERS) for n in range(60)})
    assert answers(MEMBER, questions) == alone


class Hidden:
    """A retriever that finds hidden pages, and of the others the last ones."""

    name = "hidden"

    def retrieve(self, question, scope, *, limit):
        found = [
            Candidate(source="memory", object_id=name, language="en", score=score)
            for name in sorted(RuledSite.pages, reverse=True)
            for score in [9.0 if name.startswith("h") else float(name[1:])]
        ]
        found.sort(key=lambda hit: -hit.score)
        return found[:limit] if scope.partition == "public" else []


@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_hidden_hits_in_one_of_two_lists_move_no_other(ruled, person, fusion):
    scope = make_scope("keyword", "hidden", fusion=fusion)

    def asked() -> list[tuple[bytes, bytes]]:
        return [
            sent(ask("kettle barge", person.user, scope, limits=limits))
            for limits in (Limits(), *PAGES)
        ]

    write(
        {f"v{n}": RuledPage(f"Page {n}", "kettle barge " * (n + 1)) for n in range(8)}
    )
    retrievers.register(Hidden)
    try:
        alone = asked()
        words = "unlike all others"
        write({f"h{n}": RuledPage("Hidden", words, OTHERS) for n in range(120)})
        assert asked() == alone
    finally:
        retrievers.unregister("hidden")


@pytest.mark.parametrize(
    ("hidden", "question"),
    [
        pytest.param(
            RuledPage("kettle", "kettle", OTHERS), Question(text="kettle"), id="tie"
        ),
        pytest.param(
            RuledPage("kettle kettle", "kettle " * 9, OTHERS),
            Question(text="kettle"),
            id="best-hit",
        ),
        pytest.param(
            RuledPage("kettle", "kettle", OTHERS, type="Recipe"),
            Question(text="kettle", item_type="Recipe"),
            id="only-one-of-its-type",
        ),
        pytest.param(
            RuledPage("kettle", "kettle", OTHERS, language="de"),
            Question(text="kettle", language="de"),
            id="only-one-in-its-language",
        ),
        pytest.param(
            RuledPage("kettel", "kettel ketles", OTHERS),
            Question(text="kettel ketle"),
            id="only-one-with-the-mistyped-word",
        ),
        pytest.param(
            RuledPage("kettle", "kettle barge lantern moss", OTHERS),
            Question(text="kettle barge lantern moss"),
            id="only-one-with-enough-of-the-question",
        ),
        pytest.param(
            RuledPage("sextant", "sextant", OTHERS),
            Question(text="sextant kettle"),
            id="only-one-with-the-word",
        ),
        pytest.param(
            RuledPage("the", "the of and", OTHERS),
            Question(text="the of"),
            id="only-one-with-stop-words",
        ),
    ],
)
def test_the_one_page_that_would_matter_does_not_when_it_is_hidden(
    ruled, person, hidden, question
):
    write(
        {
            "a": RuledPage("kettle", "kettle"),
            "b": RuledPage("kettle", "kettle"),
            "c": RuledPage("Pumpkin", "A barge and a kettle."),
            "d": RuledPage("Lantern", "moss on a lantern"),
        }
    )
    alone = answers(person, [question])
    write({"0": hidden, "bb": hidden, "z": hidden})
    assert answers(person, [question]) == alone
    write(with_rule({"z": hidden}, EVERYONE))
    assert answers(person, [question]) != alone


def test_the_member_sees_what_the_rules_say():
    with ruled_site() as site:
        RuledSite.groups_of = {1: MEMBER.groups}
        rules = [EVERYONE, *FOR_MEMBERS, OTHERS]
        RuledSite.pages = {str(n): RuledPage("x", rule=r) for n, r in enumerate(rules)}
        seen = site.visible_ids(Viewer(user=MEMBER.user), RuledSite.pages)
    assert seen == {"0", "1", "2", "3"}
