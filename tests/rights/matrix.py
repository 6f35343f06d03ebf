"""The permission matrix of the plain models: every kind of page that they have."""

from __future__ import annotations

from typing import Final

from tests.rights import sites
from tests.rights.ways import ABSENT_CHANNELS, CALLERS, CHANNELS, Matrix, State

__all__ = ["ABSENT_CHANNELS", "CALLERS", "CHANNELS", "MATRIX", "STATES"]

STATES: Final = (
    State("public", sites.public),
    State("draft", sites.draft),
    State("unpublished", sites.unpublished_by_save),
    State("unpublished by update()", sites.unpublished_unseen),
    State("scheduled", sites.scheduled),
    State("expired before it was indexed", sites.expired_before),
    State("expired since", sites.expired_since),
    State("login required", sites.for_members),
    State("login required by update()", sites.for_members_unseen),
    State("group A only", sites.for_a),
    State("group A only, by bulk_create()", sites.for_a_unseen),
    State("restricted by its parent", sites.below_restricted),
    State("restricted two levels above", sites.two_below_restricted),
    State("other site", sites.of_other_site),
    State("untranslated", sites.public, language="de"),
    State("translation not published", sites.translation_unpublished),
    State("noindex", sites.noindex),
    State("noindex by update()", sites.noindex_unseen),
    State("deleted", sites.deleted),
    State("deleted by a queryset", sites.deleted_by_queryset),
    State("deleted in SQL", sites.deleted_in_sql),
    State("moved below a restricted page", sites.moved_below_restricted),
    State("moved by update()", sites.moved_unseen),
    State("parent restricted since", sites.parent_restricted_since),
)

# What the full matrix has and this one cannot: each with the reason.
ABSENT_STATES: Final = {
    "shared password": "plain models have none; it is Wagtail's",
}

MATRIX: Final = Matrix(CALLERS, STATES, ABSENT_STATES)
