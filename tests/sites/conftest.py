"""Each site of this folder has settings of its own: `pytest --ds tests.sites.NAME.settings`."""

from __future__ import annotations

import os
from pathlib import Path

HERE = Path(__file__).parent
CHOSEN = os.environ.get("DJANGO_SETTINGS_MODULE", "").split(".")

collect_ignore = [
    str(site) for site in HERE.iterdir() if site.is_dir() and site.name not in CHOSEN
]
