"""Of which site a document or a question is."""

from __future__ import annotations

from nlweb_ask.conf.sites import sites


def default_site_id() -> int:
    """Return the site of documents that name none; 0 where there is only one."""
    return sites().default()


def site_id_for_host(host: str) -> int | None:
    """Return the site that answers on `host`, which may carry a port.

    None means an unknown host: there are sites, none is fixed, and none has this domain.
    """
    return sites().with_host(host)
