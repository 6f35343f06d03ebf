"""On whose behalf a command asks, and what that visitor may ask."""

from __future__ import annotations

from typing import Final

from django.contrib.auth import get_user_model
from django.core.management import CommandError
from django.utils.translation import gettext as _

from nlweb_ask.conf import ProfileConf, SiteConf, granted_profiles
from nlweb_ask.plugins import Viewer
from nlweb_ask.sources.viewers import anonymous_viewer

FAILED: Final = 2  # exit code


def viewer_named(username: str | None, conf: SiteConf) -> Viewer:
    if username is None:
        return anonymous_viewer(conf.site_id)
    users = get_user_model()._default_manager
    try:
        user = users.get_by_natural_key(username)
    # A shell hands over what is no text as half characters, which no database takes.
    except (get_user_model().DoesNotExist, UnicodeEncodeError) as error:
        msg = _("There is no user %(name)r.") % {"name": username}
        raise CommandError(msg, returncode=FAILED) from error
    if not user.is_active:
        msg = _("The user %(name)r is not active.") % {"name": username}
        raise CommandError(msg, returncode=FAILED)
    return Viewer(user=user, site_id=conf.site_id)


def profiles_of(
    viewer: Viewer, conf: SiteConf, named: str | None
) -> tuple[ProfileConf, ...]:
    """Return the profiles that this viewer may ask; `named` must be one of them."""
    profiles = granted_profiles(viewer, conf)
    if not profiles:
        msg = _("No grant lets this visitor ask; see “grants” in the admin.")
        raise CommandError(msg, returncode=FAILED)
    names = [profile.name for profile in profiles]
    if named and named not in names:
        msg = _("This visitor may ask no profile %(named)r, but: %(names)s.") % {
            "named": named,
            "names": ", ".join(names),
        }
        raise CommandError(msg, returncode=FAILED)
    return profiles
