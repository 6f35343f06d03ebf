"""Pages as their templates render them for an anonymous visitor, where a project wants it.

Not by default: it takes as long as serving each page, runs all of a project's template
code while the index is made, and what a template shows beside the page (teasers, the
clock, raw HTML) is not what its model declares to be searchable.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from django.db import connections, transaction
from django.utils import timezone, translation

from nlweb_ask.contrib.wagtail.described import address_of, anonymous_request
from nlweb_ask.contrib.wagtail.roots import Root, root_of, roots
from nlweb_ask.contrib.wagtail.source import WagtailSource
from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.plugins import Section, SourceDocument, sources
from nlweb_ask.sources.fetching import Fetched, Refused
from nlweb_ask.sources.primary_keys import readable_keys
from nlweb_ask.sources.public_page import PublicPage, read_page
from nlweb_ask.sources.viewers import anonymous_viewer

logger = logging.getLogger("nlweb_ask.index")

MAX_BYTES: Final = 2_000_000


@dataclass  # slots would be common to all threads
class _Pass(threading.local):
    """What one thread has rendered for the pages that it loads next."""

    rendered: Mapping[str, PublicPage] = field(default_factory=dict)
    due: set[str] = field(default_factory=set)  # after the commit


class RenderedWagtailSource(WagtailSource):
    """Wagtail's pages with what their templates say; register a subclass of it.

    The schema.org object of a page that makes none itself is taken from the JSON-LD in
    its HTML. Only pages that an anonymous visitor may open are rendered: of the others
    stay the declared fields.
    """

    rendered_words: bool = False  # take the text from the HTML too, not from the fields

    def __init__(self) -> None:
        self._pass = _Pass()

    def fetch_for_load(self, object_ids: Collection[str]) -> None:
        """Render these pages, outside of transactions: else once this one is committed.

        A template may write, or fail in the database, which a save must not suffer from.
        """
        self._pass.rendered = {}
        alias = self.model._default_manager.db
        if connections[alias].in_atomic_block:
            self._pass.due |= set(object_ids)
            refresh = partial(_refresh_due, self.name, self._pass)
            transaction.on_commit(refresh, using=alias)
            return
        public = self.visible_ids(anonymous_viewer(), object_ids)
        keys = readable_keys(self.model, public)
        tops = roots(self.model)
        rows: Any = self._rows().filter(pk__in=keys)
        found = {
            str(page.pk): rendered(page, root)
            for page in rows.specific()
            if (root := root_of(page.path, tops)) is not None
        }
        self._pass.rendered = {pk: page for pk, page in found.items() if page}

    def load(self, object_ids: Collection[str]) -> Iterable[SourceDocument]:
        try:
            yield from super().load(object_ids)
        finally:
            self._pass.rendered = {}

    def published(self, obj: Any) -> Mapping[str, Any] | None:
        seen = self._pass.rendered.get(str(obj.pk))
        return super().published(obj) or (seen.said if seen else None)

    def get_sections(self, obj: Any) -> Iterable[Section]:
        seen = self._pass.rendered.get(str(obj.pk))
        if seen is None or not self.rendered_words:
            return super().get_sections(obj)
        return seen.sections


def _refresh_due(source_name: str, passed: _Pass) -> None:
    due, passed.due = passed.due, set()
    if due and source_name in sources:
        refresh_objects(source_name, sorted(due))


def rendered(page: Any, root: Root) -> PublicPage | None:
    """Return what Wagtail's own view serves of a page to an anonymous visitor.

    The middleware is left out: no cache of whole pages gives an older one. None where the
    page is not served to everybody, or its template fails; that is logged, in no words
    of the page.
    """
    try:
        return _read(page, root)
    except Refused as refusal:
        reason = str(refusal)
    except Exception as error:  # noqa: BLE001 - the project's own templates
        reason = type(error).__name__
    logger.info("not rendered source=wagtail object=%s %s", page.pk, reason)
    return None


def _read(page: Any, root: Root) -> PublicPage:
    response = _served(page, root)
    if response.status_code != 200 or response.streaming:
        msg = f"It is answered with status {response.status_code}, or as a stream."
        raise Refused(msg)
    if len(response.content) > MAX_BYTES:
        msg = f"It is longer than {MAX_BYTES:,} bytes."
        raise Refused(msg)
    address, kind = address_of(page), response.get("Content-Type", "")
    robots = tuple(filter(None, [response.get("X-Robots-Tag")]))
    return read_page(Fetched(address, kind, robots, response.content), address)


def _served(page: Any, root: Root) -> Any:
    from wagtail.views import serve

    with translation.override(page.locale.language_code), timezone.override(None):
        response = serve(anonymous_request(page), _path_below(page, root))
        if not getattr(response, "is_rendered", True):
            response.render()
        return response


def _path_below(page: Any, root: Root) -> str:
    levels = (len(page.path) - len(root.path)) // page.steplen
    steps = page.url_path.strip("/").split("/")
    return "/".join(steps[len(steps) - levels :])
