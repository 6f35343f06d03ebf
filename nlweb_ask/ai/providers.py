"""Which models there are: what stands in settings.py, and nothing else.

An owner picks one by its label; where it is reached, and with whose key, is decided by
who deploys the site.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from nlweb_ask.conf import deployment

# What a provider without keys is sent, so that nobody's key is looked for.
NO_KEY: Final = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Where a model is reached, and with what.

    The key is named, never held: nothing that shows a model can show it.
    """

    label: str
    model: str  # as litellm calls it: "openai/gpt-5-mini"
    key_variable: str = ""  # of the environment
    base_url: str = ""  # empty: the provider's own
    timeout: float = 20.0  # seconds of the whole call
    input_price: float | None = None  # of a million tokens, in the owner's currency
    # Handed to the provider with each call.
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    places: int = 32  # calls of all models at once, in one process

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells it from other models, whatever they are called."""
        return (type(self).__name__, self.model, self.base_url, self.key_variable)

    def cost_micros(self, input_tokens: int, output_tokens: int = 0) -> int | None:
        """Return what so many tokens cost, in millionths; None where no price is set."""
        return _micros((input_tokens, self.input_price), (output_tokens, 0.0))

    def key(self) -> str | None:
        """Return the key, or None where the variable that should hold it is not set.

        It is "" where none is named and litellm looks in the provider's own variables.
        """
        if self.key_variable:
            return os.environ.get(self.key_variable) or None
        return NO_KEY if self.base_url else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModel(Provider):
    """A language model of `NLWEB_ASK["MODELS"]`."""

    first_timeout: float | None = None  # seconds until its first piece
    output_price: float | None = None  # of a million tokens, in the owner's currency
    max_tokens: int = 4096  # of an answer, whatever a plug-in asks for

    def cost_micros(self, input_tokens: int, output_tokens: int = 0) -> int | None:
        """Return what so many tokens cost, in millionths; None where no price is set."""
        if self.input_price is None or self.output_price is None:
            return None
        # A million tokens cost the price, so a token costs as many millionths.
        read, written = (
            input_tokens * self.input_price,
            output_tokens * self.output_price,
        )
        return math.ceil(read + written)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel(Provider):
    """An embedding model of `NLWEB_ASK["EMBEDDERS"]`."""

    width: int | None = None  # numbers of a vector that are asked for; None: its own
    batch: int = 64  # texts of one call
    class_path: str = ""  # of one that runs in this process; then nothing else counts


def language_model(label: str = "") -> LanguageModel | None:
    """Return the model of this label, or the first; None where there is none."""
    written = _picked(deployment().models, label)
    if written is None:
        return None
    return LanguageModel(places=deployment().model_calls_at_once, **written)


def embedding_model(label: str = "") -> EmbeddingModel | None:
    """Return the embedding model of this label, or the first; None where there is none."""
    written = _picked(deployment().embedders, label)
    if written is None:
        return None
    if path := written.get("class"):
        own = {name: value for name, value in written.items() if name != "label"}
        return EmbeddingModel(
            label=written["label"], model=path, class_path=path, extra=own
        )
    return EmbeddingModel(places=deployment().model_calls_at_once, **written)


def _picked(
    written: Mapping[str, Mapping[str, Any]], label: str
) -> dict[str, Any] | None:
    label = label or next(iter(written), "")
    return {**written[label], "label": label} if label in written else None


def _micros(*bought: tuple[int, float | None]) -> int | None:
    """Return the cost of tokens, each kind at its price of a million, rounded up.

    A million tokens cost the price, so one costs as many millionths.
    """
    cost = 0.0
    for tokens, price in bought:
        if price is None:
            return None
        cost += tokens * price
    return math.ceil(cost)
