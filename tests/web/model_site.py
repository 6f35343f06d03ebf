"""Settings of the slow site, where a language model writes and orders the pages."""

from __future__ import annotations

import json
import os

from slow_site import *  # noqa: F403
from slow_site import NLWEB_ASK as SLOW

NLWEB_ASK = {
    **SLOW,
    "STREAM_DEADLINE": 60,
    "KEEPALIVE_SECONDS": 10,
    "MODELS": json.loads(os.environ["MODEL_SITE_MODELS"]),
    "RANKERS": ["relevance"],
    "GENERATORS": ["ai", "extractive"],
}
