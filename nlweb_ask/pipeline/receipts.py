"""Is each quoted sentence really there? What is not proved is marked, or left out."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from nlweb_ask.index.store import identity_key
from nlweb_ask.index.words import word_count
from nlweb_ask.pipeline.links import unlinked_text
from nlweb_ask.pipeline.quotes import (
    MIN_WORDS,
    cuts_no_word,
    place_of,
    sentences_around,
    tells_enough,
)
from nlweb_ask.pipeline.seals import sealed, words_seals
from nlweb_ask.pipeline.support import bears, denies_beside, keeps_order, names_only
from nlweb_ask.plugins import Citation, PassageText, Result, Sentence
from nlweb_ask.protocol.events import Content, Doubt, Mark, Receipt

# A generator is no reason to look through a page without end.
MAX_CITATIONS: Final = 20


def grounded(sentence: Sentence, results: Sequence[Result], site_id: int) -> Content:
    """Return the sentence with a receipt for each of its citations that holds.

    A citation holds when its address is that of a result this viewer may see, its
    quote stands in that page's passages word for word, tells enough, and its offsets
    lie within the sentence. A sentence is marked `uncited` when none does, and
    `unsupported` when its numbers, names or negations do not stand in what it quotes.

    Args:
        sentence: As the generator gave it.
        results: The pages of this answer, in the order in which they were told.
        site_id: The site whose pages they are.
    """
    proofs = [*_proofs(sentence, results, site_id)]
    doubt = _doubt(sentence, proofs, {result.url for result in results})
    return Content(
        text=sentence.text,
        citations=tuple(proof.receipt for proof in proofs),
        marks=() if doubt is None else (_mark(sentence.text, doubt),),
    )


@dataclass(frozen=True, slots=True)
class _Proof:
    """A receipt, with what it is a part of."""

    receipt: Receipt
    page: Result
    whole: str  # the sentences of the passage that the quote is of

    @property
    def place(self) -> tuple[int, int]:
        return self.receipt.start, self.receipt.end

    @property
    def language(self) -> str:
        return self.page.reference.language


def _proofs(
    sentence: Sentence, results: Sequence[Result], site_id: int
) -> Iterator[_Proof]:
    for citation in sentence.citations[:MAX_CITATIONS]:
        start, end = citation.start, citation.end
        within = 0 <= start < end <= len(sentence.text)
        if not within or not cuts_no_word(sentence.text, start, end):
            continue
        # Two languages of a page may be at one address.
        at = [i for i, result in enumerate(results) if result.url == citation.url]
        found = (_proof(citation, i, results[i], site_id) for i in at)
        proof = next((each for each in found if each is not None), None)
        if proof is not None:
            yield proof


def _proof(citation: Citation, index: int, page: Result, site_id: int) -> _Proof | None:
    key, language = identity_key(site_id, page.reference), page.reference.language
    for passage in page.passages:
        text = passage.text
        span = place_of(citation.quote, text)
        if span is not None and tells_enough(text, *span, language):
            receipt = Receipt(
                start=citation.start,
                end=citation.end,
                index=index,
                url=_address(page.url, passage),
                passage=sealed(key, passage.ordinal),
                span=span,
                words_hash=next(words_seals(key, passage.words_hash)),
                quote=text[slice(*span)],
            )
            return _Proof(receipt, page, sentences_around(text, *span, language))
    return None


def _address(url: str, passage: PassageText) -> str:
    return url if "#" in url or not passage.anchor else f"{url}#{passage.anchor}"


def _doubt(
    sentence: Sentence, proofs: Sequence[_Proof], known: Collection[str]
) -> Doubt | None:
    if sentence.is_remark or not _says_something(sentence.text):
        return None
    if not proofs:
        return "uncited"
    places = list(dict.fromkeys(proof.place for proof in proofs))
    borne = all(_is_borne(sentence.text, place, proofs, known) for place in places)
    borne = borne and _are_in_order(sentence.text, proofs)
    names = [name for proof in proofs for name in _names(proof.page)]
    beside = _beside(sentence.text, places)
    borne = borne and names_only(names, beside, proofs[0].language)
    return None if borne else "unsupported"


def _is_borne(
    text: str,
    place: tuple[int, int],
    proofs: Iterable[_Proof],
    known: Collection[str],
) -> bool:
    """Say whether the quotes behind a part of a sentence bear it, and hide no denial."""
    behind = [proof for proof in proofs if proof.place == place]
    quotes = [proof.receipt.quote for proof in behind]
    said, language = text[slice(*place)], behind[0].language
    # A quote leaves the site without the links that it has in the page, and on one line.
    is_shown = any(
        _on_one_line(unlinked_text(written, known)) == _on_one_line(said)
        for quote in quotes
        for written in (quote, _on_one_line(quote))
    )
    return (is_shown or bears(quotes, said, language)) and not any(
        denies_beside(proof.receipt.quote, proof.whole, proof.language)
        for proof in behind
    )


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _are_in_order(text: str, proofs: Sequence[_Proof]) -> bool:
    """Say whether parts of a few words that are of one sentence of a page keep its order.

    Each by itself would be borne, whatever they say together.
    """
    small: dict[str, set[tuple[int, int]]] = {}
    for proof in proofs:
        if word_count(text[slice(*proof.place)]) < MIN_WORDS:
            small.setdefault(proof.whole, set()).add(proof.place)
    return all(
        keeps_order(
            [whole],
            " ".join(text[slice(*place)] for place in sorted(places)),
            proofs[0].language,
        )
        for whole, places in small.items()
    )


def _says_something(text: str) -> bool:
    """Say whether there is more in a text than punctuation and blanks."""
    return any(unicodedata.category(sign)[0] in "LNS" for sign in text)


def _names(page: Result) -> Iterator[str]:
    yield page.name
    yield page.site
    yield from (passage.heading for passage in page.passages)


def _beside(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the words of a sentence that no citation claims."""
    beside, end = [], 0
    for start, stop in sorted(spans):
        beside.append(text[end:start])
        end = max(end, stop)
    return " ".join([*beside, text[end:]])


def _mark(text: str, doubt: Doubt) -> Mark:
    said = text.strip()
    start = text.index(said)
    return Mark(start=start, end=start + len(said), doubt=doubt)
