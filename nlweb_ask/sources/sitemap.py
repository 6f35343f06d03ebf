"""Pages that the site's own sitemap lists, read as an anonymous visitor.

Nobody can be asked who may see such a page: it is for everybody if an anonymous visitor
has just been given it. So what was seen holds for a while only, and a page that was not
looked at again is shown no longer.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from fnmatch import fnmatch
from hashlib import blake2b
from typing import Final
from urllib.parse import unquote

from django.conf import settings
from django.utils import timezone

from nlweb_ask.plugins.types import SourceDocument, SourceRef, Viewer
from nlweb_ask.sources.base import Source
from nlweb_ask.sources.fetching import Fetcher, NotFetched, Refused
from nlweb_ask.sources.gunzip import MAGIC, Unpackable, gunzip
from nlweb_ask.sources.markdown import PageProblem
from nlweb_ask.sources.network import Reachable
from nlweb_ask.sources.public_page import PublicPage, read_page
from nlweb_ask.sources.sitemap_xml import (
    Listed,
    SitemapFile,
    UnreadableSitemap,
    read_sitemap,
)
from nlweb_ask.sources.web_address import NoWebAddress, WebAddress, web_address

logger = logging.getLogger("nlweb_ask.index")

MAX_PAGE_BYTES: Final = 2_000_000
MAX_SITEMAP_BYTES: Final = 10_000_000
MAX_SITEMAPS: Final = 50
MAX_ID: Final = 255  # what the column of an object id holds
# A page that was just fetched is not fetched again where its neighbour failed.
KEPT_SECONDS: Final = 60.0
LISTED_SECONDS: Final = 3_600.0


@dataclass(frozen=True, slots=True)
class _Looked:
    """What came of looking at a page, and when (monotonic seconds)."""

    at: float
    page: PublicPage | None = None
    fault: NotFetched | None = None


@dataclass  # slots would be common to all threads
class _Pass(threading.local):
    """What one thread has seen on its way through the sitemap."""

    listed: dict[str, Listed] = field(default_factory=dict)
    listed_at: float | None = None
    looked: dict[str, _Looked] = field(default_factory=dict)
    given: dict[str, float] = field(default_factory=dict)  # by load(), and when
    problems: dict[str, str] = field(default_factory=dict)


class SitemapSource(Source):
    """The pages that a sitemap of the site's own hosts lists, each as it is for everybody.

    An object id is the address of a page. All fetching is done by `fetch_for_load`, outside of
    transactions: no question waits for it.
    """

    sitemap: str = ""  # its address; its host is the site's own
    hosts: Collection[str] = ()  # further hosts of the site
    # Networks of private addresses that these hosts may be at, such as 127.0.0.0/8.
    private_networks: Collection[str] = ()
    excluded: Sequence[str] = ()  # patterns of paths, such as /blog/*
    schema_type: str = "WebPage"  # of a page that does not say what it is
    default_language: str = ""  # empty = LANGUAGE_CODE
    recheck_after: timedelta = timedelta(hours=1)
    shown_for: timedelta = timedelta(days=1)  # after it was looked at last
    max_pages: int = 5_000
    sites: tuple[int, ...] = ()  # empty = the default site

    def __init__(self) -> None:
        self._pass = _Pass()

    # What exists, and who may see it

    def iter_refs(self) -> Iterator[SourceRef]:
        self._pass.problems.clear()
        self._list()
        for url, listed in self._pass.listed.items():
            yield SourceRef(url, self._stamp(listed))

    def visible_ids(self, viewer: Viewer, object_ids: Collection[str]) -> set[str]:
        """Return the pages that an anonymous visitor was given not long ago."""
        from nlweb_ask.models import Document  # needs the apps to be ready

        wanted = set(object_ids)
        rows = Document.objects.filter(
            source=self.name,
            object_id__in=wanted,
            indexed=True,
            refreshed_at__gt=timezone.now() - self.shown_for,
        )
        known = set(rows.values_list("object_id", flat=True)) if wanted else set()
        # What is about to be indexed for the first time has no row yet.
        since = time.monotonic() - min(KEPT_SECONDS, self.shown_for.total_seconds())
        given = {url for url, at in self._pass.given.items() if at > since}
        return wanted & (known | given)

    def fetch_for_load(self, object_ids: Collection[str]) -> None:
        """Look at these pages, so that `load` need not wait for them."""
        self._require_listing()
        now = time.monotonic()
        kept = {
            url: looked
            for url, looked in self._pass.looked.items()
            if now - looked.at < KEPT_SECONDS
        }
        for url in object_ids:
            if url in self._pass.listed and url not in kept:
                kept[url] = self._look_at(url)
        self._pass.looked = kept

    def load(self, object_ids: Collection[str]) -> Iterable[SourceDocument]:
        self.fetch_for_load(object_ids)
        for url in object_ids:
            self._pass.given.pop(url, None)
            looked = self._pass.looked.get(url)
            if looked is None or url not in self._pass.listed:
                continue
            if looked.fault is not None:
                raise looked.fault
            if looked.page is not None:
                yield self._document(url, looked.page)
                self._pass.given[url] = looked.at

    def iter_problems(self) -> Iterator[PageProblem]:
        """Yield what this thread's last pass has left out, and why."""
        for name, reason in self._pass.problems.items():
            yield PageProblem(name, reason, fatal=False)

    # What a page says

    def _document(self, url: str, page: PublicPage) -> SourceDocument:
        language = page.language or self.default_language or settings.LANGUAGE_CODE
        seen = {
            "@context": "https://schema.org",
            "@type": self.schema_type,
            "name": page.name,
            **({"description": page.description} if page.description else {}),
            "inLanguage": language,
        }
        return SourceDocument(
            object_id=url,
            url=url,
            name=page.name,
            language=language,
            schema_object={**(page.said or seen), "url": url},
            sections=page.sections,
            abstract=page.description,
            sites=self.sites,
        )

    def _look_at(self, url: str) -> _Looked:
        address = web_address(url)
        try:
            fetched = self._fetcher.get(address, MAX_PAGE_BYTES)
            page = read_page(fetched, address)
        except Refused as refusal:
            self._leave_out(url, str(refusal))
            return _Looked(time.monotonic())
        except NotFetched as fault:
            # Its address is in the record of failures beside these words.
            return _Looked(time.monotonic(), fault=fault)
        self._pass.problems.pop(url, None)
        return _Looked(time.monotonic(), page)

    def _leave_out(self, name: str, reason: str) -> None:
        self._pass.problems[name[:MAX_ID]] = reason
        logger.info("left out source=%s object=%s %s", self.name, name[:MAX_ID], reason)

    # The sitemap

    def _require_listing(self) -> None:
        at = self._pass.listed_at
        if at is None or time.monotonic() - at > LISTED_SECONDS:
            self._list()

    def _list(self) -> None:
        """Read which pages are listed now.

        Raises:
            NotFetched: When a sitemap cannot be read: that says nothing of its pages.
        """
        listed: dict[str, Listed] = {}
        for page in self._pages():
            address = self._offered(page)
            if address is None:
                continue
            if len(listed) == self.max_pages:
                reason = f"It lists more than {self.max_pages:,} pages; see max_pages."
                self._leave_out(self.sitemap, reason)
                break
            listed.setdefault(str(address), page)
        self._pass.listed = listed
        self._pass.listed_at = time.monotonic()

    def _offered(self, page: Listed) -> WebAddress | None:
        address = self._own(page)
        if address is None:
            return None
        # Either may be written with its letters encoded.
        path = unquote(address.target.partition("?")[0])
        if any(fnmatch(path, unquote(pattern)) for pattern in self.excluded):
            return None
        if len(str(address)) > MAX_ID:
            self._leave_out(page.url, f"Its address is longer than {MAX_ID} signs.")
            return None
        return address

    def _own(self, listed: Listed) -> WebAddress | None:
        try:
            address = web_address(listed.url)
        except NoWebAddress as error:
            self._leave_out(listed.url, str(error))
            return None
        if address.site not in self._fetcher.hosts:
            self._leave_out(listed.url, "It is on a host that is not the site's own.")
            return None
        return address

    def _pages(self) -> Iterator[Listed]:
        first = self._file(self.sitemap)
        yield from first.pages
        for sitemap in first.sitemaps[:MAX_SITEMAPS]:
            address = self._own(sitemap)
            if address is not None:
                yield from self._file(str(address)).pages
        if len(first.sitemaps) > MAX_SITEMAPS:
            reason = f"It lists more than {MAX_SITEMAPS} sitemaps."
            self._leave_out(self.sitemap, reason)

    def _file(self, url: str) -> SitemapFile:
        try:
            body = self._fetcher.get(web_address(url), MAX_SITEMAP_BYTES).body
            if body.startswith(MAGIC):
                body = gunzip(body, MAX_SITEMAP_BYTES)
            return read_sitemap(body)
        except (
            NoWebAddress,
            Refused,
            NotFetched,
            Unpackable,
            UnreadableSitemap,
        ) as why:
            msg = f"The sitemap {url} could not be read. {why}"
            raise NotFetched(msg) from why

    @property
    def _fetcher(self) -> Fetcher:
        own = web_address(self.sitemap)
        reachable = Reachable.with_private(self.private_networks)
        return Fetcher({own.site, *map(str.lower, self.hosts)}, reachable)

    def _stamp(self, listed: Listed) -> str:
        """Return what moves with the date in the sitemap, and every `recheck_after`.

        Each page has a moment of its own, so that not all are due at once.
        """
        period = self.recheck_after.total_seconds()
        digest = blake2b(listed.url.encode(), digest_size=8).digest()
        shift = int.from_bytes(digest, "big") % max(int(period), 1)
        number = int((time.time() + shift) / period)
        written = f"{listed.changed}|{number}"
        return blake2b(written.encode(), digest_size=16).hexdigest()
