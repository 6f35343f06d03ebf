"""What a site offers to be asked about, and who may see it."""

from nlweb_ask.sources.base import Source
from nlweb_ask.sources.guardian import GuardianSource
from nlweb_ask.sources.markdown import MarkdownFolderSource
from nlweb_ask.sources.model import ModelSource, PublicSource
from nlweb_ask.sources.model_permission import ModelPermissionSource
from nlweb_ask.sources.object_permission import ObjectPermissionSource
from nlweb_ask.sources.registration import autodiscover, register
from nlweb_ask.sources.sitemap import SitemapSource

__all__ = [
    "GuardianSource",
    "MarkdownFolderSource",
    "ModelPermissionSource",
    "ModelSource",
    "ObjectPermissionSource",
    "PublicSource",
    "SitemapSource",
    "Source",
    "autodiscover",
    "register",
]
