"""Settings of a site that has a small budget for a model, and is asked by many at once.

It has the database of the test. The house is large enough for everybody.
"""

from __future__ import annotations

import json
import os

from tests.settings import *  # noqa: F403
from tests.settings import DATABASES
from tests.settings import NLWEB_ASK as TESTS

DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
DATABASES = {
    "default": {**DATABASES["default"], "NAME": os.environ["BUDGET_SITE_DATABASE"]}
}
if os.environ["DATABASE"] == "sqlite":
    # As the documentation recommends it; a database server has too few for all of them.
    DATABASES["default"]["CONN_MAX_AGE"] = 600
    options = json.loads(os.environ.get("BUDGET_SITE_OPTIONS", "{}"))
    DATABASES["default"]["OPTIONS"].update(options)
NLWEB_ASK = {
    **TESTS,
    "MODELS": json.loads(os.environ["BUDGET_SITE_MODELS"]),
    "RANKERS": ["budget_gate.GateRanker"],
    "GENERATORS": ["ai", "extractive"],
    "TRUSTED_PROXIES": 1,
    "STREAM_THREADS": 200,
    "STREAMS_PER_VISITOR": 200,
    # No answer of this site is late: a busy machine may take its time.
    "STREAM_DEADLINE": 600,
}
