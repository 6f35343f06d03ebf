"""What stands in a prompt that should not, by eyes of its own: words, marks, pages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from tests.model_server import ModelRequest
from tests.rights.injections import EVIL, Attack
from tests.rights.obedience import step_of

_PART: Final = re.compile(
    r'<([a-z]+)-([0-9a-f]{16})(?: id="(\d+)")?>\n(.*?)\n</\1-\2>(?:\n\n|\Z)', re.DOTALL
)
# What each step is shown, in which order.
_SHOWN: Final = {
    "ai": "question (passage )+",
    "relevance": "(page )+question ",
    "decide": "(page )+question ",
    "rewrite": "(earlier )+question types ",
    "elicit_ai": "question types ",
}
_WITH_PAGES: Final = frozenset({"ai", "relevance", "decide"})


def strange_prompts(
    requests: Sequence[ModelRequest], planted: Sequence[Attack], secret: Collection[str]
) -> list[str]:
    """Return what is wrong with each prompt: secrets, marks, words of pages.

    Args:
        requests: What a model was asked.
        planted: The pages with orders.
        secret: What no prompt may hold, in small letters.
    """
    found = []
    for request in requests:
        step = step_of(request)
        text = request.text
        found += [f"{step}: {word}" for word in secret if word in text.casefold()]
        found += [f"{step}: {wrong}" for wrong in _wrong_marks(request.user, step)]
        if EVIL in request.system:
            found.append(f"{step}: an order among the rules")
        held = [each.number for each in planted if each.honest in text]
        if bool(held) != (step in _WITH_PAGES):
            found.append(f"{step}: words of pages {held}")
    return found


def _wrong_marks(user: str, step: str) -> Iterator[str]:
    """Yield what is wrong in how texts of others stand: each between its own two marks."""
    parts = [*_PART.finditer(user)]
    if "".join(part[0] for part in parts) != user:
        yield "words outside of the marks"
    if len({part[2] for part in parts}) != 1:
        yield "another mark"
    if any(
        re.search(r"</?(?:page|passage|question|types)\b", part[4]) for part in parts
    ):
        yield "a mark in the words"
    numbers = [int(part[3]) for part in parts if part[3]]
    if numbers != [*range(1, len(numbers) + 1)]:
        yield f"numbers: {numbers}"
    kinds = "".join(f"{part[1]} " for part in parts)
    if not re.fullmatch(_SHOWN[step], kinds):
        yield f"kinds: {kinds}"
