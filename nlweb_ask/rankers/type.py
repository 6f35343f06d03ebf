"""`type`: pages of the type that the question names come before others as good."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from nlweb_ask.index.analysis import analyze
from nlweb_ask.index.letters import fold
from nlweb_ask.index.words import plain_words
from nlweb_ask.plugins import Question, Result

# How much more the score of a page of the named type counts: a page that fits the words
# half again as well stays before it.
LIFT: Final = 1.5

# What people call pages of a type where it is not the type's own name. Types stand by
# their last word, which their kinds share: a MusicEvent is an Event.
_CALLED: Final[Mapping[str, str]] = {
    "recipe": "recipes cook bake rezept rezepte kochrezept recette recettes",
    "event": "events concert concerts veranstaltung veranstaltungen termin termine "
    "konzert konzerte événement événements spectacle spectacles",
    "blog": "blogs post posts beitrag beiträge blogbeitrag billet",
    "article": "articles news artikel nachricht nachrichten actualité actualités",
    "course": "courses class classes kurs kurse cours formation formations",
    "person": "people who whom wer personen personne personnes",
    "product": "products produkt produkte produit produits",
    "book": "books buch bücher livre livres",
    "video": "videos film films movie movies vidéo vidéos",
    "movie": "movies film films filme",
    "hotel": "hotels hôtel hôtels",
    "restaurant": "restaurants",
    "job": "jobs vacancy vacancies stelle stellen stellenangebot stellenangebote emploi "
    "emplois",
    "review": "reviews bewertung bewertungen avis critique critiques",
    "faq": "faqs",
    "museum": "museums museen musée musées",
    "organization": "organizations organisation organisations verein vereine association "
    "associations",
    "place": "places ort orte lieu lieux",
    "service": "services dienst dienste dienstleistung dienstleistungen",
    "dataset": "datasets datensatz datensätze",
    "podcast": "podcasts",
    "reference": "references referenz référence",
}
_NAME_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Words at the end of a type that say nothing of it: FAQPage, JobPosting, VideoObject.
_HOLLOW: Final = frozenset(("page", "posting", "object", "site", "thing", "work"))
_HOW_TO: Final = "howto"


class TypeRanker:
    """Orders by score, that of pages whose type is named lifted; ties keep their order."""

    name = "type"

    def rank(self, question: Question, results: Sequence[Result]) -> Sequence[Result]:
        named = _named(question.search_text)
        of_type = [_is_named(result.types, named) for result in results]
        if all(of_type) or not any(of_type):
            return results

        def lifted(place: int) -> float:
            return results[place].score * (LIFT if of_type[place] else 1.0)

        order = sorted(range(len(results)), key=lifted, reverse=True)
        return [results[place] for place in order]


def _named(text: str) -> frozenset[str]:
    """Return the words of a question, and what they call types by."""
    words = {fold(word) for word in plain_words(text)}
    called = {kind for word in words for kind in _KINDS.get(word, ())}
    if "how to" in text.casefold():
        called.add(_HOW_TO)
    return frozenset(words | called | set(analyze(text, "en")))


def _is_named(types: Sequence[str], named: Set[str]) -> bool:
    return any(not named.isdisjoint(_names(name)) for name in types)


def _names(schema_type: str) -> Iterator[str]:
    """Yield the words that stand for a type: its last one, or the one before a hollow one.

    Of WebPage and CreativeWork nothing is left: every page is one.
    """
    parts = [part.casefold() for part in _NAME_PARTS.findall(schema_type)]
    last = parts[-1] if parts else ""
    if "".join(parts) == _HOW_TO:
        yield _HOW_TO
    elif last not in _HOLLOW:
        yield from filter(None, (last, *analyze(last, "en")))
    elif len(parts) > 1 and parts[-2] not in _EVERY:
        yield parts[-2]


_EVERY: Final = frozenset(("web", "item", "creative", "media", "social"))


def _by_word() -> dict[str, set[str]]:
    kinds: dict[str, set[str]] = {}
    for kind, words in _CALLED.items():
        for word in words.split():
            kinds.setdefault(fold(word), set()).add(kind)
    return kinds


_KINDS: Final = _by_word()
