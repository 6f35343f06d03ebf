"""Tables: settings of the owner, and the search index."""

from nlweb_ask.models.grants import AccessGrant, Grantee
from nlweb_ask.models.index import (
    Change,
    Document,
    IndexFailure,
    IndexState,
    Passage,
    Posting,
    Recheck,
    Segment,
)
from nlweb_ask.models.profiles import Fusion, IndexProfile, ProfileRetriever
from nlweb_ask.models.settings import AnswerMode, SiteSettings

__all__ = [
    "AccessGrant",
    "AnswerMode",
    "Change",
    "Document",
    "Fusion",
    "Grantee",
    "IndexFailure",
    "IndexProfile",
    "IndexState",
    "Passage",
    "Posting",
    "ProfileRetriever",
    "Recheck",
    "Segment",
    "SiteSettings",
]
