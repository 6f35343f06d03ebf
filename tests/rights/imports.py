"""What a module imports, as its source says: an oracle must be apart from the product."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType


def imported_by(module: ModuleType) -> list[str]:
    """Return the names of the modules, wherever in the source they are imported."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    return [
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
    ]
