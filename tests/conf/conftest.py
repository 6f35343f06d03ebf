from __future__ import annotations

import pytest
from django.db import connection


@pytest.fixture
def skip_on_mysql():
    if connection.vendor == "mysql":
        pytest.skip("MySQL and MariaDB end the test's transaction at CREATE TABLE")
