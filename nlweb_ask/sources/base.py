"""What every source has in common: a name, and a rule for who may see its pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, ClassVar

from nlweb_ask.plugins.types import SourceDocument, SourceRef, Viewer


class Source:
    """Base of the ready-made sources; a plug-in need not inherit from it.

    A source must say who may see its pages: by a rule of its own or by `public = True`.
    One that says neither offers nothing and shows nothing; a system check reports it.
    """

    name: str = ""
    public: bool = False
    # Entries of the session that may open a page to visitors who are not signed in, such
    # as passwords they have typed. `visible_ids` finds them in `viewer.session_marks`.
    opening_marks: Sequence[str] = ()
    # Whether pages that not everybody may see may be sent to a language model, on behalf
    # of somebody who may see them.
    restricted_pages_to_models: ClassVar[bool] = False
    # Models whose rows decide who may see pages, or their labels: when such a row is
    # saved or deleted, or a many-to-many that it declares changes, pages are asked
    # about again. Give `affected_by` as well where it is not all of them.
    watch: Sequence[type[Any] | str] = ()
    # What the system check tells whoever has written neither.
    visibility_hint: ClassVar[str] = (
        "Add public = True to the class where every page is for everyone; else add "
        "def visible_ids(self, viewer, object_ids)."
    )

    @classmethod
    def declares_visibility(cls) -> bool:
        """Tell whether the source says who may see its pages."""
        return cls.public or cls.visible_ids is not Source.visible_ids

    def affected_by(self, instance: Any) -> Iterable[object] | None:
        """Return the ids of the objects that a row of `watch` decides about.

        None = all. Asked on both sides of a save and of a change of a many-to-many,
        and before a deletion.
        """
        return None

    def iter_refs(self) -> Iterator[SourceRef]:
        """Yield every object that exists, each once, in a stable order."""
        raise NotImplementedError

    def load(self, object_ids: Collection[str]) -> Iterable[SourceDocument]:
        """Return the documents of these objects as an anonymous visitor reads them."""
        raise NotImplementedError

    def visible_ids(self, viewer: Viewer, object_ids: Collection[str]) -> set[str]:
        """Return those of `object_ids` that `viewer` may see right now.

        A public source shows what it offers; override this where asking for everything
        is slow.
        """
        if not self.public:
            return set()
        wanted = set(object_ids)
        return {ref.object_id for ref in self.iter_refs() if ref.object_id in wanted}
