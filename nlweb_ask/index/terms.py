"""From the words of one page to its postings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Generic, NamedTuple, TypeVar

from nlweb_ask.index.analysis import KEY_SIZE, analyze_to_keys, analyze_with_forms
from nlweb_ask.index.passages import CutPassage
from nlweb_ask.index.postings import (
    MAX_FREQUENCY,
    Columns,
    Field,
    Label,
    PageKey,
    Pages,
    Triples,
)
from nlweb_ask.index.properties import property_text
from nlweb_ask.plugins import SourceDocument

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Analysed(Generic[_T]):
    """The terms of a page, field by field, in reading order and with repeats."""

    title: _T
    properties: _T
    page: _T
    forms: _T  # of the page's words, for spelling alone
    passages: Sequence[tuple[_T, _T]]  # (heading, text)

    def occurrences(self) -> Iterator[tuple[Field, int, _T]]:
        """Yield the terms of each field with the number they stand at, ascending."""
        yield Field.TITLE, 0, self.title
        yield Field.PROPERTIES, 0, self.properties
        yield Field.PAGE, 0, self.page
        for number, (heading, _text) in enumerate(self.passages):
            yield Field.HEADING, number, heading
        for number, (_heading, text) in enumerate(self.passages):
            yield Field.TEXT, number, text


AnalysedPage = Analysed[list[str]]


def analyse_page(
    *,
    name: str,
    abstract: str,
    schema_object: Mapping[str, object],
    passages: Sequence[tuple[str, str]],  # (heading, text)
    language: str,
) -> AnalysedPage:
    """Analyse the words of a page; `page` is the sum of all its other fields."""
    words = _Words(name, abstract, property_text(schema_object), passages)

    def terms_of(text: str) -> tuple[list[str], list[str]]:
        terms, forms = analyze_with_forms(text, language)
        return terms, sorted(forms)

    return _analysed(words, terms_of, lambda parts: list(chain.from_iterable(parts)))


class _Words(NamedTuple):
    """The texts of a page, field by field."""

    name: str
    abstract: str
    properties: str
    passages: Sequence[tuple[str, str]]  # (heading, text)


def _analysed(
    words: _Words,
    terms_of: Callable[[str], tuple[_T, _T]],
    join: Callable[[Iterable[_T]], _T],
) -> Analysed[_T]:
    title, abstract, properties = map(terms_of, words[:3])
    passages = [(terms_of(heading), terms_of(text)) for heading, text in words.passages]
    all_of = [title, abstract, *chain.from_iterable(passages), properties]
    return Analysed(
        title=title[0],
        properties=properties[0],
        page=join(terms for terms, _forms in all_of),
        forms=join(forms for _terms, forms in all_of),
        passages=[(heading[0], text[0]) for heading, text in passages],
    )


def page_blob_parts(
    document: SourceDocument,
    cut: Sequence[CutPassage],
    *,
    source: str,
    document_id: int,
    public: bool,
    types: tuple[str, ...],
) -> tuple[Columns, Triples]:
    """Return the columns and postings of one page, as a change row keeps them."""
    words = _Words(
        document.name,
        document.abstract,
        property_text(document.schema_object),
        [(passage.heading, passage.text) for passage in cut],
    )
    language = document.language
    analysed = _analysed(words, lambda t: analyze_to_keys(t, language), b"".join)
    label = Label(source, document.language, types, document.version)
    key = PageKey(document.object_id, document.part, document.group)
    return _columns(analysed, label, key, document_id, public), _triples(analysed)


def _columns(
    analysed: Analysed[bytes],
    label: Label,
    key: PageKey,
    document_id: int,
    public: bool,
) -> Columns:
    import numpy as np

    none = np.zeros(0, "<i8")
    of_page = (analysed.title, analysed.properties, analysed.page)
    pages = Pages(
        documents=np.array([document_id], "<i8"),
        labels=np.zeros(1, "<u4"),
        label_table=[label],
        keys=[key],
        public=np.array([public]),
        page_lengths=np.array([[len(keys) // KEY_SIZE for keys in of_page]], "<u4"),
        first=np.array([0, len(analysed.passages)], "<u4"),
        passage_lengths=np.array(
            [
                (len(heading) // KEY_SIZE, len(text) // KEY_SIZE)
                for heading, text in analysed.passages
            ],
            "<u4",
        ).reshape(-1, 2),
    )
    return Columns(pages, withdrawn=none, opened=none, closed=none)


def _triples(analysed: Analysed[bytes]) -> Triples:
    """Count the terms at each place; a form once, which is no word that is searched for."""
    import numpy as np

    # Not counted in the length of the page, which no question can tell them from.
    found = [(Field.PAGE, 0, analysed.forms), *analysed.occurrences()]
    places = np.array([(field, number) for field, number, _ in found], "<u4")
    sizes = [len(keys) // KEY_SIZE for _, _, keys in found]
    terms = np.frombuffer(b"".join([keys for _, _, keys in found]), "<i8")
    # Within a term the fields and numbers ascend already.
    order = np.argsort(terms, kind="stable")
    terms = terms[order]
    place = np.repeat(np.arange(len(found)), sizes)[order]
    is_first = np.ones(len(terms), bool)
    is_first[1:] = (terms[1:] != terms[:-1]) | (place[1:] != place[:-1])
    first = np.flatnonzero(is_first)
    counts = np.diff(first, append=len(terms))
    place = place[first]
    counts[place == 0] = 1
    return Triples(
        terms[first],
        places[place, 0].astype("|u1"),
        places[place, 1],
        np.minimum(counts, MAX_FREQUENCY).astype("<u2"),
    )
