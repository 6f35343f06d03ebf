"""Tables: settings of the owner, the search index, and what models have cost."""

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
from nlweb_ask.models.spending import ModelLease, ModelSpending, VisitorSpending
from nlweb_ask.models.vectors import FIRST_WEIGHT, PageVectors, VectorSet

__all__ = [
    "FIRST_WEIGHT",
    "AccessGrant",
    "AnswerMode",
    "Change",
    "Document",
    "Fusion",
    "Grantee",
    "IndexFailure",
    "IndexProfile",
    "IndexState",
    "ModelLease",
    "ModelSpending",
    "PageVectors",
    "Passage",
    "Posting",
    "ProfileRetriever",
    "Recheck",
    "Segment",
    "SiteSettings",
    "VectorSet",
    "VisitorSpending",
]
