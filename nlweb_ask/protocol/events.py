"""What happens while a question is answered: the events every form of an answer folds.

A sequence is `Start`, then any `ResultFound` and `Content`, at most one of `Elicitation`,
`PromiseMade` or `Failure`, and exactly one `Complete`, always last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from nlweb_ask.protocol.question import Mode, Version

ResponseType = Literal["answer", "elicitation", "promise", "failure"]
Completeness = Literal["complete", "partial", "reduced"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The question was accepted; nothing has been searched for yet."""

    version: Version
    query_id: str
    conversation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFound:
    """One page this viewer may see.

    `item` is the schema.org object with `@id`, `url`, `name`, `site`, `score`,
    `description` and `grounding` in it, in the order in which they are written.
    """

    index: int  # from 0
    item: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Words of a page that stand behind words of the answer, looked up when it was sent.

    `start` and `end` are offsets in code points into the text of the `Content` event
    that carries it, end exclusive; `span` is one into the text of the passage. What
    `passage` and `words_hash` hold only the site can read, at `/ask/receipts`.
    """

    start: int
    end: int
    index: int  # of the result, from 0
    url: str  # of the page, at the heading of the passage
    passage: str
    span: tuple[int, int]
    words_hash: str
    quote: str


Doubt = Literal["uncited", "unsupported"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Words of the answer that no quote proves, in code points of the event's text.

    `uncited` ones are of no page; of `unsupported` ones a number, a name or a negation
    stands in none of their quotes.
    """

    start: int
    end: int
    doubt: Doubt


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A piece of the summary or answer; pieces are joined without a separator."""

    text: str
    citations: tuple[Receipt, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Elicitation:
    """The question is too open to answer; the caller is asked back."""

    response_type: ClassVar[ResponseType] = "elicitation"

    text: str
    questions: tuple[Mapping[str, Any], ...] = ()


def options_of(question: Mapping[str, Any]) -> list[str]:
    """Return what may be chosen in a question of an elicitation; none if it is no list."""
    options = question.get("options")
    return list(map(str, options)) if isinstance(options, list | tuple) else []


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseMade:
    """The answer will be ready later, under `token`."""

    response_type: ClassVar[ResponseType] = "promise"

    token: str
    estimated_time: int | None = None  # seconds
    message: str | None = None
    progress: float | None = None  # 0 to 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The question could not be answered, or not to the end.

    `message` is for people and never carries an exception's text.
    """

    response_type: ClassVar[ResponseType] = "failure"

    code: str
    message: str
    details: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Why an answer is less than it could be, or other than was asked for."""

    code: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Complete:
    """The end of every answer, also of one that failed."""

    response_type: ResponseType
    version: Version
    query_id: str
    conversation_id: str
    mode: Mode
    response_format: str
    session_context: Mapping[str, Any]
    total_items: int
    processing_time_ms: int
    completeness: Completeness = "complete"
    summary: str | None = None
    decontextualized_query: str | None = None
    corrected_query: str | None = None
    generator: str | None = None
    notice: Notice | None = None


Ending = Elicitation | PromiseMade | Failure
Event = Start | ResultFound | Content | Ending | Complete
