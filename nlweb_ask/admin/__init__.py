"""Screens of the owner: plain `ModelAdmin`s, so that themed admins show them too."""

from nlweb_ask.admin.grants import AccessGrantAdmin
from nlweb_ask.admin.index import DocumentAdmin, IndexFailureAdmin
from nlweb_ask.admin.profiles import IndexProfileAdmin
from nlweb_ask.admin.settings import SiteSettingsAdmin
from nlweb_ask.admin.spending import ModelSpendingAdmin

__all__ = [
    "AccessGrantAdmin",
    "DocumentAdmin",
    "IndexFailureAdmin",
    "IndexProfileAdmin",
    "ModelSpendingAdmin",
    "SiteSettingsAdmin",
]
