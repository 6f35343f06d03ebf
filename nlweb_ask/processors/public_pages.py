"""What a question finds among public pages, for visitors who may see no others.

By the same retrievers, in the profile that answers them, and each page asked about live.
So it tells nothing that the answer itself would not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from nlweb_ask.conf import ProfileConf, SiteConf, granted_profiles, site_conf
from nlweb_ask.index.reading import current, one_moment
from nlweb_ask.index.search import version_said
from nlweb_ask.index.spelling import with_corrections
from nlweb_ask.index.store import load_documents, schema_types
from nlweb_ask.plugins import (
    Candidate,
    Question,
    Retriever,
    Scope,
    Viewer,
    retrievers,
    sources,
)
from nlweb_ask.sources.allowed import visible_ids

# Pages marked public that were closed unseen are few: the first look nearly always does.
FIRST_LOOK: Final = 50
GROWTH: Final = 4
_TYPE_NAME: Final = re.compile("[A-Z][A-Za-z0-9]+")
ANY_TYPE: Final = "Thing"


def is_public_only(viewer: Viewer) -> bool:
    """Tell whether a viewer may see public pages and certainly no others."""
    opening = {
        mark for source in sources for mark in getattr(source, "opening_marks", ())
    }
    return viewer.is_anonymous and not any(map(viewer.session_marks.get, opening))


def is_public_type(name: str, site_id: int) -> bool:
    """Tell whether a text is the type of a page that the public may see."""
    labels = current(site_id).public_labels if _TYPE_NAME.fullmatch(name) else ()
    return any(name in label.types for label in labels)


def public_types(site_id: int) -> list[str]:
    """Return the types of pages that the public may see, sorted, as far as allowed."""
    allowed = {name.casefold() for name in site_conf(site_id).allowed_types}
    return sorted(
        name
        for name in {
            name for each in current(site_id).public_labels for name in each.types
        }
        if _TYPE_NAME.fullmatch(name) and (not allowed or name.casefold() in allowed)
    )


def with_picked_type(question: Question, viewer: Viewer) -> Question | None:
    """Return the question before with the type that was picked; None where none was.

    For a text that is nothing but a type: it answers what was asked back.
    """
    said = question.text.strip()
    if not question.prev or not is_public_type(said, viewer.site_id):
        return None
    before = question.prev[-1].strip()
    asked_for = question.item_type or said
    return replace(question, decontextualized_query=before, item_type=asked_for)


def found_types(question: Question, viewer: Viewer, most: int) -> list[str] | None:
    """Return the schema.org type of each page found, best first.

    Args:
        question: Of one that names a profile or filters, nothing is told.
        viewer: One for whom `is_public_only` holds.
        most: How many pages of each retriever at most.

    Returns:
        Of each page one type, the first it has; no page, no type. None where it cannot
        be told what will be searched.
    """
    if question.site or question.filters:
        return None
    conf = site_conf(viewer.site_id)
    profile = next(iter(granted_profiles(viewer, conf)), None)
    if profile is None:
        return None
    types = _types(conf, profile)
    if types is None:
        return []
    with one_moment():
        scope = _scope(question, viewer, profile, types)
        asked = with_corrections(question, scope)
        found: dict[Candidate, None] = {}
        for choice in profile.retrievers:
            retriever = retrievers.get(choice.name)
            found |= dict.fromkeys(_visible(retriever, asked, scope, viewer, most))
    return _types_of(found, viewer.site_id)


def _scope(
    question: Question, viewer: Viewer, profile: ProfileConf, types: Sequence[str]
) -> Scope:
    return Scope(
        site_id=viewer.site_id,
        sources=profile.sources or sources.names(),
        languages=(question.language,) if question.language else profile.languages,
        types=tuple(types),
        version=version_said(question.search_text, viewer.site_id),
        viewer=viewer,
    )


def _types(conf: SiteConf, profile: ProfileConf) -> tuple[str, ...] | None:
    """Return the types that may be found, empty for all, or None where none is left."""
    allowed, narrowed = conf.allowed_types, profile.allowed_types
    if not (allowed and narrowed):
        return allowed or narrowed
    folded = {name.casefold() for name in narrowed}
    return tuple(name for name in allowed if name.casefold() in folded) or None


def _visible(
    retriever: Retriever, question: Question, scope: Scope, viewer: Viewer, most: int
) -> list[Candidate]:
    """Return the best candidates that the viewer may see."""
    limit = FIRST_LOOK
    while True:
        found = retriever.retrieve(question, scope, limit=limit)
        allowed = _allowed(found, scope, viewer)
        kept = [each for each in found if (each.source, _asked_as(each)) in allowed]
        if len(kept) >= most or len(found) < limit:
            return kept[:most]
        limit *= GROWTH


def _asked_as(candidate: Candidate) -> str:
    return candidate.reference.asked_as


def _allowed(
    found: Iterable[Candidate], scope: Scope, viewer: Viewer
) -> set[tuple[str, str]]:
    by_source: dict[str, list[str]] = {}
    for candidate in found:
        if candidate.source in scope.sources and candidate.source in sources:
            by_source.setdefault(candidate.source, []).append(_asked_as(candidate))
    return {
        (name, object_id)
        for name, object_ids in by_source.items()
        for object_id in visible_ids(sources.get(name), viewer, object_ids)
    }


def _types_of(found: Mapping[Candidate, None], site_id: int) -> list[str]:
    references = dict.fromkeys(candidate.reference for candidate in found)
    stored = load_documents(site_id, references)
    pages = (stored[each] for each in references if each in stored)
    types = (schema_types(page.schema_object) for page in pages)
    return [each[0] if each else ANY_TYPE for each in types]
