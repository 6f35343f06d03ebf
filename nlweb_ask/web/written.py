"""The text of an answer as the page shows it: numbered quotes, and links to them alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from nlweb_ask.protocol.events import Content, Doubt, Receipt
from nlweb_ask.web.links import safe_url
from nlweb_ask.web.rows import language_of_item

DOUBTS: Final[Mapping[Doubt, str | Promise]] = {
    "uncited": _("no page is quoted for this"),
    "unsupported": _("the quote does not say all of this"),
}
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'\\]+")
# What stands at the end of an address in a sentence belongs to the sentence.
_AFTER_ADDRESS: Final = ".,;:!?)]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A quote below the text, known there by its number."""

    number: int
    quote: str
    name: str
    url: str  # empty when it must not be a link
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A sentence of the text."""

    text: SafeString
    numbers: tuple[int, ...]
    doubt: str | Promise  # empty for none
    after: str  # the space or line break between it and the next one


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The whole text; a quote that stands behind several sentences has one number."""

    sentences: tuple[Said, ...]
    quotes: tuple[Quoted, ...]


def written(
    contents: Sequence[Content], items: Sequence[Mapping[str, Any]]
) -> Written | None:
    """Return what was written of the results `items`; None when nothing was."""
    numbers: dict[tuple[str, str], int] = {}
    quotes: list[Quoted] = []
    for receipt in (each for content in contents for each in content.citations):
        if _place(receipt) not in numbers:
            numbers[_place(receipt)] = len(numbers) + 1
            quotes.append(_quoted(len(numbers), receipt, items[receipt.index]))
    addresses = {str(item.get("url")) for item in items} | {q.url for q in quotes}
    sentences = tuple(_said(content, numbers, addresses) for content in contents)
    return Written(sentences=sentences, quotes=tuple(quotes)) if sentences else None


def _place(receipt: Receipt) -> tuple[str, str]:
    return receipt.passage, receipt.quote


def _quoted(number: int, receipt: Receipt, item: Mapping[str, Any]) -> Quoted:
    return Quoted(
        number=number,
        quote=receipt.quote,
        name=str(item.get("name") or receipt.url),
        url=safe_url(receipt.url),
        language=language_of_item(item),
    )


def _said(
    content: Content,
    numbers: Mapping[tuple[str, str], int],
    addresses: Iterable[str],
) -> Said:
    cited = dict.fromkeys(numbers[_place(each)] for each in content.citations)
    doubts = [DOUBTS[mark.doubt] for mark in content.marks]
    text = content.text.rstrip()
    return Said(
        text=linked(text, addresses),
        numbers=tuple(cited),
        doubt=doubts[0] if doubts else "",
        after=content.text[len(text) :],
    )


def linked(text: str, addresses: Iterable[str]) -> SafeString:
    """Return `text` as HTML in which these addresses are links, and no other is one."""
    known = {address for address in addresses if safe_url(address)}
    shown, end = SafeString(), 0
    for match in _ADDRESS.finditer(text):
        address = match[0].rstrip(_AFTER_ADDRESS)
        if address in known:
            before = text[end : match.start()]
            link = format_html('<a href="{}">{}</a>', address, address)
            shown += format_html("{}{}", before, link)
            end = match.start() + len(address)
    return shown + format_html("{}", text[end:])
