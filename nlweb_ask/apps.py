from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NlwebAskConfig(AppConfig):
    name = "nlweb_ask"
    verbose_name = _("Ask the site")
    default_auto_field = "django.db.models.BigAutoField"
