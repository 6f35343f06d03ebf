from __future__ import annotations

from cms.plugin_base import CMSPluginBase
from cms.plugin_pool import plugin_pool
from cms.utils.permissions import get_current_user

from tests.sites.djangocms.pages.models import Words


@plugin_pool.register_plugin
class WordsPlugin(CMSPluginBase):
    name = "Words"
    model = Words
    render_template = "harbourcms/words.html"


@plugin_pool.register_plugin
class GreetingPlugin(CMSPluginBase):
    """Prints whoever is there, in the two ways in which a plug-in can know."""

    name = "Greeting"
    render_template = "harbourcms/greeting.html"
    cache = False

    def render(self, context, instance, placeholder):
        context["editor"] = get_current_user()
        return super().render(context, instance, placeholder)
