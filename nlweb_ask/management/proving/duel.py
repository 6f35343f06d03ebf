"""Two answers to each question, with hidden documents and without, and what differs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from nlweb_ask.conf import ProfileConf, SiteConf
from nlweb_ask.management.proving.copies import Copy
from nlweb_ask.management.proving.questions import Posed
from nlweb_ask.models import Document
from nlweb_ask.pipeline.ask import AskScope, pick_scope, rehearsed
from nlweb_ask.plugins import Viewer
from nlweb_ask.protocol.events import Complete, Event, Failure
from nlweb_ask.protocol.question import Limits, Question
from nlweb_ask.protocol.writers import dumps, encode, writer_for
from nlweb_ask.web.viewers import speaking

# What is random of an answer is given; how long it took is left out.
QUERY_ID: Final = "q"
CONVERSATION_ID: Final = "c"
# The first page of results, one in the midst of it, and the one after it.
SHORT_PAGE: Final = Limits(max_results=3, offset=2)
MAX_FIELDS: Final = 12
MAX_TOGETHER: Final = 3
STREAM: Final = "stream"


@dataclass(frozen=True, slots=True)
class Case:
    """One question in one profile, for one page of results."""

    number: int
    question: Question
    viewer: Viewer
    scope: AskScope

    @property
    def profile(self) -> str:
        return ", ".join(profile.name for profile in self.scope.profiles)

    def answer(self) -> Answer:
        events = [
            _timeless(event)
            for event in rehearsed(self.question, self.viewer, self.scope)
        ]
        status, document = writer_for(self.question).document(events)
        messages = writer_for(self.question).messages(events)
        return Answer(
            status=status,
            document=dumps(document),
            stream=b"".join(map(encode, messages)),
            is_whole=not any(map(_fails, events)),
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it goes out; `is_whole` when no part of the site failed to give it."""

    status: int
    document: bytes
    stream: bytes
    is_whole: bool

    @property
    def digest(self) -> bytes:
        written = b"%d\n%b\n%b" % (self.status, self.document, self.stream)
        return hashlib.blake2b(written, digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class Difference:
    """An answer that hidden documents change: in which members, and because of which.

    No members when it was equal at a second look, and no causes when none was found.
    """

    case: Case
    fields: Sequence[str] = ()
    causes: Sequence[Document] = ()


def cases(
    posed: Posed, viewer: Viewer, conf: SiteConf, profiles: Sequence[ProfileConf]
) -> Iterator[Case]:
    """Put a question to each profile, for several pages of results.

    What it says itself, of profiles or of how many results it wants, is kept to. Lists
    only: what a model writes differs from one time to the next, and costs.
    """
    question = replace(
        posed.question,
        mode="list",
        query_id=QUERY_ID,
        conversation_id=CONVERSATION_ID,
    )
    pages = [question.limits]
    if question.limits == Limits():
        pages += [SHORT_PAGE, Limits(offset=conf.max_results)]
    scopes = [AskScope(conf=conf, profiles=(profile,)) for profile in profiles]
    if question.site:
        scopes = [pick_scope(question, viewer, conf, profiles)]
    for scope in scopes:
        for limits in pages:
            yield Case(
                number=posed.number,
                question=replace(question, limits=limits),
                viewer=speaking(viewer, question),
                scope=scope,
            )


def _timeless(event: Event) -> Event:
    if isinstance(event, Complete):
        return replace(event, processing_time_ms=0)
    return event


def _fails(event: Event) -> bool:
    match event:
        case Failure():
            return event.code == "INTERNAL_ERROR"
        case Complete():
            return event.completeness == "partial"
    return False


def compared(
    asked: Sequence[Case],
    copy: Copy,
    hidden: Sequence[Document],
    tell: Callable[[int, int], None],
) -> tuple[list[Case], int]:
    """Return the cases whose answer changes when the hidden documents are left out.

    And how many of all answers the site failed to give as a whole.
    """
    expected = 2 * len(asked)
    digests, failed = [], 0
    for number, case in enumerate(asked):
        tell(number, expected)
        answer = case.answer()
        digests.append(answer.digest)
        failed += not answer.is_whole
    copy.leave_out(hidden)
    differing = []
    for number, (case, digest) in enumerate(zip(asked, digests, strict=True)):
        tell(len(asked) + number, expected)
        answer = case.answer()
        failed += not answer.is_whole
        if answer.digest != digest:
            differing.append(case)
    return differing, failed


def explained(
    cases: Sequence[Case],
    copy: Copy,
    hidden: Sequence[Document],
    tell: Callable[[int, int], None],
) -> list[Difference]:
    """Look at each case again, and find out which documents make it differ."""
    found: list[Difference] = []
    for number, case in enumerate(cases):
        tell(number, len(cases))
        known = [difference.causes for difference in found if difference.causes]
        found.append(_explained(case, copy, hidden, known))
    return found


def _explained(
    case: Case,
    copy: Copy,
    hidden: Sequence[Document],
    known: Sequence[Sequence[Document]],
) -> Difference:
    copy.restore()
    with_hidden = case.answer()

    def differs(left_out: Sequence[Document]) -> bool:
        copy.leave_out(left_out)
        return case.answer().digest != with_hidden.digest

    copy.leave_out(hidden)
    fields = fields_between(with_hidden, case.answer())
    if not fields:
        return Difference(case)
    again = next((causes for causes in known if differs(causes)), None)
    return Difference(case, fields, again or least_cause(differs, hidden))


def fields_between(one: Answer, other: Answer) -> list[str]:
    """Name the members of the document in which two answers differ, never their values.

    A result that is another page is named as a whole.
    """
    found = ["status"] if one.status != other.status else []
    documents = json.loads(one.document), json.loads(other.document)
    found += _differing(*documents, "")
    if not found and one.stream != other.stream:
        found = [STREAM]
    return found[:MAX_FIELDS]


def _differing(one: Any, other: Any, path: str) -> Iterator[str]:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        yield from _differing_members(one, other, path)
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield f"{path}.length"
        for place, (left, right) in enumerate(zip(one, other, strict=False)):
            yield from _differing(left, right, f"{path}[{place}]")
    elif one != other:
        yield path


def _differing_members(
    one: Mapping[str, Any], other: Mapping[str, Any], path: str
) -> Iterator[str]:
    if one.get("url") != other.get("url"):
        yield path
        return
    for name in [*one, *(name for name in other if name not in one)]:
        inner = f"{path}.{name}" if path else name
        if name in one and name in other:
            yield from _differing(one[name], other[name], inner)
        else:
            yield inner


def least_cause(
    differs: Callable[[Sequence[Document]], bool], hidden: Sequence[Document]
) -> list[Document]:
    """Return few documents whose absence together makes a difference.

    Where it takes more than three, three of them.

    Args:
        differs: Tells whether an answer changes when these documents are left out.
        hidden: All that may be left out, which makes a difference.
    """
    found: list[Document] = []
    rest = list(hidden)
    while rest and len(found) < MAX_TOGETHER and not (found and differs(found)):
        # The shortest beginning of the rest that makes a difference with those found.
        low, high = 0, len(rest)
        while high - low > 1:
            middle = (low + high) // 2
            if differs([*rest[:middle], *found]):
                high = middle
            else:
                low = middle
        found.append(rest[high - 1])
        rest = rest[: high - 1]
    return found
