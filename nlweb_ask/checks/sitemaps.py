"""E012 and W023: where a sitemap is, what is fetched, and a rule that nothing calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import timedelta
from typing import Any, Final

from django.core.checks import CheckMessage, register

from nlweb_ask.checks.table import TAG, report
from nlweb_ask.plugins import sources
from nlweb_ask.sources import ModelSource, SitemapSource, Source
from nlweb_ask.sources.network import Reachable
from nlweb_ask.sources.web_address import NoWebAddress, web_address

LISTS: Final = {
    "hosts": '"docs.example.org"',
    "private_networks": '"127.0.0.0/8"',
    "excluded": '"/blog/*"',
    "sites": "1",
}
TIMES: Final = {
    "recheck_after": "timedelta(hours=1)",
    "shown_for": "timedelta(days=1)",
}


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
    yield from _no_lists(source)
    for host in _listed(source.hosts):
        if not isinstance(host, str) or not _is_host(host):
            yield (
                f"hosts of the source {name!r} has {host!r}, which is no host.",
                'hosts = ["docs.example.org"]',
            )
    try:
        Reachable.with_private(_listed(source.private_networks))
    except (ValueError, TypeError) as error:
        yield (
            f"private_networks of the source {name!r}: {error}.",
            'private_networks = ["127.0.0.0/8"]',
        )
    yield from _wrong_times(source)


def _no_lists(source: type[SitemapSource]) -> Iterator[tuple[str, str]]:
    for attribute, example in LISTS.items():
        written = getattr(source, attribute)
        if isinstance(written, str) or not isinstance(written, Collection):
            if isinstance(written, str) and written:
                example = f'"{written}"'
            message = (
                f"{attribute} of the source {source.name!r} is {written!r}, and must be "
                "a list."
            )
            yield message, f"{attribute} = [{example}]"


def _wrong_times(source: type[SitemapSource]) -> Iterator[tuple[str, str]]:
    name = source.name
    no_times = False
    for attribute, example in TIMES.items():
        written: object = getattr(source, attribute)
        if not isinstance(written, timedelta):
            no_times = True
            message = (
                f"{attribute} of the source {name!r} is {written!r}, and must be a "
                "timedelta."
            )
            yield message, f"{attribute} = {example}"
    if not no_times and not timedelta(0) < source.recheck_after < source.shown_for:
        message = (
            f"shown_for of the source {name!r} is not longer than recheck_after: its "
            "pages would be gone before they are looked at again."
        )
        yield (
            message,
            "recheck_after = timedelta(hours=1) and shown_for = timedelta(days=1)",
        )


@register(TAG)
def check_rules_are_called(**_kwargs: Any) -> list[CheckMessage]:
    registered: tuple[type[Any], ...] = sources.classes()
    return [
        report(
            "W023",
            f"visible_to() of the source {source.name!r} is never called: pages are "
            "shown as if it were not there.",
            hint="Say who may see its pages in def visible_ids(self, viewer, "
            "object_ids).",
            obj=source,
        )
        for source in registered
        if issubclass(source, Source)
        and not issubclass(source, ModelSource)
        and hasattr(source, "visible_to")
        and not _calls_its_own(source)
    ]


def _calls_its_own(source: type[Source]) -> bool:
    """Tell whether the class that brought `visible_to` in also decides what is seen."""
    brought = [each for each in source.__mro__ if "visible_to" in vars(each)]
    return "visible_ids" in vars(brought[-1])


def _listed(written: Any) -> list[Any]:
    """Return the entries, none where they are no list: that is reported by itself."""
    is_list = isinstance(written, Collection) and not isinstance(written, str)
    return list(written) if is_list else []


def _is_host(written: str) -> bool:
    try:
        address = web_address(f"https://{written}")
    except NoWebAddress:
        return False
    return address.site == written.lower() or f"{address.site}:443" == written.lower()
