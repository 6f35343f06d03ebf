"""A site that is asked by one way after the other, and everything that is said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tests.rights.channels import Asker, Heard, asker
from tests.rights.overheard import Records, cached, given_away, listening, readings
from tests.rights.people import COMMON, Page
from tests.rights.ways import Caller, Channel, Matrix, State

# One of each kind of answer, on every database.
ON_EVERY_SERVER: Final = {"POST JSON, list", "POST SSE, list", "result page, list"}

# Tells whether a caller may be shown a page by a question in a language; empty for any.
Oracle = Callable[[Caller, Page, str], bool]


class Scene:
    """The site with one channel to ask it, and what went wrong so far."""

    def __init__(
        self,
        channel: Channel,
        pages: Mapping[str, Page],
        records: Records,
        oracle: Oracle,
    ) -> None:
        self.channel = channel
        self.oracle = oracle
        self.pages = pages
        self.records = records
        self.wrong: list[str] = []
        self.verdicts: dict[tuple[str, int, str], bool] = {}

    def run(self, caller: Caller, state: State, asker: Asker) -> None:
        """Ask for one page, by its own word."""
        page = self.pages[state.name]
        heard = self._ask(caller, asker, page.probe, state.language, state.name)
        seen = self._may_see(caller, page, state.language)
        if self.channel.finds and seen != (page.address in readings(heard)):
            verdict = "not found" if seen else "found"
            self.wrong.append(f"{caller.name}: {state.name}: {verdict}")

    def run_all(self, caller: Caller, asker: Asker) -> None:
        """Ask for all pages at once: what is found is what may be seen, no more."""
        heard = self._ask(caller, asker, COMMON, "", "all pages")
        text = readings(heard)
        for name, page in self.pages.items():
            seen = self._may_see(caller, page)
            if self.channel.finds and seen != (page.address in text):
                self.wrong.append(f"{caller.name}: all pages: {name}: {seen=}")

    def _ask(
        self, caller: Caller, asker: Asker, text: str, language: str, about: str
    ) -> Heard:
        """Ask, and look for words that this caller may not read in all that is left."""
        self.records.lines.clear()
        heard = self.channel.ask(asker, text, language)
        said = readings(heard)
        for name, page in self.pages.items():
            hidden = [page.unpublished]
            if not self._may_see(caller, page):
                hidden += page.canaries.values()
            if given_away(hidden, said):
                self.wrong.append(f"{caller.name}: {about}: words of {name} in it")
        kept = "\n".join(self.records.lines).casefold() + cached()
        for name, page in self.pages.items():
            words = [*page.canaries.values(), page.unpublished, page.probe]
            if given_away(words, kept):
                self.wrong.append(f"{caller.name}: {about}: words of {name} are kept")
        return heard

    def _may_see(self, caller: Caller, page: Page, language: str = "") -> bool:
        """Ask the oracle, once: nothing is changed between the questions."""
        asked = (caller.name, page.pk, language)
        if asked not in self.verdicts:
            self.verdicts[asked] = self.oracle(caller, page, language)
        return self.verdicts[asked]


@dataclass(frozen=True)
class Run:
    cells: int
    wrong: Sequence[str]


def every_cell(_caller: Caller, _state: State) -> bool:
    return True


def run_channel(
    matrix: Matrix,
    channel: Channel,
    pages: Mapping[str, Page],
    oracle: Oracle,
    picks: Callable[[Caller, State], bool] = every_cell,
) -> Run:
    """Let every caller ask for every page by one way, and for all of them at once.

    With `picks` some cells are asked for by their own word; all of them are among those
    that the question for all pages judges.
    """
    ran = 0
    with listening() as records:
        scene = Scene(channel, pages, records, oracle)
        for caller in matrix.callers:
            if not channel.sessions and caller.session != "live":
                continue
            whoever = asker(caller.username, caller.session)
            for state in matrix.states:
                reason = matrix.reason(channel.name, caller, state.name)
                if not reason and picks(caller, state):
                    scene.run(caller, state, whoever)
                    ran += 1
            scene.run_all(caller, whoever)
    return Run(ran, scene.wrong)
