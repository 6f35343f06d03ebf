"""A result as the page shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from nlweb_ask.pipeline.schema_types import is_type
from nlweb_ask.web.links import safe_url
from nlweb_ask.web.marking import marked

TYPE_NAMES: Mapping[str, str | Promise] = {
    "Article": _("Article"),
    "BlogPosting": _("Blog post"),
    "Event": _("Event"),
    "FAQPage": _("Questions and answers"),
    "HowTo": _("Instructions"),
    "NewsArticle": _("News"),
    "Organization": _("Organisation"),
    "Person": _("Person"),
    "Place": _("Place"),
    "Product": _("Product"),
    "Recipe": _("Recipe"),
    "TechArticle": _("Documentation"),
    "VideoObject": _("Video"),
    "WebPage": _("Page"),
}

_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    name: str
    url: str  # empty when it must not be a link
    site: str  # empty when it is the one that the page is of
    kind: str
    language: str  # of the page, empty when unknown
    description: SafeString


def row(item: Mapping[str, Any], terms: Set[str], *, here: str) -> Row:
    """Make a row for a page of the site whose host is `here`."""
    site = str(item.get("site") or "")
    url = str(item.get("url") or "")
    language = language_of_item(item)
    return Row(
        name=str(item.get("name") or url),
        url=safe_url(url),
        site="" if site == here else site,
        kind=type_name(item.get("@type")),
        language=language,
        description=marked(str(item.get("description") or ""), terms, language),
    )


def language_of_item(item: Mapping[str, Any]) -> str:
    language = item.get("inLanguage")
    return language if isinstance(language, str) else ""


def option_name(option: str) -> str:
    """Return what may be chosen in words: a type of schema.org as results name it."""
    return type_name(option) if option in TYPE_NAMES or is_type(option) else option


def type_name(declared: Any) -> str:
    """Return a schema.org type in words: the first, most general one of several."""
    types = [declared] if isinstance(declared, str) else list(declared or ())
    if not types:
        return ""
    general = str(types[0])
    return str(TYPE_NAMES.get(general) or _in_words(general))


def _in_words(general: str) -> str:
    """Return `ExerciseGym` as "Exercise gym" and `TVSeries` as "TV series"."""
    first, *rest = _BETWEEN_WORDS.split(general)
    lowered = [word if word.isupper() else word.lower() for word in rest]
    return " ".join([first[:1].upper() + first[1:], *lowered])
