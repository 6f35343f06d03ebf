"""Pages that another engine found, scored as `nlweb_ask.index.search` would score them.

The engine is asked for one block of hits after the other, always the same blocks, until
enough pages of the scope are found. So a larger limit only appends.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.db import DatabaseError

from nlweb_ask.index.reading import current, read_alias
from nlweb_ask.index.search import (
    SCORE_DIGITS,
    Scored,
    candidates_of,
    eligible_pages,
    scored,
    words_of,
)
from nlweb_ask.index.snapshot import Snapshot
from nlweb_ask.models import Document
from nlweb_ask.plugins import Candidate, IndexUnavailable, Question, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]

# Each begins where its own length ends, since some engines can only turn whole pages.
BLOCKS: Final = ((0, 100), (100, 200), (200, 400), (400, 800), (800, 1600))
# What only the engine's own rules find begins at half of what the least other page has.
FOUND_OTHERWISE: Final = 0.5
HALVED_AFTER: Final = 100


class Hit(NamedTuple):
    """What an engine knows of a page; its language and its parts are looked up here."""

    source: str
    object_id: str


# Called with the first hit wanted and the one after the last; none = there are no more.
Engine = Callable[[int, int], Sequence[Hit]]


def literal_words(question: Question, scope: Scope) -> list[str]:
    """Return the words to ask an engine for, each once, in lower case.

    They hold letters, marks and digits only: nothing that any engine reads as syntax.
    Stop words are left out, and mistyped words come with what may be meant.
    """
    corrected = question.corrected_text
    asked = [question]
    if corrected:
        asked.append(replace(question, decontextualized_query=corrected))
    texts = (word.text for each in asked for word in words_of(each, scope))
    return list(dict.fromkeys(word for text in texts for word in _plain(text)))


def _plain(text: str) -> Sequence[str]:
    signs = (
        sign if unicodedata.category(sign)[0] in "LMN" else " " for sign in text.lower()
    )
    return "".join(signs).split()


def rescored(
    question: Question, scope: Scope, engine: Engine, limit: int
) -> list[Candidate]:
    """Return the pages of the scope that `engine` finds, best first by our scores.

    A later block is never put before an earlier one. A page that the engine finds by
    rules of its own, such as synonyms, comes after those of its block that have a word
    of the question. What is not indexed here, or holds too little of the question, is
    left out.

    Raises:
        IndexUnavailable: When our index cannot be read.
    """
    words = words_of(question, scope)
    if not words or limit < 1:
        return []
    scores = scored(words, scope.site_id)
    eligible = eligible_pages(scores.snapshot, scope)
    if not eligible.any():
        return []
    found: dict[Any, Candidate] = {}
    ceiling = math.inf
    for hits in _blocks(engine):
        best = _best(hits, scores, eligible, scope.site_id)
        block = [each for each in best if each.reference not in found]
        found |= {each.reference: _capped(each, ceiling) for each in block}
        if len(found) >= limit:
            break
        ceiling = min((each.score for each in found.values()), default=math.inf)
    return list(found.values())[:limit]


def _blocks(engine: Engine) -> Iterator[Sequence[Hit]]:
    for start, stop in BLOCKS:
        hits = engine(start, stop)
        if not hits:
            return
        yield hits


def _capped(candidate: Candidate, ceiling: float) -> Candidate:
    if candidate.score <= ceiling:
        return candidate
    share = ceiling / candidate.score
    return replace(candidate, score=ceiling, whole=candidate.whole * share)


def _best(
    hits: Sequence[Hit], found: Scored, eligible: Bools, site_id: int
) -> list[Candidate]:
    """Return the pages of the scope among `hits`, best first."""
    import numpy as np

    numbers = _numbers(hits, found.snapshot, eligible, site_id)
    if not numbers:
        return []
    totals = found.totals(np.array(numbers)).tolist()
    candidates = candidates_of(
        found,
        [
            (number, round(total, SCORE_DIGITS))
            for number, total in zip(numbers, totals, strict=True)
        ],
    )
    enough = found.coverage.enough(numbers)
    ours = [
        each
        for each, holds in zip(candidates, enough, strict=True)
        if holds and each.score > 0
    ]
    others = [each for each in candidates if each.score <= 0]
    least = min((each.score for each in ours), default=1.0)
    ours.sort(key=lambda each: (-each.score, each.reference))
    return [*ours, *_below(others, least)]


def _numbers(
    hits: Sequence[Hit], snapshot: Snapshot, eligible: Bools, site_id: int
) -> list[int]:
    """Return the numbers of the pages of `hits`, in their order."""
    import numpy as np

    places = _documents(hits, site_id)
    documents = snapshot.documents
    mine = np.isin(documents, list(places)) & eligible
    numbers = [int(number) for number in np.flatnonzero(mine)]
    return sorted(numbers, key=lambda n: (places[int(documents[n])], n))


def _documents(hits: Sequence[Hit], site_id: int) -> dict[int, int]:
    """Return the ids of the documents that we have of `hits`, with their places."""
    places = {hit: place for place, hit in reversed(list(enumerate(hits)))}
    by_source: dict[str, list[str]] = {}
    for hit in places:
        by_source.setdefault(hit.source, []).append(hit.object_id)
    documents = Document.objects.using(read_alias()).filter(site_id=site_id)
    found: dict[int, int] = {}
    try:
        for source, object_ids in by_source.items():
            rows = documents.filter(source=source, object_id__in=object_ids)
            for pk, object_id in rows.values_list("pk", "object_id"):
                place = places.get(Hit(source, object_id))
                if place is not None:  # a collation may hold ids equal that are not
                    found[pk] = place
    except DatabaseError as error:
        msg = "The search index could not be read."
        raise IndexUnavailable(msg) from error
    return found


def _below(others: Iterable[Candidate], least: float) -> list[Candidate]:
    """Give pages scores below `least`, falling in their order."""
    return [
        replace(each, score=least * FOUND_OTHERWISE / (1.0 + place / HALVED_AFTER))
        for place, each in enumerate(others)
    ]


def language_tags(scope: Scope) -> Sequence[str]:
    """Return the languages that an answer may be in; the site's public ones for any."""
    return scope.languages or current(scope.site_id).languages
