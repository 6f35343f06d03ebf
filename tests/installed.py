"""Apps that a test installs, with their tables, and takes away again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.db import connection
from django.test import modify_settings


@contextmanager
def installed(*names: str) -> Iterator[None]:
    """Install these apps and make their tables; in a test without a transaction.

    MySQL and MariaDB end a transaction when they make a table, and SQLite makes none
    in one that looks at foreign keys.
    """
    with modify_settings(INSTALLED_APPS={"append": list(names)}):
        # Models that were there before do not know yet what relates to them again.
        apps.clear_cache()
        models = [
            model
            for config in apps.get_app_configs()
            if config.name in names
            for model in config.get_models()
        ]
        with connection.schema_editor() as editor:
            for model in models:
                editor.create_model(model)
        try:
            yield
        finally:
            with connection.schema_editor() as editor:
                for model in reversed(models):
                    editor.delete_model(model)
