"""A model for plug-ins, which answers what a test says and remembers what it was told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from nlweb_ask.plugins import ModelUnavailable, Prompt


@dataclass
class SaidModels:
    """Answers once, as `Models` promises; without an answer there is no model."""

    answer: Any = None  # what is no text is written as JSON
    prompts: list[Prompt] = field(default_factory=list)

    def complete(self, prompt: Prompt, *, max_tokens: int) -> str:
        assert max_tokens > 0
        self.prompts.append(prompt)
        if self.answer is None or len(self.prompts) > 1:
            raise ModelUnavailable(reason="fault")
        said = self.answer
        return said if isinstance(said, str) else json.dumps(said)

    def stream(self, prompt: Prompt, *, max_tokens: int) -> Iterator[str]:
        yield self.complete(prompt, max_tokens=max_tokens)
