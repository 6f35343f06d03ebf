"""What a model's fields say in schema.org's words: types, dates, a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import models

from nlweb_ask.sources.declared import value_of

PUBLISHED_FIELDS = (
    "date_published",
    "published_at",
    "published_on",
    "published",
    "publication_date",
    "publish_date",
    "pub_date",
    "first_published_at",
)
MODIFIED_FIELDS = (
    "date_modified",
    "modified_at",
    "modified_on",
    "modified",
    "last_modified",
    "updated_at",
    "updated_on",
    "updated",
    "last_published_at",
)
IMAGE_FIELDS = ("image", "picture", "photo", "cover", "thumbnail")

# Article and the types below it whose names do not end in "Article".
ARTICLES = frozenset(
    {
        "APIReference",
        "BlogPosting",
        "DiscussionForumPosting",
        "LiveBlogPosting",
        "Report",
        "SocialMediaPosting",
    }
)


def types(declared: str | Sequence[str]) -> str | list[str]:
    return declared if isinstance(declared, str) else list(declared)


def is_article(declared: str | Sequence[str]) -> bool:
    names = [declared] if isinstance(declared, str) else declared
    return any(name in ARTICLES or name.endswith("Article") for name in names)


def dates(obj: models.Model, published: str = "", updated: str = "") -> dict[str, Any]:
    """Return the dates of a page, from the fields named or else from familiar ones."""
    return {
        "datePublished": _first_date(obj, published, PUBLISHED_FIELDS),
        "dateModified": _first_date(obj, updated, MODIFIED_FIELDS),
    }


def image(obj: models.Model, declared: str = "") -> str | None:
    """Return the address of the page's picture.

    Where none is declared, one with a query string is left out: storages sign addresses
    that way, and a signature is a key that expires.
    """
    if declared:
        picture = value_of(obj, declared)
        return str(getattr(picture, "url", picture)) if picture else None
    for name in _present(obj, IMAGE_FIELDS, models.ImageField):
        picture = getattr(obj, name)
        if picture and "?" not in picture.url:
            return str(picture.url)
    return None


def _first_date(obj: models.Model, declared: str, familiar: Sequence[str]) -> Any:
    if declared:
        return value_of(obj, declared)
    # A DateTimeField is a DateField; a boolean called "published" is neither.
    values = (getattr(obj, name) for name in _present(obj, familiar, models.DateField))
    return next((value for value in values if value is not None), None)


def _present(obj: models.Model, names: Sequence[str], kind: type[Any]) -> Iterable[str]:
    fields = {field.name: field for field in obj._meta.concrete_fields}
    return [name for name in names if isinstance(fields.get(name), kind)]
