"""The tests' site with a task queue in its database, which is a file."""

from __future__ import annotations

import os

from tests.settings import *  # noqa: F403
from tests.settings import DATABASES_BY_NAME, INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "django_tasks_db"]
DATABASES = {
    "default": {**DATABASES_BY_NAME["sqlite"], "NAME": os.environ["SQLITE_PATH"]}
}
TASKS = {"default": {"BACKEND": os.environ["TASKS_BACKEND"]}}
