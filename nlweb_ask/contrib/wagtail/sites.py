"""Wagtail's sites, which are ours where `django.contrib.sites` is not installed.

With it, a site of Wagtail is the one of Django that has its host name as domain.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.db import models

from nlweb_ask.conf.sites import SitesOfTable, site_named, sites


class WagtailSites(SitesOfTable):
    """The rows of Wagtail's own table; its default site answers on every other host."""

    host_column = "hostname"

    def rows(self) -> models.QuerySet[Any]:
        from wagtail.models import Site

        rows: models.QuerySet[Any] = Site.objects.order_by("-is_default_site", "pk")
        return rows

    def default(self) -> int:
        return self.rows().values_list("pk", flat=True).first() or 0

    def with_host(self, host: str) -> int | None:
        rows = list(self.rows())
        named = {site.pk: site.hostname for site in rows}
        with_port = {site.pk: f"{site.hostname}:{site.port}" for site in rows}
        found = site_named(host, with_port) or site_named(host, named)
        default = next((site.pk for site in rows if site.is_default_site), None)
        return found or default

    def origin(self, site_id: int) -> str:
        site = self.rows().filter(pk=site_id).first()
        return str(site.root_url) if site else ""


def our_site_ids(hostnames: Mapping[int, str]) -> dict[int, int]:
    """Return our site for each of Wagtail's; one that has none is left out.

    Beside `django.contrib.sites`, the only site of Wagtail is the default one of Django
    whatever its name.
    """
    if not apps.is_installed("django.contrib.sites"):
        return {pk: pk for pk in hostnames}
    if len(hostnames) == 1:
        return dict.fromkeys(hostnames, sites().default())
    domains = sites().domains()
    found = {pk: site_named(hostname, domains) for pk, hostname in hostnames.items()}
    return {pk: site_id for pk, site_id in found.items() if site_id is not None}
