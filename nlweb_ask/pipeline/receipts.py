"""Is each quoted sentence really there? What is not proved is marked, or left out."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from nlweb_ask.index.store import identity_key
from nlweb_ask.pipeline.quotes import cuts_no_word, place_of, tells_enough
from nlweb_ask.pipeline.seals import sealed, words_seals
from nlweb_ask.pipeline.support import bears, names_only
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
    receipts = tuple(receipt for receipt, _result in proofs)
    doubt = _doubt(sentence, receipts, [result for _receipt, result in proofs])
    marks = () if doubt is None else (_mark(sentence.text, doubt),)
    return Content(text=sentence.text, citations=receipts, marks=marks)


def _proofs(
    sentence: Sentence, results: Sequence[Result], site_id: int
) -> Iterator[tuple[Receipt, Result]]:
    for citation in sentence.citations[:MAX_CITATIONS]:
        start, end = citation.start, citation.end
        within = 0 <= start < end <= len(sentence.text)
        if not within or not cuts_no_word(sentence.text, start, end):
            continue
        # Two languages of a page may be at one address.
        at = [i for i, result in enumerate(results) if result.url == citation.url]
        found = (_receipt(citation, i, results[i], site_id) for i in at)
        receipt = next((each for each in found if each is not None), None)
        if receipt is not None:
            yield receipt, results[receipt.index]


def _receipt(
    citation: Citation, index: int, page: Result, site_id: int
) -> Receipt | None:
    key = identity_key(site_id, page.reference)
    for passage in page.passages:
        span = place_of(citation.quote, passage.text)
        if span is not None and tells_enough(
            passage.text, *span, page.reference.language
        ):
            return Receipt(
                start=citation.start,
                end=citation.end,
                index=index,
                url=_address(page.url, passage),
                passage=sealed(key, passage.ordinal),
                span=span,
                words_hash=next(words_seals(key, passage.words_hash)),
                quote=passage.text[slice(*span)],
            )
    return None


def _address(url: str, passage: PassageText) -> str:
    return url if "#" in url or not passage.anchor else f"{url}#{passage.anchor}"


def _doubt(
    sentence: Sentence, receipts: Sequence[Receipt], pages: Sequence[Result]
) -> Doubt | None:
    if sentence.is_remark or not _says_something(sentence.text):
        return None
    if not receipts:
        return "uncited"
    language = pages[0].reference.language
    spans = {(receipt.start, receipt.end) for receipt in receipts}
    borne = all(
        bears(_quotes_of(receipts, span), sentence.text[slice(*span)], language)
        for span in spans
    )
    names = [name for page in pages for name in _names(page)]
    borne = borne and names_only(names, _beside(sentence.text, spans), language)
    return None if borne else "unsupported"


def _says_something(text: str) -> bool:
    """Say whether there is more in a text than punctuation and blanks."""
    return any(unicodedata.category(sign)[0] in "LNS" for sign in text)


def _quotes_of(receipts: Iterable[Receipt], span: tuple[int, int]) -> list[str]:
    return [each.quote for each in receipts if (each.start, each.end) == span]


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
