"""Where a question may look: the granted profiles it picked, within the site's caps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from nlweb_ask.conf import ProfileConf, RetrieverChoice, SiteConf
from nlweb_ask.index.search import version_said
from nlweb_ask.pipeline.schema_types import with_subtypes
from nlweb_ask.plugins import Question, Scope, Viewer, sources
from nlweb_ask.plugins.types import Partition


@dataclass(frozen=True, slots=True, kw_only=True)
class AskScope:
    """The site as it answers now, and the profiles a question is put to.

    `profiles` are granted to the viewer and not empty; several are searched as one,
    with the retrievers and the fusion of the first.
    """

    conf: SiteConf
    profiles: tuple[ProfileConf, ...]

    @property
    def retrievers(self) -> tuple[RetrieverChoice, ...]:
        return self.profiles[0].retrievers

    @property
    def fusion(self) -> str:
        return self.profiles[0].fusion


def pick_scope(
    question: Question,
    viewer: Viewer,
    conf: SiteConf,
    profiles: Sequence[ProfileConf],
) -> AskScope:
    """Pick the profiles that the question names among those granted to the viewer.

    A name that is unknown, and one the viewer may not ask, are as if absent. The site's
    own host name means the default profile, which is the first of `profiles`.

    Args:
        question: Its `site` holds names of profiles or hosts, in any case.
        viewer: On whose behalf it is asked.
        conf: The site's settings.
        profiles: At least one, the default one first.
    """
    host = (urlsplit(conf.base_url).hostname or "").casefold()
    wanted = {name.casefold() for name in question.site}
    picked = [profile for profile in profiles if profile.name.casefold() in wanted]
    if host in wanted and profiles[0] not in picked:
        picked.insert(0, profiles[0])
    return AskScope(conf=conf, profiles=tuple(picked or profiles[:1]))


def search_scopes(
    question: Question, viewer: Viewer, scope: AskScope
) -> tuple[Scope, ...]:
    """Return one scope a partition: who holds nothing searches the public one only.

    No scope at all when nothing can be within it: no registered source, or no type that
    both the site and the profiles let in.
    """
    types = _types(scope)
    names = _sources(scope)
    if types is None or not names:
        return ()
    partitions: tuple[Partition, ...] = (
        ("public", "restricted") if _holds_something(viewer, names) else ("public",)
    )
    return tuple(
        Scope(
            site_id=viewer.site_id,
            partition=partition,
            sources=names,
            languages=_languages(question, scope),
            types=types,
            item_types=_item_types(question),
            version=_version(question, viewer.site_id),
            viewer=viewer,
        )
        for partition in partitions
    )


def _holds_something(viewer: Viewer, names: Iterable[str]) -> bool:
    """Tell whether pages that are closed to anybody may be open to this viewer."""
    opening = {
        mark
        for name in names
        for mark in getattr(sources.get(name), "opening_marks", ())
    }
    return not viewer.is_anonymous or any(map(viewer.session_marks.get, opening))


def _sources(scope: AskScope) -> tuple[str, ...]:
    """Return the registered sources of the profiles, in the order of registration."""
    if any(not profile.sources for profile in scope.profiles):
        return sources.names()
    named = {name for profile in scope.profiles for name in profile.sources}
    return tuple(name for name in sources.names() if name in named)


def _languages(question: Question, scope: AskScope) -> tuple[str, ...]:
    if question.language:
        return (question.language,)
    return _union(profile.languages for profile in scope.profiles)


def _types(scope: AskScope) -> tuple[str, ...] | None:
    """Return the types that may be found, empty for all, or None where none is left."""
    allowed = scope.conf.allowed_types
    profiles = _union(profile.allowed_types for profile in scope.profiles)
    if not (allowed and profiles):
        return allowed or profiles
    return _both(allowed, profiles) or None


def _item_types(question: Question) -> frozenset[str]:
    return with_subtypes(question.item_type) if question.item_type else frozenset()


def _both(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    folded = {name.casefold() for name in other}
    return tuple(name for name in one if name.casefold() in folded)


def _union(groups: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Join lists in which an empty one means no restriction."""
    joined: dict[str, None] = {}
    for group in groups:
        if not group:
            return ()
        joined.update(dict.fromkeys(group))
    return tuple(joined)


def _version(question: Question, site_id: int) -> str:
    """Return the version that the request names, else the one that its words do."""
    version = question.filters.get("version")
    if isinstance(version, str) and version.strip():
        return version.strip()
    if isinstance(version, int) and not isinstance(version, bool):
        return str(version)
    return version_said(question.search_text, site_id)
