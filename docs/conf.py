"""Sphinx settings; `tox -e docs` builds with warnings as errors."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = (ROOT / "nlweb_ask" / "__init__.py").read_text(encoding="utf-8")

project = "nlweb_ask"
author = "The nlweb_ask developers"
copyright = "the nlweb_ask developers"
release = re.search(r'^__version__ = "(.+)"$', PACKAGE, re.MULTILINE)[1]

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
root_doc = "index"
language = "en"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"nlweb_ask {release}"
html_copy_source = False
