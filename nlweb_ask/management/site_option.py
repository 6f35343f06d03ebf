"""The `--site` option of the commands."""

from __future__ import annotations

from django.core.management import CommandError
from django.utils.translation import gettext as _

from nlweb_ask.conf.sites import sites


def site_id_named(named: str | None, *, returncode: int) -> int:
    """Return the site with this id or host name; the default one when none is named.

    Raises:
        CommandError: With `returncode`, and the sites there are.
    """
    if named is None:
        return sites().default()
    known = sites().domains()
    for site_id, host in known.items():
        if named.lower() in {str(site_id), host.lower()}:
            return site_id
    msg = _("There is no site %(named)r; there is: %(known)s.") % {
        "named": named,
        "known": ", ".join(f"{key} {host}".strip() for key, host in known.items()),
    }
    raise CommandError(msg, returncode=returncode)
