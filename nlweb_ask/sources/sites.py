"""The one place that knows whether, and how, a deployment has several sites."""

from __future__ import annotations

from django.apps import apps
from django.conf import settings


def default_site_id() -> int:
    """Return the site of documents that name none; 0 without `django.contrib.sites`."""
    if not apps.is_installed("django.contrib.sites"):
        return 0
    fixed = _fixed_site_id()
    if fixed is not None:
        return fixed
    from django.contrib.sites.models import Site

    first = Site.objects.order_by("pk").values_list("pk", flat=True).first()
    return first or 0


def site_id_for_host(host: str) -> int | None:
    """Return the site that answers on `host`, which may carry a port.

    None means an unknown host: there are sites, no `SITE_ID` picks one, and none has
    this domain. The rows are read each time, so a renamed domain counts at once.
    """
    if not apps.is_installed("django.contrib.sites"):
        return 0
    fixed = _fixed_site_id()
    return fixed if fixed is not None else _site_with_domain(host)


def _fixed_site_id() -> int | None:
    fixed = getattr(settings, "SITE_ID", None)
    return int(fixed) if fixed else None


def _site_with_domain(host: str) -> int | None:
    """Find the site of `host`; one whose domain names the port goes before the rest."""
    from django.contrib.sites.models import Site

    written = host.lower()
    bare = _without_port(written)
    names = [written, bare]
    rows = Site.objects.values_list("domain", "pk").order_by("pk")
    found = {domain.lower(): pk for domain, pk in reversed(rows) if domain}
    return next((found[name] for name in names if name in found), None)


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).removesuffix(".")
