"""The site of `budget_site`, loaded once with what asks models, and then forked."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

# As the site itself does it: else it would fetch a list of prices from the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm  # noqa: F401

application = get_wsgi_application()
