"""From the words of one page to its postings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any, Final

from nlweb_ask.index.analysis import analyze_with_forms
from nlweb_ask.index.pieces import occurrences
from nlweb_ask.index.postings import (
    MAX_FREQUENCY,
    Field,
    Label,
    OnePage,
    PageKey,
    Triples,
    write_page,
)
from nlweb_ask.index.properties import property_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class AnalysedPage:
    """The terms of a page, field by field, in reading order and with repeats."""

    title: list[str]
    properties: list[str]
    page: list[str]
    forms: list[str]  # of the page's words, for spelling alone
    passages: Sequence[tuple[list[str], list[str]]]  # (heading, text)

    def occurrences(self) -> Iterator[tuple[Field, int, list[str]]]:
        """Yield the terms of each field with the number they stand at, ascending."""
        yield Field.TITLE, 0, self.title
        yield Field.PROPERTIES, 0, self.properties
        yield Field.PAGE, 0, self.page
        for number, (heading, _text) in enumerate(self.passages):
            yield Field.HEADING, number, heading
        for number, (_heading, text) in enumerate(self.passages):
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

    def terms_of(text: str) -> tuple[list[str], list[str]]:
        terms, forms = analyze_with_forms(text, language)
        return terms, sorted(forms)

    title, about = terms_of(name), terms_of(abstract)
    properties = terms_of(property_text(schema_object))
    read = [(terms_of(heading), terms_of(text)) for heading, text in passages]
    all_of = [title, about, *chain.from_iterable(read), properties]
    return AnalysedPage(
        title=title[0],
        properties=properties[0],
        page=_joined(terms for terms, _forms in all_of),
        forms=_joined(forms for _terms, forms in all_of),
        passages=[(heading[0], text[0]) for heading, text in read],
    )


def _joined(parts: Iterable[list[str]]) -> list[str]:
    return list(chain.from_iterable(parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWords:
    """What is written of a page into the index: its words, and what it is known by."""

    document_id: int
    label: Label
    key: PageKey
    public: bool
    name: str
    abstract: str
    schema_object: Mapping[str, object]
    passages: Sequence[tuple[str, str]]  # (heading, text)


# Where in a page a text stands. Headings follow, then as many texts of passages.
_FORMS: Final = 0  # not counted in the length of the page, and each but once
_TITLE: Final = 1
_PROPERTIES: Final = 2
_PAGE: Final = 3  # the abstract stands nowhere else
_HEADINGS: Final = 4
_FIELDS: Final = (Field.PAGE, Field.TITLE, Field.PROPERTIES, Field.PAGE)


def page_blobs(pages: Sequence[PageWords]) -> list[bytes]:
    """Return what the change row of each page holds: its columns and postings.

    All pages at once: for a page alone, the calls cost more than the work.
    """
    by_language: dict[str, list[int]] = {}
    for number, page in enumerate(pages):
        by_language.setdefault(page.label.language, []).append(number)
    blobs = [b""] * len(pages)
    for language, numbers in by_language.items():
        some = [pages[number] for number in numbers]
        for number, blob in zip(numbers, _blobs(some, language), strict=True):
            blobs[number] = blob
    return blobs


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of some pages end to end; `places` tells where in its page each stands."""

    texts: list[str]
    begins: list[int]  # of each page's texts, and where the last one's end
    places: Integers
    pages: Integers
    passages: Integers  # how many each page has


def _texts(pages: Sequence[PageWords]) -> _Texts:
    import numpy as np

    texts: list[str] = []
    for page in pages:
        texts += (page.name, property_text(page.schema_object), page.abstract)
        texts += (heading for heading, _text in page.passages)
        texts += (text for _heading, text in page.passages)
    passages = [len(page.passages) for page in pages]
    sizes = [_HEADINGS - _TITLE + 2 * number for number in passages]
    begins = list(accumulate(sizes, initial=0))
    number_in_page = np.arange(len(texts)) - np.repeat(begins[:-1], sizes)
    return _Texts(
        texts,
        begins,
        _TITLE + number_in_page,
        np.repeat(np.arange(len(pages)), sizes),
        np.array(passages, "<i8"),
    )


def _blobs(pages: Sequence[PageWords], language: str) -> Iterator[bytes]:
    import numpy as np

    texts = _texts(pages)
    found = occurrences(texts.texts, language)
    lengths = np.bincount(found.texts[~found.is_form], minlength=len(texts.texts))
    counted = _Counted.of(texts, found.texts, found.keys, found.is_form)
    spans = zip(pairwise(texts.begins), pairwise(counted.begins), strict=True)
    of_text = lengths.tolist()
    for page, ((text, end), (first, last)) in zip(pages, spans, strict=True):
        of_page = of_text[text:end]
        below = of_page[_HEADINGS - _TITLE :]
        half = len(below) // 2
        title, properties = of_page[:2]
        yield write_page(
            OnePage(
                document_id=page.document_id,
                label=page.label,
                key=page.key,
                public=page.public,
                page_lengths=(title, properties, sum(of_page)),
                passage_lengths=list(zip(below[:half], below[half:], strict=True)),
            ),
            counted.of_page(first, last),
        )


@dataclass(frozen=True, slots=True)
class _Counted:
    """The postings of some pages end to end, each page's sorted as `Triples` are."""

    begins: list[int]  # of each page's postings, and where the last one's end
    triples: Triples

    @classmethod
    def of(
        cls, texts: _Texts, of_text: Integers, keys: Integers, is_form: Any
    ) -> _Counted:
        import numpy as np

        ordered = np.sort(keys)
        distinct = ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0]
        ranks = np.searchsorted(distinct, keys)
        pages, places = texts.pages[of_text], texts.places[of_text]
        # Page, term and place as one number: the only sort there is.
        width = (2 * int(texts.passages.max(initial=0)) + _HEADINGS).bit_length()
        below = width + len(distinct).bit_length()
        terms = (pages << below) | (ranks << width)
        own = places != _PAGE
        both = np.concatenate(
            [
                (terms | np.where(is_form, _FORMS, places))[own],
                (terms | _PAGE)[~is_form],
                (terms | _FORMS)[~own & is_form],
            ]
        )
        both.sort()
        first = np.flatnonzero(np.diff(both, prepend=-1))
        counts = np.diff(first, append=len(both))
        both = both[first]
        places = both & ((1 << width) - 1)
        ranks = (both >> width) & ((1 << (below - width)) - 1)
        pages = both >> below
        counts[places == _FORMS] = 1
        fields, numbers = _fields(places, texts.passages[pages])
        begins = np.searchsorted(pages, np.arange(len(texts.passages) + 1))
        frequencies = np.minimum(counts, MAX_FREQUENCY).astype("<u2")
        triples = Triples(distinct[ranks], fields, numbers, frequencies)
        return cls(begins.tolist(), triples)

    def of_page(self, begin: int, end: int) -> Triples:
        every = self.triples
        return Triples(
            every.terms[begin:end],
            every.fields[begin:end],
            every.numbers[begin:end],
            every.frequencies[begin:end],
        )


def _fields(places: Integers, passages: Integers) -> tuple[Integers, Integers]:
    """Return the field that each place is in, and its passage there."""
    import numpy as np

    below = places - _HEADINGS
    is_text = below >= passages
    in_passages = np.where(is_text, Field.TEXT, Field.HEADING)
    of_page = np.array(_FIELDS)[np.minimum(places, _PAGE)]
    fields = np.where(below < 0, of_page, in_passages)
    numbers = np.where(below < 0, 0, below - passages * is_text)
    return fields.astype("|u1"), numbers.astype("<u4")
