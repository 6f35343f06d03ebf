"""System checks: what must be put right (E) and what should be (W), each with its line."""

from nlweb_ask.checks import (
    asking,
    authentication,
    database,
    deployment,
    elicit,
    models,
    parts,
    permissions,
    plugins,
    prompts,
    settings,
    sitemaps,
    sources,
    urls,
    vectors,
    watching,
)
from nlweb_ask.checks.table import CHECKS, Check

__all__ = [
    "CHECKS",
    "Check",
    "asking",
    "authentication",
    "database",
    "deployment",
    "elicit",
    "models",
    "parts",
    "permissions",
    "plugins",
    "prompts",
    "settings",
    "sitemaps",
    "sources",
    "urls",
    "vectors",
    "watching",
]
