"""Which vectors a site searches: those of its embedder as it is now, and of no other."""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Final, NamedTuple

from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections, models, router
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from nlweb_ask.ai.embedders import Chosen, embedder
from nlweb_ask.conf import chosen_embedder, deployment
from nlweb_ask.index.reading import moment_of
from nlweb_ask.models import (
    FIRST_WEIGHT,
    Document,
    PageVectors,
    ProfileRetriever,
    VectorSet,
)
from nlweb_ask.plugins import IndexUnavailable, lends_restricted_pages, sources

logger = logging.getLogger("nlweb_ask.index")

RETRIEVER: Final = "vector"
# A process that makes vectors says so anew with each batch; one that was killed holds up
# the others for so long.
LEASE_SECONDS: Final = 120
# A test on fewer pages tells more of chance than of the model.
LEAST_PAGES: Final = 20
# As `Change.token`.
MAX_STEP: Final = 2**31


class SetRow(NamedTuple):
    """What a question asks of a set of vectors."""

    id: int
    model: str
    width: int
    version: int
    weight: float
    least: float
    tested_pages: int


def alias() -> str:
    return router.db_for_write(PageVectors)


def chosen(site_id: int) -> Chosen | None:
    """Return the embedder that this site uses; None where it has none, or a broken one.

    The check says what is wrong with it.
    """
    if not deployment().embedders:
        return None
    try:
        return embedder(chosen_embedder(site_id))
    except ImproperlyConfigured as error:
        logger.warning("no embedder site=%d error=%s", site_id, type(error).__name__)
        return None


def is_searched(site_id: int) -> bool:
    """Tell whether a question to this site may be put to the retriever `vector`."""
    return (
        RETRIEVER in deployment().retrievers
        or ProfileRetriever.objects.filter(
            name=RETRIEVER, profile__site_id=site_id
        ).exists()
    )


def sites_with_vectors() -> list[int]:
    """Return the sites whose pages are to have vectors, by number."""
    if not deployment().embedders:
        return []
    indexed = Document.objects.using(alias()).filter(indexed=True).order_by()
    there = sorted(set(indexed.values_list("site_id", flat=True).distinct()))
    return [site_id for site_id in there if is_searched(site_id)]


@dataclass(frozen=True, slots=True)
class Asked:
    """The embedder of a site and its vectors, as one question found them."""

    chosen: Chosen
    row: SetRow

    @property
    def least(self) -> float:
        """The cosine below which nothing is found: what a test told, if one was made."""
        # Not also what the embedder says: on the tests' manual, whose test fails, that
        # costs .02 nDCG@10.
        return self.row.least if self._was_tested else self.chosen.least or 0.0

    @property
    def needs_words(self) -> bool:
        """Whether nothing tells yet from which cosine on a page is meant."""
        return self.chosen.least is None and not self._was_tested

    @property
    def _was_tested(self) -> bool:
        return self.row.tested_pages >= LEAST_PAGES


def asked(site_id: int) -> Asked | None:
    """Return what a question searches; None while nothing fits the embedder.

    Two queries, once a question.
    """
    known = moment_of(site_id).vectors
    if "set" not in known:
        known["set"] = _asked(site_id)
    found: Asked | None = known["set"]
    return found


def _asked(site_id: int) -> Asked | None:
    used = chosen(site_id)
    if used is None:
        return None
    values: tuple[int | str, ...] = (site_id, used.label, used.name)
    alias_read = router.db_for_read(VectorSet)
    try:
        with connections[alias_read].cursor() as cursor:
            cursor.execute(_set_statement(alias_read), values)
            rows = [SetRow(*row) for row in cursor.fetchall()]
    except DatabaseError as error:
        msg = "The vectors could not be read."
        raise IndexUnavailable(msg) from error
    fitting = [row for row in rows if used.width in {0, row.width}]
    return Asked(used, fitting[-1]) if fitting else None


@lru_cache
def _set_statement(alias_read: str) -> str:
    """Return what is asked in every question: the ORM takes ten times as long."""
    quote = connections[alias_read].ops.quote_name
    columns = ", ".join(map(quote, SetRow._fields))
    wanted = " AND ".join(
        f"{quote(name)} = %s" for name in ("site_id", "label", "model")
    )
    # The names are Django's own, quoted; every value is a parameter.
    return (
        f"SELECT {columns} FROM {quote(VectorSet._meta.db_table)}"  # noqa: S608
        f" WHERE {wanted} ORDER BY id"
    )


def weight_of(site_id: int) -> float:
    found = asked(site_id)
    return FIRST_WEIGHT if found is None else found.row.weight


