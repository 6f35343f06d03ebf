"""The language models that one question may ask: who pays, and for how long they may work.

    models = QuestionModels(payer, label, stop, until=…)
    models("rank").complete(prompt, max_tokens=400)

Each call is paid for before it is made, at the most it can cost, and settled after it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Final

from nlweb_ask.ai import gateway
from nlweb_ask.ai.budget import Lease, Payer, reserve
from nlweb_ask.ai.caps import Cost
from nlweb_ask.ai.providers import LanguageModel, language_model
from nlweb_ask.ai.replies import CUT, unreadable
from nlweb_ask.ai.settlement import LEASE_MARGIN_SECONDS, settled
from nlweb_ask.plugins import Deadline, ModelUnavailable, Prompt, Step
from nlweb_ask.plugins.errors import NoModel

# What is left of a question's time once a model has used up its own: to step down.
SPARE_SECONDS: Final = 5.0
# What the next step of the same question would meet again, and wait for again.
LASTING: Final[frozenset[NoModel]] = frozenset({"busy", "fault", "time"})

# Pieces, and at their end whether the model had more to say than it may.
Saying = Generator[str, None, bool]


@dataclass(slots=True)
class QuestionModels:
    """The models of one question, which has one call for each of its steps.

    A model that did not answer one step is not asked in the next.

    Args:
        payer: Out of whose share its calls are paid.
        label: Which model the owner has picked; empty = the first one.
        stop: Set when nobody waits for the answer any more.
        until: When the answer must have ended, by `time.monotonic()`.
    """

    payer: Payer
    label: str
    stop: threading.Event
    until: float
    asked: set[Step] = field(default_factory=set)
    cut: set[Step] = field(default_factory=set)  # answers that `max_tokens` has ended
    given_up: NoModel | None = None  # why it did not answer an earlier step

    def __call__(self, step: Step) -> StepModels:
        return StepModels(self, step)

    def model_for(self, step: Step) -> LanguageModel:
        """Return the model of a step, which is asked from now on.

        Raises:
            ModelUnavailable: When there is none, when it was asked before, and when it
                did not answer an earlier step, for the same reason as there.
        """
        model = language_model(self.label)
        if model is None or step in self.asked:
            raise ModelUnavailable(reason="off")
        if self.stop.is_set():
            raise ModelUnavailable(reason="stopped")
        if self.given_up:
            raise ModelUnavailable(reason=self.given_up)
        self.asked.add(step)
        return model

    def note(self, reason: NoModel) -> None:
        """Note why the model did not answer a step."""
        if reason in LASTING:
            self.given_up = reason

    @property
    def deadline(self) -> Deadline:
        """The end of any call, however long its model may take."""
        return Deadline(self.until - SPARE_SECONDS, self.stop)


@dataclass(frozen=True, slots=True)
class StepModels:
    """A language model as one step of a question asks it; see `plugins.Models`."""

    question: QuestionModels
    step: Step

    @property
    def label(self) -> str:
        """Which model is asked, for the log."""
        model = language_model(self.question.label)
        return self.question.label if model is None else model.label

    @property
    def was_cut(self) -> bool:
        """Whether `max_tokens` has ended the answer to this step."""
        return self.step in self.question.cut

    def complete(self, prompt: Prompt, *, max_tokens: int) -> str:
        return "".join(self._said(prompt, max_tokens))

    def stream(self, prompt: Prompt, *, max_tokens: int) -> Iterator[str]:
        yield from self._said(prompt, max_tokens)
        if self.was_cut:
            # Read while it comes, it would pass for all that there was to say.
            raise unreadable(self, None, CUT)

    def _said(self, prompt: Prompt, max_tokens: int) -> Iterator[str]:
        question = self.question
        model = question.model_for(self.step)
        deadline = question.deadline
        seconds = deadline.at - time.monotonic()
        if seconds <= 0:
            raise ModelUnavailable(reason="time")
        limit = min(max_tokens, model.max_tokens)
        worst = _worst(model, prompt, limit)
        lease = reserve(question.payer, worst, seconds=seconds + LEASE_MARGIN_SECONDS)
        try:
            if (yield from _paid(lease, model, prompt, limit, deadline)):
                question.cut.add(self.step)
        except ModelUnavailable as error:
            question.note(error.reason)
            raise


def _paid(
    lease: Lease,
    model: LanguageModel,
    prompt: Prompt,
    max_tokens: int,
    deadline: Deadline,
) -> Saying:
    """Yield what the model says, and settle its bill however that ends."""
    with (
        settled(lease) as bill,
        gateway.stream(
            model, prompt, max_tokens=max_tokens, deadline=deadline
        ) as completion,
    ):
        try:
            yield from completion
        finally:
            bill.charge(completion.usage)
        return completion.was_cut


def _worst(model: LanguageModel, prompt: Prompt, max_tokens: int) -> Cost:
    read = gateway.input_tokens_at_most(prompt)
    return Cost(calls=1, micros=model.cost_micros(read, max_tokens))
