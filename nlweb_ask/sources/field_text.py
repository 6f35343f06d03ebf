"""The words of one field of a model, whether it holds HTML or plain text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from nlweb_ask.plugins.types import Section
from nlweb_ask.sources.anchors import unique_anchors
from nlweb_ask.sources.html import (
    decode_entities,
    html_sections,
    html_text,
    looks_like_html,
)


@dataclass(frozen=True, slots=True)
class FieldText:
    """How to read a field: as HTML, as plain text, or (None) as each value looks."""

    html: bool | None = None

    def line(self, value: object) -> str:
        """Return a name. Only a field declared as HTML loses what looks like a tag."""
        text = words_of(value)
        if self.html:
            text = html_text(text)
        elif self.html is None:
            text = decode_entities(text)
        return " ".join(text.split())

    def text(self, value: object) -> str:
        text = words_of(value)
        if self._holds_html(text):
            return html_text(text)
        return self._plain(text)

    def sections(self, value: object) -> tuple[Section, ...]:
        text = words_of(value)
        if self._holds_html(text):
            return html_sections(text)
        plain = self._plain(text)
        return (Section(text=plain),) if plain else ()

    def _holds_html(self, text: str) -> bool:
        return looks_like_html(text) if self.html is None else self.html

    def _plain(self, text: str) -> str:
        decoded = decode_entities(text) if self.html is None else text
        return "\n".join(decoded.splitlines()).strip()


def words_of(value: Any) -> str:
    """Return a field's value, a method's result or related objects as text."""
    if value is None:
        return ""
    if type(value) is str:
        return value.replace("\x00", "")
    if hasattr(value, "all"):
        value = value.all()
    elif callable(value):
        value = value()
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | dict):
        return "\n".join(words_of(item) for item in value)
    return str(value).replace("\x00", "")


def distinct_anchors(sections: Iterable[Section]) -> list[Section]:
    """Number the anchors that several fields of one page have in common."""
    listed = list(sections)
    anchors = unique_anchors((section.heading, section.anchor) for section in listed)
    return [
        section if section.anchor == anchor else replace(section, anchor=anchor)
        for section, anchor in zip(listed, anchors, strict=True)
    ]
