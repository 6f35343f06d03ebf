"""The ask box as a plug-in, for the placeholders of any page."""

from __future__ import annotations

from cms.plugin_base import CMSPluginBase
from cms.plugin_pool import plugin_pool
from django.utils.translation import gettext_lazy as _


@plugin_pool.register_plugin
class AskBoxPlugin(CMSPluginBase):  # type: ignore[misc]
    """Shows the ask box, or nothing where the site or the visitor may not ask.

    What it shows depends on who is there, so the CMS may not keep it for others. Its
    words are none of the page's: a form leaves nothing in the index.
    """

    name = _("Ask box")
    module = _("Generic")
    render_template = "nlweb_ask/djangocms/ask_box.html"
    cache = False
    allow_children = False
