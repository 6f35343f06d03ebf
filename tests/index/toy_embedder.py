"""An embedder for tests that knows a few words by what they mean."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

MEANINGS = {
    word: place
    for place, words in enumerate(
        (
            "kettle teapot samovar",
            "barge boat vessel",
            "puncture flat hole",
            "tide water sea",
        )
    )
    for word in words.split()
}


class ToyEmbedder:
    """Counts what words mean; others give a little of a number of their own.

    `embedded` notes each text, in every thread of the process.
    """

    embedded: list[str] = []
    least: float | None = 0.0

    def __init__(self, name: str = "toy/1", width: int = 16) -> None:
        self.name = name
        self.width = width

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        ToyEmbedder.embedded.extend(texts)
        return np.array([self._vector(text) for text in texts]).reshape(-1, self.width)

    def _vector(self, text: str) -> np.ndarray:
        vector = np.zeros(self.width)
        for word in text.casefold().split():
            meaning = MEANINGS.get(word.strip(".,?!"))
            if meaning is None:
                hashed = hashlib.sha256(word.encode()).digest()[0]
                vector[4 + hashed % (self.width - 4)] += 0.1
            else:
                vector[meaning] += 1.0
        return vector


class OfUnknownCosines(ToyEmbedder):
    least = None


class Zeros(ToyEmbedder):
    """Gives zeros for whatever has no word of the sea."""

    def _vector(self, text: str) -> np.ndarray:
        return super()._vector(text) * ("tide" in text.casefold())


class NotANumber(ToyEmbedder):
    def _vector(self, text: str) -> np.ndarray:
        return np.full(self.width, np.nan if "kettle" in text.casefold() else np.inf)


class Misshapen(ToyEmbedder):
    """Gives vectors of another width than it says."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.ones((len(texts), self.width + 1))


class OneShort(ToyEmbedder):
    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return super().embed(texts[1:])


class Flat(ToyEmbedder):
    """Gives one number a text."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.ones(len(texts))


class Ragged(ToyEmbedder):
    """Gives each text a vector as long as it likes."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return [[1.0] * length for length in range(len(texts))]  # type: ignore[return-value]


class Broken(ToyEmbedder):
    def embed(self, texts: Sequence[str]) -> np.ndarray:
        msg = f"cannot embed {texts}"
        raise RuntimeError(msg)


class Picky(ToyEmbedder):
    """Takes no batch with a text that it cannot read."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if any("Refused" in text for text in texts):
            raise ValueError
        return super().embed(texts)


def vector_settings(kind: str = "ToyEmbedder", **options: object) -> dict[str, object]:
    """Return an `NLWEB_ASK` that searches words and vectors."""
    path = f"tests.index.toy_embedder.{kind}"
    return {
        "RETRIEVERS": ["keyword", "vector"],
        "EMBEDDERS": {"toy": {"class": path, **options}},
        "PROCESSORS": [],
        "HANDLERS": [],
    }
