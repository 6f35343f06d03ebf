"""Does in an empty folder what a tutorial says, with the packages of these tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.project.tutorial_steps import RunCommand, WriteFile, steps

ROOT = Path(__file__).parents[2]


class Reader:
    """Follows a tutorial; installing is left out, for everything is installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        scripts = Path(sys.executable).parent
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join([str(scripts), os.environ["PATH"]]),
            "PYTHONPATH": str(ROOT),
        }
        self.environment.pop("DJANGO_SETTINGS_MODULE", None)

    def follow(self, tutorial: str) -> list[str]:
        """Do every step; return what the commands printed."""
        page = (ROOT / "docs" / tutorial).read_text(encoding="utf-8")
        return [said for step in steps(page) if (said := self._do(step)) is not None]

    def _do(self, step: WriteFile | RunCommand) -> str | None:
        if isinstance(step, RunCommand):
            return None if step.words[0] == "pip" else self.run(*step.words)
        with (self.folder / step.file).open("a" if step.append else "w") as file:
            file.write(f"\n{step.text}")
        return None

    def run(self, *words: str) -> str:
        ran = subprocess.run(
            words,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, f"{words}\n{ran.stdout}\n{ran.stderr}"
        return ran.stdout
