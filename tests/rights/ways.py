"""What every permission matrix has in common: who asks, and by which way.

A later way to ask adds a line to `CHANNELS`, and takes its line out of `ABSENT_CHANNELS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tests.rights import channels
from tests.rights.channels import JSON, STREAM, Ask
from tests.rights.people import Page, People


@dataclass(frozen=True)
class Caller:
    name: str
    username: str | None = None
    session: Literal["live", "expired", "shut out", "passed"] = "live"

    @property
    def counts_as(self) -> str | None:
        """Whom the site must take this caller for; None for nobody."""
        return self.username if self.session in {"live", "passed"} else None


@dataclass(frozen=True)
class State:
    name: str
    make: Callable[[People], Page]
    language: str = ""  # that the question insists on


@dataclass(frozen=True)
class Channel:
    name: str
    ask: Ask
    finds: bool = True  # answers with pages
    speaks: bool = False  # a question can insist on a language
    sessions: bool = True  # knows the caller by a session


CALLERS: Final = (
    Caller("anonymous"),
    Caller("signed in, in no group", "member"),
    Caller("group A", "in-a"),
    Caller("group B", "in-b"),
    Caller("groups A and B", "in-both"),
    Caller("author", "author"),
    Caller("staff without the right", "staff"),
    Caller("superuser", "superuser"),
    Caller("superuser whose session expired", "expired", "expired"),
    Caller("superuser who was shut out", "shut-out", "shut out"),
)

CHANNELS: Final = (
    Channel("POST JSON, list", channels.post("0.55", JSON), speaks=True),
    Channel("POST SSE, list", channels.post("0.55", STREAM), speaks=True),
    Channel("POST JSON 0.54, list", channels.post("0.54", JSON), speaks=True),
    Channel("POST SSE 0.54, list", channels.post("0.54", STREAM), speaks=True),
    Channel("POST JSON 0.5, list", channels.post("0.5", JSON), speaks=True),
    Channel("GET JSON, list", channels.get(JSON)),
    Channel("GET stream, list", channels.get(STREAM)),
    Channel("HEAD", channels.head, finds=False),
    Channel("result page, list", channels.page),
    Channel("command", channels.command(), sessions=False),
    Channel("command --json", channels.command("--json"), sessions=False),
    Channel("command --stream", channels.command("--stream"), sessions=False),
    Channel(
        "POST JSON, summarize", channels.post("0.55", JSON, "summarize"), speaks=True
    ),
    Channel(
        "POST JSON, generate", channels.post("0.55", JSON, "generate"), speaks=True
    ),
    Channel("GET, summarize", channels.get(JSON, "summarize")),
    Channel("GET, generate", channels.get(JSON, "generate")),
    Channel("result page, summarize", channels.written_page("summarize")),
    Channel("result page, generate", channels.written_page("generate")),
    Channel("receipts", channels.receipts, speaks=True),
    Channel("/await", channels.awaited, finds=False),
    Channel("/sites", channels.sites, finds=False),
)

_IN_A_THREAD: Final = (
    "what is written is streamed from a thread, which sees nothing of a test's "
    "transaction; a stream tells what the document does, as is tested by itself"
)
_NOT_YET: Final = "there is no such way yet"
ABSENT_CHANNELS: Final = {
    **{f"POST SSE, {mode}": _IN_A_THREAD for mode in ("summarize", "generate")},
    **{f"MCP tool, {mode}": _NOT_YET for mode in ("list", "summarize", "generate")},
    "suggestions": _NOT_YET,
    "starter questions and pins": _NOT_YET,
    "JSON feed": _NOT_YET,
    "schemamap and llms.txt": _NOT_YET,
    "feedback": _NOT_YET,
    "analytics and export": _NOT_YET,
}


@dataclass(frozen=True)
class Cell:
    channel: str
    caller: str
    state: str
    reason: str = ""  # why it cannot be run; empty for one that must be


@dataclass(frozen=True)
class Matrix:
    """Every cell of callers, states and ways, also those that cannot be run."""

    callers: Sequence[Caller]
    states: Sequence[State]
    absent_states: Mapping[str, str]  # with the reason

    def cells(self) -> Iterator[Cell]:
        known = [channel.name for channel in CHANNELS]
        for channel in (*known, *ABSENT_CHANNELS):
            for caller in self.callers:
                for state in (*(s.name for s in self.states), *self.absent_states):
                    reason = self.reason(channel, caller, state)
                    yield Cell(channel, caller.name, state, reason)

    def cells_to_run(self, channel: Channel) -> int:
        return sum(
            cell.channel == channel.name and not cell.reason for cell in self.cells()
        )

    def reason(self, channel: str, caller: Caller, state: str) -> str:
        """Say why a cell does not exist; empty where it does."""
        if channel in ABSENT_CHANNELS:
            return ABSENT_CHANNELS[channel]
        if state in self.absent_states:
            return self.absent_states[state]
        [way] = [each for each in CHANNELS if each.name == channel]
        [page] = [each for each in self.states if each.name == state]
        if caller.session != "live" and not way.sessions:
            return "a command knows nobody by a session"
        if page.language and not way.speaks:
            return "a question that comes this way names no language"
        return ""
