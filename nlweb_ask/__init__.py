"""Let people and agents ask a Django site in natural language.

Everything public is imported on first use, so that `import nlweb_ask` is safe before
the apps are ready.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nlweb_ask.sources import (
        GuardianSource,
        MarkdownFolderSource,
        ModelPermissionSource,
        ModelSource,
        ObjectPermissionSource,
        PublicSource,
        SitemapSource,
        register,
    )

__version__ = "0.1.0"

_HOMES = {
    "GuardianSource": "nlweb_ask.sources",
    "MarkdownFolderSource": "nlweb_ask.sources",
    "ModelPermissionSource": "nlweb_ask.sources",
    "ModelSource": "nlweb_ask.sources",
    "ObjectPermissionSource": "nlweb_ask.sources",
    "PublicSource": "nlweb_ask.sources",
    "SitemapSource": "nlweb_ask.sources",
    "register": "nlweb_ask.sources",
}

__all__ = [
    "GuardianSource",
    "MarkdownFolderSource",
    "ModelPermissionSource",
    "ModelSource",
    "ObjectPermissionSource",
    "PublicSource",
    "SitemapSource",
    "__version__",
    "register",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
