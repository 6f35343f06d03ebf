"""Random sites, callers and questions: the answer is that of a search done by hand.

By hand: every page of the index is scored, those that the caller may not see are struck
out, and the rest is put in order and cut. `PROVE_DUELS=10000` has that many of them.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace

import pytest
from django.contrib.auth.models import User

from nlweb_ask.index.merge import merge
from nlweb_ask.index.reading import one_moment
from nlweb_ask.models import Document
from nlweb_ask.plugins import Question, Scope
from nlweb_ask.protocol.question import Limits
from nlweb_ask.retrievers.bm25 import Bm25Retriever
from nlweb_ask.retrievers.keyword import KeywordRetriever
from tests.asking import ask, make_scope
from tests.rights.random_sites import (
    NOBODY,
    WORDS,
    Person,
    Rule,
    RuledSite,
    random_page,
    random_people,
    random_rule,
    random_words,
    refresh,
    ruled_site,
)

IN_CI = "500" if os.environ.get("DATABASE", "sqlite") == "sqlite" else "50"
DUELS = int(os.environ.get("PROVE_DUELS", IN_CI))
DUELS_A_SITE = 10
TESTS = 10  # so that one that fails does not hide the others
EACH = -(-DUELS // TESTS)
EVERYTHING = 10**6
CAP = 100  # results; more than the documents of any of these sites

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


def random_site(chance: random.Random, people: list[Person], *, parts: bool) -> None:
    """Write a site, close some of its pages unseen, and merge or not."""
    RuledSite.groups_of = {p.key: p.groups for p in people if p.key is not None}
    RuledSite.pages = {}
    for number in range(chance.randint(3, 30)):
        page = random_page(chance, random_rule(chance))
        for part in "ab"[: chance.randint(0, 2) if parts else 0]:
            page.parts[part] = (random_words(chance, 20), random_rule(chance))
        RuledSite.pages[f"p{number}"] = page
    refresh(RuledSite.pages.keys() | stored())
    if chance.random() < 0.7:
        merge(0, fold=chance.random() < 0.5)
    for object_id in chance.sample(sorted(RuledSite.pages), k=chance.randint(0, 2)):
        page = RuledSite.pages[object_id]
        RuledSite.pages[object_id] = replace(page, rule=NOBODY)


def stored() -> set[str]:
    return set(Document.objects.values_list("object_id", flat=True))


def random_question(chance: random.Random) -> Question:
    limits = Limits(
        max_results=chance.choice([None, 1, 2, 5, 10]),
        offset=chance.choice([0, 0, 1, 3, 10]),
        min_score=chance.choice([None, None, 30.0]),
        num_results=chance.choice([None, None, 4]),
    )
    return Question(
        text=random_words(chance, chance.randint(1, 4)),
        language=chance.choice([None, None, "de"]),
        limits=limits,
    )


def may_see(person: Person, object_id: str, part: str) -> bool:
    page = RuledSite.pages[object_id]
    if part and not admits(page.parts[part][1], person):
        return False
    return admits(page.rule, person)


def admits(rule: Rule, person: Person) -> bool:
    if rule.everyone:
        return True
    if person.key is None:
        return False
    return rule.members or bool(rule.groups & person.groups) or person.key in rule.users


def by_hand(retriever, question: Question, person: Person) -> dict[str, float]:
    """Return the score of each page that this person may see, best first."""
    found: dict[str, list[tuple[float, float]]] = {}
    for partition in ("public", "restricted"):
        scope = Scope(
            site_id=0,
            partition=partition,
            sources=("memory",),
            languages=(question.language,) if question.language else (),
        )
        for hit in retriever.retrieve(question, scope, limit=EVERYTHING):
            if may_see(person, hit.object_id, hit.part):
                found.setdefault(hit.object_id, []).append((hit.score, hit.whole))
    pages = {
        object_id: max(score - whole for score, whole in parts)
        + sum(whole for _score, whole in parts)
        for object_id, parts in found.items()
    }
    best = max(pages.values(), default=1.0)
    shares = {object_id: score / best for object_id, score in pages.items()}
    order = sorted(shares, key=lambda page: (-round(shares[page], 9), page))
    return {page: shares[page] for page in order}


def shown(answer) -> list[tuple[str, float]]:
    return [(item["url"].split("/")[-2], item["score"]) for item in answer.items]


def expected(scores: dict[str, float], limits: Limits) -> list[tuple[str, float]]:
    told = [(page, round(100 * share, 2)) for page, share in scores.items()]
    told = told[: limits.num_results]
    told = [pair for pair in told if pair[1] >= (limits.min_score or 0)]
    number = limits.max_results or CAP
    return told[limits.offset : limits.offset + number]


@pytest.mark.parametrize("seed", range(TESTS))
def test_the_answer_is_that_of_a_search_done_by_hand(seed, tally):
    parts = seed % 2 == 1
    chance = random.Random(f"duel {seed}")
    with ruled_site():
        for duel in range(EACH):
            if duel % DUELS_A_SITE == 0:
                people = random_people(chance)
                random_site(chance, people, parts=parts)
            question = random_question(chance)
            assert_equal_by_hand(question, chance.choice(people), (seed, duel))
            tally["duels"] += 1


def assert_equal_by_hand(question: Question, person: Person, duel: object) -> None:
    with one_moment():
        scores = by_hand(KeywordRetriever(), question, person)
        from_memory = by_hand(Bm25Retriever(), question, person)
    answer = ask(
        question.text,
        person.user,
        make_scope(max_results=CAP),
        language=question.language,
        limits=question.limits,
    )
    assert answer.failure is None, duel
    assert shown(answer) == expected(scores, question.limits), duel
    assert from_memory == pytest.approx(scores, abs=1e-6), duel


def test_a_caller_who_is_shown_more_loses_the_duel(monkeypatch):
    chance = random.Random(1)
    with ruled_site():
        random_site(chance, random_people(chance), parts=False)
        monkeypatch.setattr(RuledSite, "visible_ids", lambda self, viewer, ids: {*ids})
        member = Person(User(pk=9, username="member"))
        question = Question(text=" ".join(WORDS[:4]))
        with pytest.raises(AssertionError):
            assert_equal_by_hand(question, member, "leak")
