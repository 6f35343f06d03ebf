"""Read the tutorial as a list of steps, so that a test can do what a reader does."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

FENCE = re.compile(
    r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
CAPTION = re.compile(r"\A:caption: (?P<file>\S+?)(?P<end>, at the end)?\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFile:
    file: str
    text: str
    append: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    words: tuple[str, ...]


def steps(page):
    """Give the files to write and the commands to run, in reading order."""
    found = []
    for fence in FENCE.finditer(page):
        info, body = fence["info"].strip(), fence["body"]
        if info == "console":
            found.extend(commands(body))
        elif caption := CAPTION.match(body):
            found.append(
                WriteFile(
                    file=caption["file"],
                    text=body[caption.end() :],
                    append=bool(caption["end"]),
                )
            )
    return found


def commands(body):
    return [
        RunCommand(words=tuple(shlex.split(line.removeprefix("$ "))))
        for line in body.splitlines()
        if line.startswith("$ ")
    ]
