"""Does a page still stand as it was read? Asked again before its words are quoted.

An answer may be written for minutes. A page that was closed, unpublished or edited
since its words were loaded is quoted no more.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import Final

from nlweb_ask.pipeline.live import load_live
from nlweb_ask.plugins import Reference, Result, Viewer

# For so long what was seen of a page counts: an answer without a model takes less.
LOOK_AGAIN_SECONDS: Final = 1.0


class Standing:
    """The results of one answer, and when each was last seen to stand."""

    def __init__(self, results: Sequence[Result], viewer: Viewer, began: float) -> None:
        self._viewer = viewer
        self._results = {result.reference: result for result in results}
        self._seen = dict.fromkeys(self._results, began)

    def still(self, references: Collection[Reference]) -> bool:
        """Say whether the viewer may see all of these, with the words that were read.

        No query for what was seen within the last second.

        Raises:
            PermissionFailed: When who may see a page cannot be told.
            PluginFailed: When a source cannot tell how a page stands.
        """
        return self.of(references).issuperset(references)

    def of(self, references: Collection[Reference]) -> set[Reference]:
        """Return those of which `still` holds; raise as it does."""
        now = time.monotonic()
        due = [r for r in references if now - self._seen[r] > LOOK_AGAIN_SECONDS]
        stands = self._standing(due) if due else set()
        self._seen |= dict.fromkeys(stands, now)
        return {*references} - {*due} | stands

    def _standing(self, references: Sequence[Reference]) -> set[Reference]:
        ordinals = {r: self._ordinal(r) for r in references}
        live = load_live(self._viewer.site_id, self._viewer, ordinals, {})
        return {
            r
            for r, document in live.items()
            if document.passages == self._results[r].passages
            and document.name == self._results[r].name
        }

    def _ordinal(self, reference: Reference) -> int | None:
        passages = self._results[reference].passages
        return passages[0].ordinal if passages else None
