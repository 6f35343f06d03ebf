"""E013: parts of a page that have no rule, no name, or words that the page tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.checks import CheckMessage, register

from nlweb_ask.checks.table import TAG, report
from nlweb_ask.models import Document
from nlweb_ask.plugins import sources
from nlweb_ask.sources import ModelSource
from nlweb_ask.sources.parts import MARK

LONGEST: int = Document._meta.get_field("part").max_length or 0


@register(TAG)
def check_parts_are_apart(**_kwargs: Any) -> list[CheckMessage]:
    registered: tuple[type[Any], ...] = sources.classes()
    return [
        message
        for source in registered
        if issubclass(source, ModelSource) and source.parts
        for message in (*_without_rule(source), *_wrong(source))
    ]


def _without_rule(source: type[ModelSource]) -> Iterator[CheckMessage]:
    own = source.part_visible_to is not ModelSource.part_visible_to
    if not own and source.visible_ids is ModelSource.visible_ids:
        yield report(
            "E013",
            f"The source {source.name!r} does not say who may see its parts, so nobody "
            "does.",
            hint="Add def part_visible_to(self, part, viewer, queryset).",
            obj=source,
        )


def _wrong(source: type[ModelSource]) -> Iterator[CheckMessage]:
    for part, fields in source.parts.items():
        yield from _wrong_name(source, part)
        if isinstance(fields, str):
            yield report(
                "E013",
                f"The part {part!r} of the source {source.name!r} has a text for its "
                "fields, and needs a list of names.",
                hint=f'parts = {{"{part}": ["{fields}"]}}',
                obj=source,
            )
        else:
            yield from _told(source, part, fields)


def _wrong_name(source: type[ModelSource], part: str) -> Iterator[CheckMessage]:
    if not part or MARK in part or len(part) > LONGEST:
        yield report(
            "E013",
            f"A part of the source {source.name!r} cannot be named {part!r}.",
            hint=f"Use a name of 1 to {LONGEST} characters without {MARK!r}.",
            obj=source,
        )


def _told(
    source: type[ModelSource], part: str, fields: Sequence[str]
) -> Iterator[CheckMessage]:
    page = {*source.text_fields, source.description_field, source.name_field}
    for field in fields:
        if field in page:
            yield report(
                "E013",
                f"The part {part!r} of the source {source.name!r} has the field "
                f"{field!r}, whose words the page itself tells.",
                hint=f'Take "{field}" out of text_fields, name_field and '
                "description_field, or out of the part.",
                obj=source,
            )
