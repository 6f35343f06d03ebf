"""`{% load nlweb_ask %}`: the ask box, wherever a template wants it."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.context import Context
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from nlweb_ask.conf import site_conf
from nlweb_ask.sources.sites import default_site_id, site_id_for_host

register = template.Library()


@register.inclusion_tag("nlweb_ask/box.html", takes_context=True)
def nlweb_ask_box(
    context: Context, question: str = "", *, label: str = "", styles: bool = True
) -> dict[str, Any]:
    """Show the ask box; nothing where the site cannot be asked.

    Args:
        context: Its `request`, where there is one, says which site this is.
        question: What stands in the field already.
        label: Words above the field, when other ones are wanted.
        styles: Bring the stylesheet along. Switch it off where
            `{% nlweb_ask_styles %}` stands in the head.
    """
    return {
        "can_be_asked": _can_be_asked(context),
        "action": reverse("nlweb_ask:page"),
        "question": question,
        "label": label or _("Ask this site"),
        "styles": styles,
    }


@register.simple_tag
def nlweb_ask_styles() -> SafeString:
    """Link the stylesheet of the box and of the result page."""
    url = static("nlweb_ask/nlweb_ask.css")
    return format_html('<link rel="stylesheet" href="{}">', url)


def _can_be_asked(context: Context) -> bool:
    request = context.get("request")
    site_id = site_id_for_host(request.get_host()) if request else default_site_id()
    return site_id is not None and site_conf(site_id).enabled
