"""The example site with the strictest policy that a page without script can have."""

from __future__ import annotations

from example_site.settings import *  # noqa: F403
from example_site.settings import MIDDLEWARE as SITE_MIDDLEWARE

POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


def strict_policy(get_response):
    def answer(request):
        response = get_response(request)
        response["Content-Security-Policy"] = POLICY
        return response

    return answer


MIDDLEWARE = [f"{__name__}.strict_policy", *SITE_MIDDLEWARE]
