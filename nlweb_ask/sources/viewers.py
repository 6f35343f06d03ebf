"""The viewer whose eyes the index is made with, and whose permissions count."""

from __future__ import annotations

from typing import Any

from nlweb_ask.plugins.types import Viewer


def anonymous_viewer(site_id: int = 0, language: str = "") -> Viewer:
    # Its module holds models, so it can be imported only once the apps are ready.
    from django.contrib.auth.models import AnonymousUser

    return Viewer(user=AnonymousUser(), site_id=site_id, language=language)


def asking_user(viewer: Viewer) -> Any:
    """Return the user whose permissions count: nobody's, of a deactivated account.

    Some authentication backends do not look at `is_active` themselves.
    """
    from django.contrib.auth.models import AnonymousUser

    user = viewer.user
    return user if user.is_authenticated and user.is_active else AnonymousUser()
