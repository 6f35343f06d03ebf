"""An app of contrib registers its retriever when it is installed, and only then."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.test import modify_settings

from nlweb_ask.plugins import retrievers


@pytest.mark.django_db  # a check may ask the database what it supports
@pytest.mark.parametrize("engine", ["haystack", "modelsearch"])
def test_installing_the_app_registers_the_retriever(engine):
    assert engine not in retrievers
    app = f"nlweb_ask.contrib.{engine}"
    try:
        with modify_settings(INSTALLED_APPS={"append": app}):
            assert retrievers.get(engine).name == engine
            call_command("check", tags=["nlweb_ask"], fail_level="WARNING")
    finally:
        retrievers.unregister(engine)
