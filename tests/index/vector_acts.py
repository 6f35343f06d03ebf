"""Making vectors in a process of its own; see `tests.index.stepped`."""

from __future__ import annotations

from unittest import mock

from django.test import override_settings

from nlweb_ask.index import embedding
from nlweb_ask.plugins import Question, Scope, retrievers
from tests.index import pages
from tests.index.toy_embedder import ToyEmbedder, vector_settings


def embed() -> list[str]:
    """Embed in steps of two pages, waiting for nobody; return what had to be embedded."""
    ToyEmbedder.embedded.clear()
    with (
        override_settings(NLWEB_ASK=vector_settings()),
        mock.patch.object(embedding, "DOCUMENTS_AT_ONCE", 2),
    ):
        embedding.bring_up_to_date(0)
    return list(ToyEmbedder.embedded)


def nearest() -> list[tuple[str, float]]:
    """Return what vectors find; none but those of words as they are now."""
    with override_settings(NLWEB_ASK=vector_settings()):
        hits = retrievers.get("vector").retrieve(
            Question(text=" ".join(pages.QUESTIONS)), Scope(site_id=0), limit=100
        )
    return [(hit.object_id, hit.score) for hit in hits]
