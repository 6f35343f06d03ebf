"""What the index page says of vectors: of which model they are, and how far it is."""

from __future__ import annotations

from django.utils.translation import gettext as _

from nlweb_ask.admin.sites import site_names
from nlweb_ask.ai.embedders import Chosen
from nlweb_ask.conf.sites import sites
from nlweb_ask.index.vector_sets import (
    LEAST_PAGES,
    chosen,
    due_documents,
    is_of,
    outdated_sets,
    sites_with_vectors,
)
from nlweb_ask.models import VectorSet


def vector_lines() -> list[str]:
    """Return a line a site that searches vectors, and one where they are outdated."""
    names = site_names() if sites().several else {}
    lines = []
    for site_id in sites_with_vectors():
        used = chosen(site_id)
        line = _("no embedder of settings.py is chosen, or it cannot be made.")
        if used is not None:
            line = _state(site_id, used)
        lines.append(_named(names.get(site_id, ""), line))
    for outdated in outdated_sets():
        name = names.get(outdated.site_id, "")
        lines.append(_named(name, outdated.message()))
    return lines


def _named(site_name: str, line: str) -> str:
    where = _("Vectors of %(site)s: ") % {"site": site_name} if site_name else ""
    return where + line if where else _("Vectors: ") + line


def _state(site_id: int, used: Chosen) -> str:
    rows = VectorSet.objects.filter(site_id=site_id).order_by("-pk")
    vector_set = next((row for row in rows if is_of(row, used)), None)
    set_id = None if vector_set is None else vector_set.pk
    due = due_documents(site_id, used, set_id).count()
    words = {"label": used.label, "model": used.name, "due": due}
    if vector_set is None:
        return _("%(label)s (%(model)s), none made yet; %(due)d pages wait.") % words
    words |= {"width": vector_set.width, "test": _test(vector_set)}
    return (
        _("%(label)s (%(model)s, %(width)d numbers); %(due)d pages wait; %(test)s")
        % words
    )


def _test(vector_set: VectorSet) -> str:
    weight = f"{vector_set.weight:.1f}"
    if vector_set.tested_at is None:
        return _("not tested on this site's titles, so their weight is %s.") % weight
    if vector_set.tested_pages < LEAST_PAGES:
        return _(
            "not tested on this site's titles, which takes %(least)d public pages with a"
            " title and a text, and there were %(pages)d; their weight is %(weight)s."
        ) % {
            "least": LEAST_PAGES,
            "pages": vector_set.tested_pages,
            "weight": weight,
        }
    return _(
        "asked for %(pages)d titles, they found %(vectors).2f and words %(words).2f of"
        " what is best, so their weight is %(weight)s."
    ) % {
        "pages": vector_set.tested_pages,
        "vectors": vector_set.by_vectors,
        "words": vector_set.by_words,
        "weight": weight,
    }
