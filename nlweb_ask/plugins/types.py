"""The frozen values that pass between the stages of a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol

Partition = Literal["public", "restricted"]
# What a question asks a model for, each at most once.
Step = Literal["rewrite", "rank", "write"]


class UserLike(Protocol):
    """What this package reads of a user, so that `plugins` stays free of Django.

    A model that has only what `AbstractBaseUser` gives it will do: nobody is staff or a
    superuser then.
    """

    @property
    def pk(self) -> Any: ...
    @property
    def is_authenticated(self) -> bool: ...
    @property
    def is_active(self) -> bool: ...
    @property
    def is_staff(self) -> bool: ...
    @property
    def is_superuser(self) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """On whose behalf a question is answered; made once a request.

    The caller (a key, an address) is another thing: a foreign call is the anonymous
    viewer whatever cookie it carries.
    """

    user: UserLike
    site_id: int = 0  # 0 without django.contrib.sites
    language: str = ""  # empty = the site's own
    session_marks: Mapping[str, Any] = field(
        default_factory=lambda: MappingProxyType({})
    )

    @property
    def is_anonymous(self) -> bool:
        return not self.user.is_authenticated


class Reference(NamedTuple):
    """Which document is meant, within one site: never its text."""

    source: str
    object_id: str
    language: str
    part: str = ""

    @property
    def asked_as(self) -> str:
        """The id under which `visible_ids` is asked: a part has one of its own."""
        return f"{self.object_id}#{self.part}" if self.part else self.object_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A hit before the permission gate: a reference and a score, never text."""

    source: str
    object_id: str
    language: str
    score: float  # this retriever's own scale, higher is better
    part: str = ""  # a part of the page with a rule of its own
    passage: int | None = None  # ordinal of the best passage, when known
    # The share of `score` that the visible parts of one page add up; of the rest the
    # best part's counts.
    whole: float = 0.0

    @property
    def reference(self) -> Reference:
        return Reference(self.source, self.object_id, self.language, self.part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where a question may be looked for.

    A retriever searches one partition at a time. Statistics (document frequency,
    lengths, counts) come from live public documents in either case.
    """

    site_id: int
    partition: Partition = "public"
    sources: tuple[str, ...] = ()  # empty = all registered
    languages: tuple[str, ...] = ()  # empty = every language
    types: tuple[str, ...] = ()  # schema.org types, compared without case; empty = all
    # The type that the caller asks for and its subtypes, in lower case; empty = any.
    # A page passes when it has one of these, and one of `types`.
    item_types: frozenset[str] = frozenset()
    version: str = ""  # of documentation; empty = the newest. Pages without one fit
    viewer: Viewer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A piece of a page below one heading, in reading order.

    The text before the first heading is a section with an empty heading and anchor.
    """

    text: str
    heading: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """One page of a source in one language, as an anonymous visitor would read it."""

    object_id: str
    url: str  # a path from the root of the site, or absolute
    name: str
    language: str
    schema_object: Mapping[str, Any]  # schema.org; needs "@type"
    sections: tuple[Section, ...] = ()
    abstract: str = ""  # the page's own description
    part: str = ""
    group: str = ""  # translations of one page share it
    version: str = ""
    sites: tuple[int, ...] = ()  # empty = the default site


class SourceRef(NamedTuple):
    """An object that a source offers; `stamp` changes when its content may have.

    An empty stamp means that only loading it can tell.
    """

    object_id: str
    stamp: str = ""


class StampedIds(set[str]):
    """What `visible_ids` may return: the ids, and stamps read by the same query.

    A page with such a stamp is not looked at once more before its words are shown.
    """

    stamps: Mapping[str, str] = MappingProxyType({})

    def __init__(self, stamps: Mapping[str, str]) -> None:
        super().__init__(stamps)
        self.stamps = stamps


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageText:
    """A stored passage that this viewer may read."""

    ordinal: int
    heading: str
    anchor: str
    text: str
    start: int  # code points into the page's text
    end: int
    words_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A page that this viewer may see, with its text."""

    reference: Reference
    public_id: str  # keyed hash: unguessable, never a row number
    url: str  # absolute
    name: str
    site: str  # host name
    score: float  # 0 to 100
    description: str  # the best passage around the matched words
    schema_object: Mapping[str, Any]
    abstract: str = ""
    passages: tuple[PassageText, ...] = ()  # best first

    @property
    def types(self) -> tuple[str, ...]:
        """The schema.org types, as written; `@type` may be a list."""
        declared = self.schema_object.get("@type", ())
        return (declared,) if isinstance(declared, str) else tuple(declared)


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """What a generator says of its sentence: these words of it stand in that page.

    `start` and `end` are offsets in code points into the text of the sentence, end
    exclusive. It becomes a receipt once the words have been found there.
    """

    start: int
    end: int
    url: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of an answer; it includes its own leading or trailing separator."""

    text: str
    citations: tuple[Citation, ...] = ()
    # It speaks of the answer and not of the pages, such as that there is none: never
    # marked for quoting nothing, and never left out. Not for what a model says.
    is_remark: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a language model is asked: the site's own words, and what is not to be obeyed.

    `user` holds texts of pages and of visitors, each between marks that it cannot write
    itself. Neither holds a secret: a model may repeat all it was told.
    """

    system: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a question, for handlers: what was told, never words of it."""

    response_type: str
    mode: str
    results: int
    seconds: float
    error_code: str = ""
    trace: Any = None
    pages: tuple[str, ...] = ()  # addresses of those that were told, in their order
