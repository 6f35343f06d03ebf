"""What each of the six kinds of plug-in is: a class with a `name` and one method."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, Self, runtime_checkable

from nlweb_ask.plugins.errors import ModelUnavailable
from nlweb_ask.plugins.types import (
    Candidate,
    Outcome,
    Prompt,
    Result,
    Scope,
    Sentence,
    SourceDocument,
    SourceRef,
    Viewer,
)
from nlweb_ask.protocol.question import Question

if TYPE_CHECKING:
    from typing_extensions import TypeIs


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a slow stage must have ended, and whether anybody still waits for it."""

    at: float  # time.monotonic() seconds
    stop: threading.Event  # set when the client has gone


class Processor(Protocol):
    """Rewrites the question before anything is searched for."""

    name: str

    def process(self, question: Question, viewer: Viewer) -> Question:
        """Return the question to go on with.

        Raises:
            Ended: To end the question with a failure or an elicitation.
        """


@runtime_checkable
class LooksAtResults(Protocol):
    """A processor that may also end a question by the pages that were found."""

    def look(
        self, question: Question, viewer: Viewer, results: Sequence[Result]
    ) -> None:
        """Look at what this viewer is about to be told; an exception is noted.

        Raises:
            Ended: To end the question with a failure or an elicitation instead.
        """


class Retriever(Protocol):
    """Finds references in one partition of one scope."""

    name: str

    def retrieve(
        self, question: Question, scope: Scope, *, limit: int
    ) -> Sequence[Candidate]:
        """Return at most `limit` candidates, best first, each reference once.

        Prefix-stable: a larger limit only appends. Fewer than `limit` candidates mean
        that there are no more. A question without searchable words gives none.
        """


@runtime_checkable
class Relative(Protocol):
    """A retriever whose scores have no zero, and which finds something for any question.

    Optional. In a weighted sum its scores count from that of its hundredth visible page
    up, and so far as it has shown to be right on this site.
    """

    def weight_on(self, site_id: int) -> float:
        """Return what the weight of its profile is multiplied by; told by public pages."""


@runtime_checkable
class EmbedsQuestions(Protocol):
    """A retriever that has a question embedded by the embedder of the site.

    Optional. Where a provider does it, a question that may cost nothing does without.
    """

    embeds_questions: bool


class Ranker(Protocol):
    """Orders and drops results; it cannot add one."""

    name: str

    def rank(self, question: Question, results: Sequence[Result]) -> Sequence[Result]:
        """Return some or all of `results`, best first."""


@runtime_checkable
class SaysNoneIsLeft(Protocol):
    """A ranker that says itself what it means when it leaves no page.

    Optional. Without it the answer says that the site does not seem to answer.
    """

    none_left: str  # a sentence, translated; a lazy one will do


class Generator(Protocol):
    """Writes the summary or the answer from results this viewer may see."""

    name: str

    def generate(
        self, question: Question, results: Sequence[Result], deadline: Deadline
    ) -> Iterator[Sentence]:
        """Yield sentences in reading order; stop early when `deadline` says so."""


@runtime_checkable
class ReadsTheBest(Protocol):
    """A generator that reads no more than the best few of the pages it is given.

    Optional. No reader is told of pages that were kept from it and that it would not
    have read.
    """

    most_pages: int


class Handler(Protocol):
    """Acts on the finished question; it runs whether or not the client stayed."""

    name: str

    def handle(self, question: Question, outcome: Outcome) -> None:
        """Act on `outcome`; nothing it does changes the answer."""


class Models(Protocol):
    """A language model as one step of one question may ask it: once.

    Which model it is, what it may cost and how long it may take is settled outside of
    the plug-in. Both methods raise `ModelUnavailable`, and so does a second call.
    """

    def complete(self, prompt: Prompt, *, max_tokens: int) -> str:
        """Return the whole answer, at most `max_tokens` long; it may be any text."""

    def stream(self, prompt: Prompt, *, max_tokens: int) -> Iterator[str]:
        """Yield the answer in pieces as they come; close it to stop the model.

        It raises as well behind the last piece of an answer that `max_tokens` has cut.
        """


class NoModels:
    """What a plug-in has that was given no model: it raises whatever it is asked."""

    def complete(self, prompt: Prompt, *, max_tokens: int) -> str:
        raise ModelUnavailable(reason="off")

    def stream(self, prompt: Prompt, *, max_tokens: int) -> Iterator[str]:
        raise ModelUnavailable(reason="off")


NO_MODELS: Final = NoModels()


@runtime_checkable
class AsksModels(Protocol):
    """A processor, ranker or generator that asks a language model.

    It is shown only pages whose text may leave the site. Of a question that may cost
    nothing, such as one of another site's page, a processor or ranker is left out.
    """

    def with_models(self, models: Models) -> Self:
        """Return this plug-in as it works on one question; it stays as it is itself."""


# Asked in every question, where `isinstance` of a protocol would take fifty times as long.


def asks_models(plugin: object) -> TypeIs[AsksModels]:
    return hasattr(plugin, "with_models")


def looks_at_results(processor: object) -> TypeIs[LooksAtResults]:
    return hasattr(processor, "look")


def is_relative(retriever: object) -> TypeIs[Relative]:
    return hasattr(retriever, "weight_on")


class Source(Protocol):
    """What a site offers to be asked about, and who may see it."""

    name: str

    def iter_refs(self) -> Iterator[SourceRef]:
        """Yield every object that exists, each once, in a stable order."""

    def load(self, object_ids: Collection[str]) -> Iterable[SourceDocument]:
        """Return the documents of these objects as an anonymous visitor reads them.

        For indexing only. An id that is no longer offered is left out; one object may
        give several documents (one a language, or one a part).
        """

    def visible_ids(self, viewer: Viewer, object_ids: Collection[str]) -> set[str]:
        """Return those of `object_ids` that `viewer` may see right now.

        One query for all of them, never one each. An exception fails the question. A
        document with a `part` is asked about as `object_id#part`, so that a part may
        have a rule of its own; a source that knows no parts leaves it out.
        """


@runtime_checkable
class Stamped(Protocol):
    """A source that can tell cheaply whether an object is as it was when indexed.

    Optional. Without it, words that were changed in a way nobody watches are shown
    until the next sweep.
    """

    def stamps(self, object_ids: Collection[str]) -> Mapping[str, str]:
        """Return, for each object that is still there, a text that moves with its words.

        At most 64 characters. One query for all of them, never one each; asked for the
        results of every question, unless `visible_ids` has told them (`StampedIds`).
        """


@runtime_checkable
class LendsRestrictedPages(Protocol):
    """A source that says whether its pages may be sent to a hosted model unless public.

    Optional. Without it only what everybody may see leaves the site.
    """

    restricted_pages_to_models: bool


def lends_restricted_pages(source: Source) -> bool:
    return isinstance(source, LendsRestrictedPages) and bool(
        source.restricted_pages_to_models
    )


@runtime_checkable
class Fetching(Protocol):
    """A source whose pages must be fetched from elsewhere.

    Optional. `load` is called in a transaction, which must not wait for a network.
    """

    def fetch_for_load(self, object_ids: Collection[str]) -> None:
        """Fetch what `load` will be asked for in this thread; called just before.

        May be called again for the same objects. An exception withdraws them, as one of
        `load` does.
        """
