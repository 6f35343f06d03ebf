"""A model for plug-ins, which answers what a test says and remembers what it was told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

from nlweb_ask.ai import gateway
from nlweb_ask.ai.providers import language_model
from nlweb_ask.plugins import Deadline, ModelUnavailable, Prompt, Step


@dataclass
class SaidModels:
    """Answers once, as `Models` promises; without an answer there is no model."""

    answer: Any = None  # what is no text is written as JSON
    prompts: list[Prompt] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def __call__(self, step: Step) -> Self:
        self.steps.append(step)
        return self

    def complete(self, prompt: Prompt, *, max_tokens: int) -> str:
        assert max_tokens > 0
        self.prompts.append(prompt)
        if self.answer is None or len(self.prompts) > 1:
            raise ModelUnavailable(reason="fault")
        said = self.answer
        return said if isinstance(said, str) else json.dumps(said)

    def stream(self, prompt: Prompt, *, max_tokens: int) -> Iterator[str]:
        yield self.complete(prompt, max_tokens=max_tokens)


# The first call of a process waits until litellm is imported.
FIRST_CALL_SECONDS = 120.0


class ServedModels:
    """The first model of the settings, asked through the gateway."""

    def __call__(self, step: Step) -> Self:
        return self

    def complete(self, prompt: Prompt, *, max_tokens: int) -> str:
        return "".join(self.stream(prompt, max_tokens=max_tokens))

    def stream(self, prompt: Prompt, *, max_tokens: int) -> Iterator[str]:
        model = language_model()
        assert model is not None
        at = time.monotonic() + FIRST_CALL_SECONDS
        with gateway.stream(
            model,
            prompt,
            max_tokens=max_tokens,
            deadline=Deadline(at, threading.Event()),
        ) as completion:
            yield from completion
