"""What others wrote, made fit to be shown to a model: it cannot end where it stands.

Each text stands between marks with a random sign that no text of the prompt holds. What
looks like a mark in it, or like a sign by which a model's server tells who speaks, is
written with another bracket. No wording makes a model obey nothing in between: whatever
it answers is looked at outside of it.
"""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["question", "earlier", "page", "passage", "types"]

# Characters. A question of the protocol is no longer than that; a passage is about 180
# words.
MOST: Final[Mapping[Kind, int]] = {
    "question": 1000,
    "earlier": 500,
    "page": 4000,
    "passage": 4000,
    "types": 2000,
}
MOST_OF_LABEL: Final = 200

_KINDS: Final = "|".join(MOST)
# Whatever reads like a mark; and what servers of open models take for the end of a
# speaker's turn, also inside of a text: <|im_end|>, <start_of_turn>, [INST], <<SYS>>, </s>.
_LIKE_MARKS: Final = re.compile(
    rf"<(?=\s*+/?+\s*+(?:{_KINDS})\b)|<(?=[|\uff5c]|/?(?:start|end)_of_turn|<?/?SYS>|/?s>)"
    r"|\[(?=/?INST\])",
    re.IGNORECASE,
)
_OTHER_BRACKETS: Final = {"<": "\u2039", "[": "\u27e6"}
# They join letters of languages that are not written in ASCII.
_JOINERS: Final = re.compile(
    r"(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f\u200c\u200d])"
)
# Controls, signs of direction and others without a width, halves of characters, signs
# that mean something privately.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co"})
# Seen by nobody though they are marks or letters: variation selectors, fillers, joiners.
_UNSEEN_LETTERS: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_KEPT: Final = frozenset("\n\t\u200c\u200d")
_KNOWN_SIGNS: Final = 4096
_LINE_ENDS: Final = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One text that others wrote, with what is told of it: title, type."""

    kind: Kind
    text: str
    number: int = 0  # by which the answer may name it; 0: it has none
    labels: Mapping[str, str] = field(default_factory=dict)  # by names of our own


def mark_for(parts: Iterable[Part]) -> str:
    """Return a sign of 16 letters that none of the parts holds."""
    told = "".join([text for part in parts for text in _texts(part)])
    while (mark := secrets.token_hex(8)) in told:
        pass
    return mark


def _texts(part: Part) -> list[str]:
    return [part.text, *part.labels.values()]


def between_marks(part: Part, mark: str) -> str:
    """Return a part as a prompt holds it: exactly one closing mark, at its end."""
    number = f' id="{part.number}"' if part.number else ""
    lines = [
        f"{name}: {in_one_line(value, MOST_OF_LABEL)}"
        for name, value in part.labels.items()
        if value
    ]
    lines.append(cleaned(part.text, MOST[part.kind]))
    body = "\n".join(lines)
    return f"<{part.kind}-{mark}{number}>\n{body}\n</{part.kind}-{mark}>"


def in_one_line(text: str, most: int) -> str:
    """Return a cleaned text without the ends of its lines."""
    return " ".join(cleaned(text, most).split())


def cleaned(text: str, most: int) -> str:
    """Return what can be seen of a text, at most so many characters of it.

    What looks like a mark is written with another bracket.
    """
    # What is cut off is not looked at, however long it is.
    seen = _JOINERS.sub("", _LINE_ENDS.sub("\n", text[: 4 * most]))
    seen = _UNSEEN_LETTERS.sub("", seen).translate(_seen)
    return _LIKE_MARKS.sub(_in_other_brackets, seen.strip()[:most])


class _Seen(dict[int, int | None]):
    """Which signs stay, for `str.translate`; the common ones are looked up once."""

    def __missing__(self, point: int) -> int | None:
        sign = chr(point)
        is_seen = sign in _KEPT or unicodedata.category(sign) not in _UNSEEN
        kept = point if is_seen else None
        if len(self) < _KNOWN_SIGNS:
            self[point] = kept
        return kept


_seen: Final = _Seen()


def _in_other_brackets(found: re.Match[str]) -> str:
    return _OTHER_BRACKETS[found[0]]
