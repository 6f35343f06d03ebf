"""The example site with a language model whose calls cost something, and a policy.

The strictest that the admin of Django can have: it brings scripts of its own.
"""

from __future__ import annotations

from example_site.settings import *  # noqa: F403
from example_site.settings import MIDDLEWARE as SITE_MIDDLEWARE
from example_site.settings import NLWEB_ASK as EXAMPLE
from tests.browser.strict_site import POLICY


def admin_policy(get_response):
    def answer(request):
        response = get_response(request)
        response["Content-Security-Policy"] = f"{POLICY}; script-src 'self'"
        return response

    return answer


MIDDLEWARE = [f"{__name__}.admin_policy", *SITE_MIDDLEWARE]
NLWEB_ASK = {
    **EXAMPLE,
    "MODELS": {
        "small": {
            "model": "openai/small",
            "key_variable": "SPENT_SITE_KEY",
            "input_price": 0.4,
            "output_price": 1.6,
        }
    },
    "GENERATORS": ["ai", "extractive"],
}
