"""What a document of django CMS is called: the page and the language.

A row of `PageContent` is no name for it: with versions, each has a row of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from nlweb_ask.sources.primary_keys import readable_keys

MARK = ":"


class PageLanguage(NamedTuple):
    """One page in one language."""

    page_id: int
    language: str

    def __str__(self) -> str:
        return f"{self.page_id}{MARK}{self.language}"


def readable(object_ids: Iterable[str]) -> set[PageLanguage]:
    """Return what these ids stand for; one that stands for nothing is left out."""
    from cms.models import Page

    parted = [object_id.partition(MARK) for object_id in object_ids]
    keys = {key for key, mark, language in parted if mark and language}
    pages = {str(key): key for key in readable_keys(Page, keys)}
    return {
        PageLanguage(pages[key], language)
        for key, _, language in parted
        if key in pages and language
    }
