"""What a site offers to be asked about, and who may see it."""

from nlweb_ask.sources.base import Source
from nlweb_ask.sources.markdown import MarkdownFolderSource
from nlweb_ask.sources.model import ModelPermissionSource, ModelSource, PublicSource
from nlweb_ask.sources.registration import autodiscover, register

__all__ = [
    "MarkdownFolderSource",
    "ModelPermissionSource",
    "ModelSource",
    "PublicSource",
    "Source",
    "autodiscover",
    "register",
]
