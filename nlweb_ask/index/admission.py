"""What may be written into the index, so that one page cannot spoil answers of others.

A source is the site's own code. A type that is no text would make the whole index
unreadable, and an address that cannot be parsed would break every answer it is in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

from nlweb_ask.models import Document
from nlweb_ask.plugins import Section, SourceDocument, SourceFault
from nlweb_ask.sources.jsonable import NotJsonable, jsonable

_TEXTS: Final = (
    *("object_id", "language", "part", "group", "version"),
    *("url", "name", "abstract"),
)
_SCHEMES: Final = ("", "http", "https")
NUL: Final = "\0"
_LONGEST: Final = {
    field.name: field.max_length for field in Document._meta.concrete_fields
}


class UnfitDocument(SourceFault, ValueError):
    """A document that cannot be indexed; the message tells the field, not its words."""


def fit(
    documents: Iterable[SourceDocument], asked: Collection[str]
) -> Iterator[SourceDocument]:
    """Pass on the documents of the objects `asked` for, without NUL in their words.

    Raises:
        UnfitDocument: One of them holds what no index can store or no answer can say,
            comes twice, or is of an object that was not asked for.
    """
    seen = set()
    for document in map(_without_nul, documents):
        identity = (document.object_id, document.language, document.part)
        if document.object_id not in asked:
            msg = "object_id is not one that was asked for"
            raise UnfitDocument(msg)
        if identity in seen:
            msg = "object_id, language and part are those of another document"
            raise UnfitDocument(msg)
        seen.add(identity)
        for column in _TEXTS:
            _check_text(column, getattr(document, column))
        _check_address(document.url)
        _check_schema(document.schema_object)
        yield document


def _check_text(column: str, value: object) -> None:
    if not isinstance(value, str):
        msg = f"{column} is no text"
        raise UnfitDocument(msg)
    # SQLite would take it in at any length.
    longest = _LONGEST[column]
    if longest is not None and len(value) > longest:
        msg = f"{column} is longer than {longest} characters"
        raise UnfitDocument(msg)


def _without_nul(document: SourceDocument) -> SourceDocument:
    """Let a space stand for each NUL, which PostgreSQL stores in no text."""
    sections = [(part.heading, part.anchor, part.text) for part in document.sections]
    words = (document.name, document.abstract, *(w for part in sections for w in part))
    if not any(NUL in str(text) for text in words):
        return document
    return replace(
        document,
        name=document.name.replace(NUL, " "),
        abstract=document.abstract.replace(NUL, " "),
        sections=tuple(
            Section(
                heading=heading.replace(NUL, " "),
                anchor=anchor.replace(NUL, ""),
                text=text.replace(NUL, " "),
            )
            for heading, anchor, text in sections
        ),
    )


def _check_address(url: str) -> None:
    if url.startswith("/") and not url.startswith("//"):
        return
    try:
        scheme = urlsplit(url).scheme
    except ValueError as error:
        msg = "url is no address"
        raise UnfitDocument(msg) from error
    if scheme not in _SCHEMES:
        msg = "url is no address of a web page"
        raise UnfitDocument(msg)


def _check_schema(schema_object: Any) -> None:
    try:
        jsonable(schema_object)
    except NotJsonable as error:
        msg = "schema_object is no JSON"
        raise UnfitDocument(msg) from error
    declared = schema_object.get("@type") or ""
    types = declared if isinstance(declared, list | tuple) else [declared]
    if not all(isinstance(name, str) for name in types):
        msg = "@type is neither a text nor a list of texts"
        raise UnfitDocument(msg)
