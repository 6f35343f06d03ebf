"""The `--site` option of the commands."""

from __future__ import annotations

from django.apps import apps
from django.core.management import CommandError
from django.utils.translation import gettext as _

from nlweb_ask.sources.sites import default_site_id


def site_id_named(named: str | None, *, returncode: int) -> int:
    """Return the site with this id or host name; the default one when none is named.

    Raises:
        CommandError: With `returncode`, and the sites there are.
    """
    if named is None:
        return default_site_id()
    known = _sites()
    for site_id, host in known.items():
        if named.lower() in {str(site_id), host.lower()}:
            return site_id
    msg = _("There is no site %(named)r; there is: %(known)s.") % {
        "named": named,
        "known": ", ".join(f"{key} {host}".strip() for key, host in known.items()),
    }
    raise CommandError(msg, returncode=returncode)


def _sites() -> dict[int, str]:
    if not apps.is_installed("django.contrib.sites"):
        return {0: ""}
    from django.contrib.sites.models import Site

    return dict(Site.objects.order_by("pk").values_list("pk", "domain"))
