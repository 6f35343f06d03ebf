"""What one call of a language model can cost: what a cap of cost has to have room for."""

from __future__ import annotations

from typing import Final

from nlweb_ask.ai.caps import Cost
from nlweb_ask.ai.providers import LanguageModel

# A full call: a prompt with as many pages as a step shows, in English, and an answer as
# long as it may be. In scripts of several bytes a letter it can be more.
FULL_BYTES: Final = 24_000
FULL_TOKENS: Final = 1_500


def full_call(model: LanguageModel) -> Cost:
    """Return what a full call of `model` can cost; `micros` are None without a price."""
    tokens = min(FULL_TOKENS, model.max_tokens)
    return Cost(calls=1, micros=model.cost_micros(FULL_BYTES, tokens))
