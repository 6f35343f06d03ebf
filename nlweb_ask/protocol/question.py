"""The one model into which every dialect of a question is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

Mode = Literal["list", "summarize", "generate"]
Version = Literal["0.1", "0.5", "0.54", "0.55"]

MODES: Final[tuple[Mode, ...]] = ("list", "summarize", "generate")
NEWEST_VERSION: Final[Version] = "0.55"
DEFAULT_FORMAT: Final = "conv_search"
EMPTY: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a caller asked to be limited to; the site's own caps are applied later.

    A request can lower a cap of the site and never raise it.
    """

    max_results: int | None = None  # 1-100
    num_results: int | None = None  # candidates, 1-1000
    min_score: float | None = None  # 0-100
    offset: int = 0  # results to skip among the visible ones, from 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question as the pipeline sees it, whatever dialect it came in.

    Section 2 of the NLWeb reference names the keys each field is read from. Fields that were
    absent have their default; `None` always means "not said by the caller".
    """

    text: str
    version: Version = NEWEST_VERSION
    legacy_stream: bool = False  # 0.1 with `generate_mode`: the older widgets' messages
    ask_family: bool = False  # `meta.api_version` was there: extra keys in the stream
    site: tuple[
        str, ...
    ] = ()  # names of profiles or hosts; empty = the default profile
    item_type: str | None = None
    filters: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    prev: tuple[str, ...] = ()
    context_text: str | None = None
    memory: tuple[str, ...] = ()
    decontextualized_query: str | None = None
    corrected_text: str | None = None  # `search_text` with mistyped words put right
    mode: Mode | None = None  # None = the site's default mode
    streaming: bool | None = None  # as said by the caller, before the Accept header
    response_format: str | None = None
    language: str | None = None  # said in the request itself: a filter
    accepted_languages: tuple[
        str, ...
    ] = ()  # of the Accept-Language header, best first: only picks among translations
    session_context: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    query_id: str | None = None
    conversation_id: str | None = None
    limits: Limits = field(default_factory=Limits)

    @property
    def search_text(self) -> str:
        """The words to search for: the caller's decontextualized form where given."""
        return self.decontextualized_query or self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseAction:
    """One request to `/await`."""

    promise_token: str
    action: Literal["checkin", "cancel"]
    version: Version = NEWEST_VERSION
