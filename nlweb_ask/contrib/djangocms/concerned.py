"""Which pages a change concerns: told by what has changed, looked up when they are due."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.conf import settings

from nlweb_ask.contrib.djangocms.identity import PageLanguage
from nlweb_ask.contrib.djangocms.tree import at_or_below
from nlweb_ask.contrib.djangocms.usage import pages_showing, pages_using


class Subtree(NamedTuple):
    """A page and all below it, in one language or in every one."""

    page_id: int
    language: str = ""


class OfContent(NamedTuple):
    """The page that a row of `PageContent` is of, in its language."""

    content_id: int


class OfPlaceholder(NamedTuple):
    """The pages that show what is in a placeholder."""

    placeholder_id: int


class OfAlias(NamedTuple):
    """The pages that show an alias."""

    alias_id: int


Concerned = PageLanguage | Subtree | OfContent | OfPlaceholder | OfAlias


def pages_concerned(changes: Collection[Concerned]) -> set[PageLanguage]:
    """Return the pages, in the languages that are concerned; some may be gone."""
    found = {change for change in changes if isinstance(change, PageLanguage)}
    subtrees: dict[str, set[int]] = {}
    contents: set[int] = set()
    placeholders: set[int] = set()
    aliases: set[int] = set()
    for change in changes:
        match change:
            case Subtree(page_id, language):
                subtrees.setdefault(language, set()).add(page_id)
            case OfContent(content_id):
                contents.add(content_id)
            case OfPlaceholder(placeholder_id):
                placeholders.add(placeholder_id)
            case OfAlias(alias_id):
                aliases.add(alias_id)
    for language, tops in subtrees.items():
        found |= _in_languages(tops | set(at_or_below(tops)), language)
    found |= _pages_of(contents)
    found |= pages_showing(placeholders) | pages_using(aliases)
    return found


def _in_languages(page_ids: Collection[int], language: str) -> set[PageLanguage]:
    languages = [language] if language else [code for code, _ in settings.LANGUAGES]
    return {PageLanguage(key, each) for key in page_ids for each in languages}


def _pages_of(content_ids: Collection[int]) -> set[PageLanguage]:
    from cms.models import PageContent

    if not content_ids:
        return set()
    rows = PageContent.admin_manager.filter(pk__in=content_ids).order_by()
    return {PageLanguage(*pair) for pair in rows.values_list("page_id", "language")}
