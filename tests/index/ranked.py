"""Print what a random site gives, to the last bit, on the database that DATABASE names.

It makes a test database of its own and takes it away again.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

SEED = 20
PAGES = 60
QUESTIONS = 30
WORDS = (
    "kettle barge lantern orchard ferry mortar harbour ledger pumpkin thistle copper "
    "moss the of Brücke Fähren schönen café cafe CAFÉ kilnfiring kiln-firing C++ C# "
    "node.js HX-42 3.2.1 水族館 九時 도서관 كتاب İzmir IĞDIR straße"
).split()


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from django.db import connection

    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        json.dump([connection.vendor, written_and_asked()], sys.stdout)
    finally:
        connection.creation.destroy_test_db("unused", verbosity=0)


def written_and_asked() -> list[object]:
    from nlweb_ask.index import reading
    from nlweb_ask.index.merge import merge
    from tests.site_in_memory import site_in_memory

    chance = random.Random(SEED)
    with site_in_memory():
        write(chance)
        merge(0)
        write(chance)  # left to be merged
        asked = [text(chance, chance.choice([1, 2, 5])) for _ in range(QUESTIONS)]
        warm = [found(each) for each in asked]
        reading.forget()
        assert [found(each) for each in asked] == warm
        merge(0, fold=True)
        assert [found(each) for each in asked] == warm
        return warm


def text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def write(chance: random.Random) -> None:
    """Save and delete pages, many more than once."""
    from tests.site_in_memory import delete, save

    for _ in range(PAGES):
        page = f"p{chance.randrange(PAGES)}"
        if chance.random() < 0.1:
            delete(page)
            continue
        save(
            page,
            text(chance, chance.choice([1, 3, 8])),
            text(chance, chance.choice([0, 4, 40, 500])),
            readers=chance.choice(["everyone", "everyone", "members"]),
            language=chance.choice(["en", "de", "ja", "tr", ""]),
            type=chance.choice(["Article", "Recipe"]),
            parts={text(chance, 2): text(chance, 30)},
        )


def found(asked: str) -> list[object]:
    """Return all pages in order with their exact scores, and what a member is shown."""
    from nlweb_ask.plugins import Question, Scope
    from nlweb_ask.retrievers.keyword import KeywordRetriever
    from tests.asking import MEMBER, ask

    hits = [
        [*hit.reference, repr(hit.score), hit.passage, repr(hit.whole)]
        for partition in ("public", "restricted")
        for hit in KeywordRetriever().retrieve(
            Question(text=asked), Scope(site_id=0, partition=partition), limit=1000
        )
    ]
    return [asked, hits, ask(asked, MEMBER).items]


if __name__ == "__main__":
    main()
