"""Which sites a deployment has: the one place that knows where they are kept.

A site is a plain number in our tables. `django.contrib.sites` gives it where that is
installed; without it there is one site, 0, unless an app of `contrib` brings the sites
of its own framework.
"""

from __future__ import annotations

from typing import Any, Protocol

from django.apps import apps
from django.conf import settings
from django.db import models


class Sites(Protocol):
    """The sites of a deployment, read anew at each call: a renamed one counts at once."""

    several: bool  # whether somebody must be told which site a row is of

    def default(self) -> int:
        """Return the site of documents that name none."""

    def with_host(self, host: str) -> int | None:
        """Return the site that answers on `host`, which may carry a port; None = none."""

    def domains(self) -> dict[int, str]:
        """Return the host name of every site, by its number in ascending order."""

    def domain_of(self, column: str) -> Any:
        """Return an expression for the host name of the site that a column names."""

    def origin(self, site_id: int) -> str:
        """Return scheme and host of a site, or nothing where they are not known."""


class OneSite:
    """A deployment without a framework for sites."""

    several = False

    def default(self) -> int:
        return 0

    def with_host(self, host: str) -> int | None:
        return 0

    def domains(self) -> dict[int, str]:
        return {0: ""}

    def domain_of(self, column: str) -> models.Value:
        return models.Value("")

    def origin(self, site_id: int) -> str:
        return ""


class SitesOfTable:
    """What frameworks have in common that keep their sites as rows of a table."""

    several = True
    host_column: str

    def rows(self) -> models.QuerySet[Any]:
        raise NotImplementedError

    def domains(self) -> dict[int, str]:
        return dict(self.rows().order_by("pk").values_list("pk", self.host_column))

    def domain_of(self, column: str) -> models.Subquery:
        site = self.rows().filter(pk=models.OuterRef(column))
        return models.Subquery(site.values(self.host_column)[:1])


class DjangoSites(SitesOfTable):
    """The rows of `django.contrib.sites`; `SITE_ID` picks one of them for good."""

    host_column = "domain"

    def rows(self) -> models.QuerySet[Any]:
        from django.contrib.sites.models import Site

        return Site.objects.all()

    def default(self) -> int:
        fixed = _fixed_site_id()
        if fixed is not None:
            return fixed
        return self.rows().order_by("pk").values_list("pk", flat=True).first() or 0

    def with_host(self, host: str) -> int | None:
        fixed = _fixed_site_id()
        return fixed if fixed is not None else site_named(host, self.domains())

    def origin(self, site_id: int) -> str:
        rows = self.rows().filter(pk=site_id)
        found = rows.values_list("domain", flat=True).first()
        return "" if found is None else f"https://{found}"


_brought: list[Sites] = []


def bring_sites(brought: Sites) -> None:
    """Let the sites be those of another framework, where Django's are not installed."""
    _brought[:] = [brought]


def sites() -> Sites:
    if apps.is_installed("django.contrib.sites"):
        return DjangoSites()
    return _brought[0] if _brought else OneSite()


def site_named(host: str, domains: dict[int, str]) -> int | None:
    """Find the site of `host`; one whose domain names the port goes before the rest.

    Of several with one domain the first.
    """
    written = host.lower()
    found = {domain.lower(): pk for pk, domain in reversed(domains.items()) if domain}
    names = (written, without_port(written))
    return next((found[name] for name in names if name in found), None)


def without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).removesuffix(".")


def _fixed_site_id() -> int | None:
    fixed = getattr(settings, "SITE_ID", None)
    return int(fixed) if fixed else None
