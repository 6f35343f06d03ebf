"""The example site with a model that makes vectors in its own process."""

from __future__ import annotations

from example_site.settings import *  # noqa: F403
from example_site.settings import NLWEB_ASK as SITE

NLWEB_ASK = {
    **SITE,
    "EMBEDDERS": {"local": {"class": "nlweb_ask.ai.embedders.WordLlama"}},
}
