"""The viewer whose eyes the index is made with."""

from __future__ import annotations

from nlweb_ask.plugins.types import Viewer


def anonymous_viewer(site_id: int = 0, language: str = "") -> Viewer:
    # Its module holds models, so it can be imported only once the apps are ready.
    from django.contrib.auth.models import AnonymousUser

    return Viewer(user=AnonymousUser(), site_id=site_id, language=language)
