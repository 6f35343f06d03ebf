"""What may be written into the index, so that one page cannot spoil answers of others.

A source is the site's own code. A type that is no text would make the whole index
unreadable, and an address that cannot be parsed would break every answer it is in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final
from urllib.parse import urlsplit

from nlweb_ask.models import Document
from nlweb_ask.plugins import SourceDocument
from nlweb_ask.sources.jsonable import NotJsonable, jsonable

_TEXTS: Final = (
    *("object_id", "language", "part", "group", "version"),
    *("url", "name", "abstract"),
)
_LONGEST: Final = {
    field.name: field.max_length for field in Document._meta.concrete_fields
}


class UnfitDocument(ValueError):
    """A document that cannot be indexed; the message tells the field, not its words."""


def fit(documents: Iterable[SourceDocument]) -> Iterator[SourceDocument]:
    """Pass documents on.

    Raises:
        UnfitDocument: One of them holds what no index can store or no answer can say.
    """
    for document in documents:
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


def _check_address(url: str) -> None:
    try:
        urlsplit(url)
    except ValueError as error:
        msg = "url is no address"
        raise UnfitDocument(msg) from error


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
