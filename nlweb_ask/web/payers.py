"""Who pays for the models that a question asks: out of whose share of the budget."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from nlweb_ask.ai.budget import Payer
from nlweb_ask.conf import SiteConf, deployment
from nlweb_ask.plugins.types import UserLike
from nlweb_ask.web.limits import caller_key


def payer_where_models_are(
    request: HttpRequest, user: UserLike, conf: SiteConf
) -> Payer | None:
    """Return who asks; nobody pays where no model is set up."""
    deployed = deployment()
    has_models = bool(deployed.models or deployed.embedders)
    return payer_of(request, user, conf) if has_models else None


def payer_of(request: HttpRequest, user: UserLike, conf: SiteConf) -> Payer:
    """Return who asks: a user, or the address or the /64 that a call comes from.

    Never the user agent, which anybody can change. What is returned holds neither an
    address nor a user, and cannot be turned back without the site's SECRET_KEY.
    """
    caller = caller_key(request, user)
    return Payer(
        site_id=conf.site_id,
        visitor=salted_hmac(__name__, caller, algorithm="sha256").hexdigest(),
        is_signed_in=user.is_authenticated,
    )
