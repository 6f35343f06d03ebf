"""Who may open which page, by Wagtail's own rule, for many pages at once.

The rule is that of `Page.get_view_restrictions()` and `accept_request()`: a restriction
holds for the page it is on and for all below. A page that mirrors another one has the
restrictions of that one instead of its own, wherever it stands in the tree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from django.db import models

from nlweb_ask.contrib.wagtail.tree import line_to
from nlweb_ask.plugins import Viewer

T = TypeVar("T")

# Wagtail's own session entry: the restrictions whose password a visitor has typed.
PASSED: Final = "passed_page_view_restrictions"
AT_ONCE: Final = 5_000  # values in one statement, well below SQLite's most


@dataclass(frozen=True, slots=True)
class Restriction:
    """One row of Wagtail's, with the groups that it lets through."""

    pk: int
    page_id: int
    kind: str
    groups: frozenset[int]


@dataclass(frozen=True, slots=True)
class Passes:
    """What opens restricted pages to one viewer."""

    signed_in: bool
    superuser: bool
    groups: frozenset[int]
    passwords: frozenset[int]

    def open(self, restriction: Restriction) -> bool:
        """Tell whether this restriction lets the viewer through; unknown ones do not."""
        if restriction.kind == "none":
            return True
        if restriction.kind == "login":
            return self.signed_in
        if restriction.kind == "groups":
            return self.superuser or not self.groups.isdisjoint(restriction.groups)
        # A password is asked of everybody, superusers too.
        return restriction.kind == "password" and restriction.pk in self.passwords


def passes_of(viewer: Viewer) -> Passes:
    """Return the passes of a viewer; one query for whoever is signed in."""
    user: Any = viewer.user
    signed_in = bool(user.is_authenticated)
    groups = user.groups.values_list("pk", flat=True) if signed_in else ()
    passed = viewer.session_marks.get(PASSED)
    return Passes(
        signed_in=signed_in,
        superuser=signed_in and bool(getattr(user, "is_superuser", False)),
        groups=frozenset(groups),
        passwords=frozenset(passed if isinstance(passed, list | tuple) else ()),
    )


def closed_pages(
    pages: type[models.Model], paths: Mapping[Any, str], viewer: Viewer
) -> set[Any]:
    """Return the keys of those pages in `paths` (key to tree path) closed to a viewer.

    Four queries at most for any number of pages, and one more for each further link of
    a chain of pages that mirror each other.
    """
    line = _line(pages, paths.values())
    originals = _originals(pages, line.values())
    passes = passes_of(viewer)
    closed = {
        restriction.page_id
        for restriction in _restrictions(set(originals.values()))
        if not passes.open(restriction)
    }
    shut = {path for path, (pk, _) in line.items() if originals[pk] in closed}
    return {
        key for key, path in paths.items() if not shut.isdisjoint(line_to(pages, path))
    }


def _line(
    pages: type[models.Model], paths: Iterable[str]
) -> dict[str, tuple[Any, Any]]:
    """Return key and mirrored page of these pages and all above them, by path."""
    wanted = sorted({step for path in paths for step in line_to(pages, path)})
    return {
        path: (pk, alias_of)
        for some in _some(wanted)
        for path, pk, alias_of in pages._base_manager.filter(path__in=some).values_list(
            "path", "pk", "alias_of"
        )
    }


def _originals(
    pages: type[models.Model], rows: Collection[tuple[Any, Any]]
) -> dict[Any, Any]:
    """Return for each page the one whose restrictions count for it."""
    mirrored = dict(rows)
    while missing := {of for of in mirrored.values() if of and of not in mirrored}:
        for some in _some(sorted(missing)):
            found = pages._base_manager.filter(pk__in=some)
            mirrored |= dict(found.values_list("pk", "alias_of"))
    return {pk: _last(pk, mirrored) for pk, _ in rows}


def _last(pk: Any, mirrored: Mapping[Any, Any]) -> Any:
    while mirrored[pk]:
        pk = mirrored[pk]
    return pk


def _restrictions(page_ids: Collection[Any]) -> Iterator[Restriction]:
    from wagtail.models import PageViewRestriction

    groups: dict[tuple[int, int, str], set[int]] = {}
    for some in _some(sorted(page_ids)):
        rows = PageViewRestriction.objects.filter(page_id__in=some)
        fields = ("pk", "page_id", "restriction_type", "groups__pk")
        for *restriction, group in rows.values_list(*fields):
            groups.setdefault(tuple(restriction), set()).add(group)
    for (pk, page_id, kind), allowed in groups.items():
        yield Restriction(pk, page_id, kind, frozenset(allowed - {None}))


def _some(values: Sequence[T]) -> Iterator[Sequence[T]]:
    for begin in range(0, len(values), AT_ONCE):
        yield values[begin : begin + AT_ONCE]
