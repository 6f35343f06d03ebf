"""The default retriever: BM25 over the site's own index tables."""

from __future__ import annotations

from collections.abc import Sequence

from nlweb_ask.index.search import search, words_read
from nlweb_ask.plugins import Candidate, Question, Scope


class KeywordRetriever:
    """Finds pages by their words; see `nlweb_ask.index.search` for the scores."""

    name = "keyword"

    def retrieve(
        self, question: Question, scope: Scope, *, limit: int
    ) -> Sequence[Candidate]:
        return search(words_read(question, scope), scope, limit)
