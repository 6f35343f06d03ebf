"""E012: where a sitemap is, and from where its pages may be fetched."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.core.checks import CheckMessage, register

from nlweb_ask.checks.table import TAG, report
from nlweb_ask.plugins import sources
from nlweb_ask.sources import SitemapSource
from nlweb_ask.sources.network import Reachable
from nlweb_ask.sources.web_address import NoWebAddress, web_address


@register(TAG)
def check_sitemaps_can_be_read(**_kwargs: Any) -> list[CheckMessage]:
    registered: tuple[type[Any], ...] = sources.classes()
    return [
        report("E012", message, hint=hint, obj=source)
        for source in registered
        if issubclass(source, SitemapSource)
        for message, hint in _wrong(source)
    ]


def _wrong(source: type[SitemapSource]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with each attribute, and how it is written."""
    name = source.name
    try:
        web_address(str(source.sitemap))
    except NoWebAddress:
        message = f"sitemap of the source {name!r} is no address: {source.sitemap!r}"
        yield (
            message,
            'sitemap = "https://www.example.org/sitemap.xml"',
        )
    for host in _listed(source.hosts):
        if not _is_host(host):
            yield (
                f"hosts of the source {name!r} has {host!r}, which is no host.",
                'hosts = ["docs.example.org"]',
            )
    try:
        Reachable.with_private(_listed(source.private_networks))
    except ValueError as error:
        yield (
            f"private_networks of the source {name!r}: {error}.",
            'private_networks = ["127.0.0.0/8"]',
        )
    if not timedelta(0) < source.recheck_after < source.shown_for:
        message = (
            f"shown_for of the source {name!r} is not longer than recheck_after: its "
            "pages would be gone before they are looked at again."
        )
        yield (
            message,
            "recheck_after = timedelta(hours=1) and shown_for = timedelta(days=1)",
        )


def _listed(written: Any) -> list[str]:
    """Take a text for one entry, and not for its letters."""
    return [written] if isinstance(written, str) else list(written)


def _is_host(written: str) -> bool:
    try:
        address = web_address(f"https://{written}")
    except NoWebAddress:
        return False
    return address.site == written.lower() or f"{address.site}:443" == written.lower()
