"""From the words of one page to its postings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nlweb_ask.index.analysis import analyze_with_forms, term_key
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


@dataclass(frozen=True, slots=True)
class AnalysedPage:
    """The terms of a page, field by field, in reading order and with repeats."""

    title: Sequence[str]
    properties: Sequence[str]
    page: Sequence[str]
    forms: Sequence[str]  # of the page's words, each once, for spelling alone
    passages: Sequence[tuple[Sequence[str], Sequence[str]]]  # (heading, text)

    def occurrences(self) -> Iterator[tuple[Field, int, Sequence[str]]]:
        yield Field.TITLE, 0, self.title
        yield Field.PROPERTIES, 0, self.properties
        yield Field.PAGE, 0, self.page
        # Not counted in the length of the page, which no question can tell them from.
        yield Field.PAGE, 0, self.forms
        for number, (heading, text) in enumerate(self.passages):
            yield Field.HEADING, number, heading
            yield Field.TEXT, number, text


def analyse_page(
    *,
    name: str,
    abstract: str,
    schema_object: Mapping[str, object],
    passages: Sequence[tuple[str, str]],  # (heading, text)
    language: str,
) -> AnalysedPage:
    """Analyse the words of a page; `page` is the sum of all its other fields."""
    forms: set[str] = set()

    def terms_of(text: str) -> list[str]:
        terms, found = analyze_with_forms(text, language)
        forms.update(found)
        return terms

    title = terms_of(name)
    properties = terms_of(property_text(schema_object))
    cut = [(terms_of(heading), terms_of(text)) for heading, text in passages]
    page = [*title, *terms_of(abstract)]
    for heading, text in cut:
        page += [*heading, *text]
    return AnalysedPage(title, properties, [*page, *properties], sorted(forms), cut)


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
    analysed = analyse_page(
        name=document.name,
        abstract=document.abstract,
        schema_object=document.schema_object,
        passages=[(passage.heading, passage.text) for passage in cut],
        language=document.language,
    )
    label = Label(source, document.language, types, document.version)
    key = PageKey(document.object_id, document.part, document.group)
    return _columns(analysed, label, key, document_id, public), _triples(analysed)


def _columns(
    analysed: AnalysedPage, label: Label, key: PageKey, document_id: int, public: bool
) -> Columns:
    import numpy as np

    none = np.zeros(0, "<i8")
    pages = Pages(
        documents=np.array([document_id], "<i8"),
        labels=np.zeros(1, "<u4"),
        label_table=[label],
        keys=[key],
        public=np.array([public]),
        page_lengths=np.array(
            [[len(analysed.title), len(analysed.properties), len(analysed.page)]], "<u4"
        ),
        first=np.array([0, len(analysed.passages)], "<u4"),
        passage_lengths=np.array(
            [(len(heading), len(text)) for heading, text in analysed.passages], "<u4"
        ).reshape(-1, 2),
    )
    return Columns(pages, withdrawn=none, opened=none, closed=none)


def _triples(analysed: AnalysedPage) -> Triples:
    import numpy as np

    rows = [
        (term_key(term), field, number, min(count, MAX_FREQUENCY))
        for field, number, terms in analysed.occurrences()
        for term, count in Counter(terms).items()
    ]
    rows.sort()
    terms, fields, numbers, frequencies = zip(*rows, strict=True) if rows else ([],) * 4
    return Triples(
        np.array(terms, "<i8"),
        np.array(fields, "|u1"),
        np.array(numbers, "<u4"),
        np.array(frequencies, "<u2"),
    )
