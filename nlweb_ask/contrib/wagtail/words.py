"""What a page says: the fields that its model declares as searchable, and no others.

An internal note is not declared, so it stays out; so does what Wagtail leaves out of
its own index, such as raw HTML and chosen pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.core.exceptions import FieldDoesNotExist

from nlweb_ask.plugins import Section
from nlweb_ask.sources.field_text import words_of
from nlweb_ask.sources.html import html_sections

TITLE = "title"


def sections_of(page: Any) -> Iterator[Section]:
    """Yield the declared fields of a specific page in their order, its title left out.

    A rich text is cut at its headings; every other field is one section.
    """
    yield from _sections(page, type(page).get_search_fields())


def _sections(row: Any, declared: Iterable[Any]) -> Iterator[Section]:
    from wagtail.fields import RichTextField
    from wagtail.search import index

    for field in declared:
        if isinstance(field, index.RelatedFields):
            for related in _related(field.get_value(row)):
                yield from _sections(related, field.fields)
        elif isinstance(field, index.SearchField) and field.field_name != TITLE:
            column = _column(row, field)
            if isinstance(column, RichTextField):
                yield from html_sections(words_of(column.value_from_object(row)))
            elif text := words_of(field.get_value(row)).strip():
                yield Section(text=text)


def _column(row: Any, field: Any) -> Any:
    try:
        return field.get_field(type(row))
    except FieldDoesNotExist:
        return None  # a method or a property


def _related(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value.all()) if hasattr(value, "all") else [value]
