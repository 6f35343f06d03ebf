"""Tables: settings of the owner, and the search index."""

from nlweb_ask.models.index import (
    Change,
    Document,
    IndexFailure,
    IndexState,
    Passage,
    Posting,
    Segment,
)

__all__ = [
    "Change",
    "Document",
    "IndexFailure",
    "IndexState",
    "Passage",
    "Posting",
    "Segment",
]
