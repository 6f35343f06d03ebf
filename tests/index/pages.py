"""Articles whose words tell which writing of them is in the index, and whether all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from nlweb_ask.conf import ProfileConf, RetrieverChoice, SiteConf
from nlweb_ask.index import reading
from nlweb_ask.index.merge import merge
from nlweb_ask.index.question_words import question_words
from nlweb_ask.index.reading import one_moment
from nlweb_ask.index.refresh import sweep
from nlweb_ask.index.search import search
from nlweb_ask.models import (
    Change,
    Document,
    IndexFailure,
    IndexState,
    Passage,
    Posting,
    Segment,
)
from nlweb_ask.pipeline.ask import AskScope
from nlweb_ask.plugins import Scope
from tests.asking import MEMBER, ask
from tests.testapp.models import Article

SOURCE: Final = "testapp.article"
TABLES: Final = (Document, Passage, IndexState, Segment, Posting, Change, IndexFailure)
PARTITIONS: Final = ("public", "restricted")
QUESTIONS: Final = ("kettle", "barge lantern", "ferry", "orchard kettle puncture")
# In the title, in the first passage and in the last.
PLACES: Final = ("title", "lead", "end")
FILLING: Final = "barge lantern orchard puncture ferry mortar saddle violet " * 25

KEPT = range(1, 3)
REWRITTEN = range(3, 6)
WITHDRAWN = range(6, 7)
OPENED = range(7, 8)
CLOSED = range(8, 9)
ADDED = range(9, 11)

Standing = frozenset[tuple[str, str]]  # writings found, each with its partition
OLD: Final[Standing] = frozenset({("old", "public")})
NEW: Final[Standing] = frozenset({("new", "public")})
OLD_HIDDEN: Final[Standing] = frozenset({("old", "restricted")})
NOWHERE: Final[Standing] = frozenset()
# What a page may be found as while the index follows the site.
WHOLE: Final[dict[int, tuple[Standing, ...]]] = {
    **dict.fromkeys(KEPT, (OLD,)),
    **dict.fromkeys(REWRITTEN, (OLD, NEW)),
    **dict.fromkeys(WITHDRAWN, (OLD, NOWHERE)),
    **dict.fromkeys(OPENED, (OLD_HIDDEN, OLD)),
    **dict.fromkeys(CLOSED, (OLD, OLD_HIDDEN)),
    **dict.fromkeys(ADDED, (NOWHERE, NEW)),
}


def mark(writing: str, place: str, number: int) -> str:
    return f"{writing}{place}{number}"


def text(writing: str, number: int) -> dict[str, str]:
    title, lead, end = (mark(writing, place, number) for place in PLACES)
    kettles = "kettle " * number
    return {
        "title": f"Kettle {title}",
        "lead": f"{lead} {kettles}",
        "body": f"{FILLING} {end}",
    }


def write(numbers: Iterable[int], writing: str = "old") -> None:
    """Put articles on the site; the index does not hear of it."""
    Article.objects.bulk_create(
        Article(pk=number, members_only=number in OPENED, **text(writing, number))
        for number in numbers
    )


def write_and_index() -> None:
    """Fill the site, and an index of two segments and some changes."""
    for numbers in (range(1, 4), range(4, 7), range(7, 9)):
        merge(0)
        write(numbers)
        sweep(SOURCE)


def change_unheard() -> None:
    """Change the site in every way; the index does not hear of it."""
    for number in REWRITTEN:
        Article.objects.filter(pk=number).update(**text("new", number))
    Article.objects.filter(pk__in=WITHDRAWN).update(status="draft")
    Article.objects.filter(pk__in=OPENED).update(members_only=False)
    Article.objects.filter(pk__in=CLOSED).update(members_only=True)
    write(ADDED, "new")


def not_whole() -> dict[int, dict[tuple[str, str], set[str]]]:
    """Return the pages that are found by a part of their words only, or as they never were."""
    found: dict[int, dict[tuple[str, str], set[str]]] = {}
    with one_moment():
        for number in WHOLE:
            found[number] = {}
            for writing in ("old", "new"):
                for partition in PARTITIONS:
                    places = _places(number, writing, partition)
                    if places:
                        found[number][writing, partition] = places
    return {
        number: parts
        for number, parts in found.items()
        if frozenset(parts) not in WHOLE[number]
        or any(places != {*PLACES} for places in parts.values())
    }


def _places(number: int, writing: str, partition: str) -> set[str]:
    return {
        place
        for place in PLACES
        if str(number) in _found(mark(writing, place, number), partition)
    }


def _found(asked: str, partition: str) -> dict[str, tuple[float, int | None]]:
    scope = Scope(site_id=0, partition=partition, sources=(SOURCE,))
    hits = search(question_words(asked, ["en"]), scope, 999)
    return {hit.object_id: (hit.score, hit.passage) for hit in hits}


def scores() -> list[Any]:
    """Return every page found, in order, with its exact score and best passage."""
    with one_moment():
        return [
            list(_found(asked, partition).items())
            for asked in QUESTIONS
            for partition in PARTITIONS
        ]


def answer(asked: str = QUESTIONS[0]) -> list[dict[str, Any]]:
    """Ask by the whole way, as a member."""
    profile = ProfileConf(
        name="default",
        sources=(SOURCE,),
        retrievers=(RetrieverChoice(name="keyword"),),
    )
    conf = SiteConf(site_id=0, base_url="https://site.example", max_results=50)
    return ask(asked, MEMBER, AskScope(conf=conf, profiles=(profile,))).items


def stored() -> dict[str, Any]:
    """Return the rows of all documents, without what differs from run to run."""
    rows = Document.objects.filter(source=SOURCE)
    shown = [
        field.attname
        for field in Document._meta.concrete_fields
        if field.name not in {"id", "refreshed_at"}
    ]
    return {
        row.object_id: (
            [getattr(row, name) for name in shown],
            list(row.passages.order_by("ordinal").values_list("ordinal", "text")),
        )
        for row in rows
    }


def orphans() -> dict[str, list[Any]]:
    """Return what is in one table and should then be in another one too."""
    snapshot = reading.current(0)
    living = set(snapshot.documents[snapshot.alive].tolist())
    rows = set(Document.objects.filter(indexed=True).values_list("pk", flat=True))
    segments = list(Segment.objects.values_list("pk", flat=True))
    documents = list(Document.objects.values_list("pk", flat=True))
    found = {
        "found without a row": sorted(living - rows),
        "a row that is not found": sorted(rows - living),
        "claimed and not written": list(Document.objects.filter(indexed=False)),
        "postings": list(Posting.objects.exclude(segment_id__in=segments)),
        "passages": list(Passage.objects.exclude(document_id__in=documents)),
    }
    return {what: which for what, which in found.items() if which}


def everything() -> tuple[list[Any], dict[str, Any]]:
    return scores(), stored()


def empty() -> None:
    for model in TABLES:
        model.objects.all().delete()
    reading.forget()


def fresh() -> tuple[list[Any], dict[str, Any]]:
    """Return what an index written anew would be, in place of the one there is."""
    empty()
    sweep(SOURCE)
    return everything()


def keep() -> Callable[[], None]:
    """Return what puts the tables of the index back as they are now."""
    rows = {model: list(model.objects.all()) for model in TABLES}

    def put_back() -> None:
        empty()
        for model in TABLES:
            model.objects.bulk_create(rows[model])

    return put_back