def stored_width(site_id: int, used: Chosen) -> int:
    """Return the width of what an embedder made of this site last; 0 where nothing is."""
    rows = VectorSet.objects.using(alias()).filter(
        site_id=site_id, label=used.label, model=used.name
    )
    return rows.order_by("-pk").values_list("width", flat=True).first() or 0


def begin_set(site_id: int, used: Chosen) -> VectorSet:
    """Return the set that the vectors of an embedder of known width are written to."""
    made, _made_now = VectorSet.objects.using(alias()).get_or_create(
        site_id=site_id, label=used.label, model=used.name, width=used.width
    )
    return made


def take_lease(vector_set: VectorSet) -> bool:
    """Say that this process makes the vectors of a set; false where another one does."""
    now = timezone.now()
    free = Q(busy_until=None) | Q(busy_until__lt=now)
    rows = VectorSet.objects.using(alias()).filter(free, pk=vector_set.pk)
    return bool(rows.update(busy_until=now + timedelta(seconds=LEASE_SECONDS)))


def renew_lease(vector_set: VectorSet) -> None:
    """Hold on to the lease, and tell other processes that something was written."""
    VectorSet.objects.using(alias()).filter(pk=vector_set.pk).update(
        version=F("version") + 1 + secrets.randbelow(MAX_STEP),
        busy_until=timezone.now() + timedelta(seconds=LEASE_SECONDS),
    )


def end_lease(vector_set: VectorSet) -> None:
    VectorSet.objects.using(alias()).filter(pk=vector_set.pk).update(busy_until=None)


def other_sets(vector_set: VectorSet) -> models.QuerySet[VectorSet]:
    """Return the sets of the same site that were made by something else."""
    rows = VectorSet.objects.using(alias()).filter(site_id=vector_set.site_id)
    return rows.exclude(pk=vector_set.pk)


def due_documents(
    site_id: int, used: Chosen, vector_set_id: int | None
) -> models.QuerySet[Document]:
    """Return the documents whose words have no vectors in the set, by their keys.

    A hosted model is shown public pages, and others only where their source says that
    they may leave the host.
    """
    rows = Document.objects.using(alias()).filter(site_id=site_id, indexed=True)
    if used.is_hosted:
        rows = rows.filter(Q(public=True) | Q(source__in=sources_that_may_leave()))
    return rows.exclude(models.Exists(_of_same_words(vector_set_id))).order_by("pk")


def _of_same_words(vector_set_id: int | None) -> models.QuerySet[PageVectors]:
    return PageVectors.objects.using(alias()).filter(
        vector_set_id=vector_set_id,
        document_id=models.OuterRef("pk"),
        content_hash=models.OuterRef("content_hash"),
        analyzer=models.OuterRef("analyzer"),
    )


def sources_that_may_leave() -> list[str]:
    return [
        name for name in sources.names() if lends_restricted_pages(sources.get(name))
    ]


@dataclass(frozen=True, slots=True)
class Outdated:
    """That the vectors of a site are of another model or width than its embedder."""

    site_id: int
    stored: VectorSet
    used: Chosen

    def message(self) -> str:
        """Say what is stored and what is in use, with both widths."""
        template = _(
            "what is stored has %(old)d numbers a vector (%(old_model)s), and the"
            " embedder in use makes %(new)s (%(new_model)s): re-indexing is needed, and"
            " until then pages are found by their words."
        )
        return template % {
            "old": self.stored.width,
            "old_model": self.stored.model,
            "new": self.used.width or _("a number that is not known yet"),
            "new_model": self.used.name,
        }


def outdated_sets() -> list[Outdated]:
    """Return the sites whose vectors were made by something else than they use now.

    As long as any page waits for its new vectors.
    """
    found = []
    rows = VectorSet.objects.using(alias()).order_by("site_id", "-pk")
    for site_id in sites_with_vectors():
        used = chosen(site_id)
        of_site = list(rows.filter(site_id=site_id))
        if used is None or not of_site:
            continue
        fitting = [row for row in of_site if is_of(row, used)]
        others = [row for row in of_site if not is_of(row, used)]
        set_id = fitting[0].pk if fitting else None
        if others and due_documents(site_id, used, set_id).exists():
            found.append(Outdated(site_id, others[0], used))
    return found


def is_of(row: VectorSet, used: Chosen) -> bool:
    """Tell whether an embedder would make such vectors; one may not say its width."""
    named = (row.label, row.model) == (used.label, used.name)
    return named and used.width in {0, row.width}
