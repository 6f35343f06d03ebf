"""Whether what an answer cites stands where it says: read from the tables, by SQL alone."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.db import connections

from nlweb_ask.index.aside import ALIAS
from nlweb_ask.protocol.events import Content

PASSAGES = """
    SELECT passage.text FROM nlweb_ask_passage passage
    JOIN nlweb_ask_document document ON document.id = passage.document_id
    WHERE document.indexed AND document.url = %s AND passage.anchor IN ('', %s)
"""


def receipts_that_fail(contents: Iterable[Content]) -> tuple[int, int]:
    """Return how many receipts there are, and how many of them do not hold."""
    receipts = [
        (receipt, content.text[receipt.start : receipt.end])
        for content in contents
        for receipt in content.citations
    ]
    failing = sum(
        not (said.strip() and stands(receipt.url, receipt.span, receipt.quote))
        for receipt, said in receipts
    )
    return len(receipts), failing


def stands(url: str, span: tuple[int, int], quote: str) -> bool:
    address = urlsplit(url)
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(PASSAGES, [address.path, address.fragment])
        texts = [text for (text,) in cursor.fetchall()]
    return any(text[span[0] : span[1]] == quote for text in texts)
