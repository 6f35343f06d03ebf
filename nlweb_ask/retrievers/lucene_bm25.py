"""rank-bm25 with Lucene's IDF and statistics of some of its documents only.

Imported where it is used: rank-bm25 brings numpy.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from rank_bm25 import BM25  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1: Final = 1.2
B: Final = 0.75


class LuceneBM25(BM25):  # type: ignore[misc]
    """BM25 whose IDF ln(1 + (N - df + 0.5) / (df + 0.5)) is above 0 for any df.

    rank-bm25's own classes give a term in half of the documents or more an IDF of 0 or
    less, so that one or two pages cannot be searched.
    """

    def __init__(
        self, corpus: Sequence[Sequence[str]], counted: Sequence[bool]
    ) -> None:
        """Index `corpus`; N, df and the mean length are those of `counted` documents."""
        self.counted = counted
        super().__init__(corpus)

    def _initialize(self, corpus: Sequence[Sequence[str]]) -> Counter[str]:
        self.corpus_size = len(corpus)
        self.doc_len = [len(document) for document in corpus]
        self.doc_freqs = [Counter(document) for document in corpus]
        rows = [row for row, counts in enumerate(self.counted) if counts]
        self.counted_size = len(rows)
        length = sum(self.doc_len[row] for row in rows)
        self.avgdl = length / len(rows) if length else 1.0
        self.holding = Counter(term for row in rows for term in self.doc_freqs[row])
        return self.holding

    def _calc_idf(self, nd: Counter[str]) -> None:
        self.idf = {term: self._idf(holding) for term, holding in nd.items()}

    def _idf(self, holding: int) -> float:
        return math.log(1.0 + (self.counted_size - holding + 0.5) / (holding + 0.5))

    def holds(self, row: int, terms: Sequence[str]) -> bool:
        """Tell whether a document has any of the terms."""
        return not self.doc_freqs[row].keys().isdisjoint(terms)

    def get_scores(self, query: Sequence[str]) -> NDArray[np.float64]:
        """Return one score a document, in the order of the corpus; 0 without a term."""
        norms = K1 * (1.0 - B + B * np.array(self.doc_len, "f8") / self.avgdl)
        scores = np.zeros(self.corpus_size)
        for term in query:
            frequencies = np.array([found[term] for found in self.doc_freqs], "f8")
            idf = self.idf.get(term, self._idf(0))
            scores += idf * (frequencies * (K1 + 1.0) / (frequencies + norms))
        return scores
