"""`{% load nlweb_ask %}`: the ask box, wherever a template wants it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template
from django.template.context import Context
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from nlweb_ask.conf import may_ask, site_conf
from nlweb_ask.sources.sites import default_site_id, site_id_for_host
from nlweb_ask.sources.viewers import anonymous_viewer
from nlweb_ask.web.door import session_may_ask

register = template.Library()


@register.inclusion_tag("nlweb_ask/box.html", takes_context=True)
def nlweb_ask_box(
    context: Context,
    question: str = "",
    *,
    label: str = "",
    styles: bool = True,
    earlier: Sequence[str] = (),
    mode: str = "",
) -> dict[str, Any]:
    """Show the ask box; nothing where the site cannot be asked, or not by this visitor.

    Args:
        context: Its `request`, where there is one, says which site this is and who is
            there. Without one it is nobody who has signed in.
        question: What stands in the field already.
        label: Words above the field, when other ones are wanted.
        styles: Bring the stylesheet along. Switch it off where
            `{% nlweb_ask_styles %}` stands in the head.
        earlier: Questions that the next one follows, the last one last.
        mode: What is asked for: `list`, `summarize` or `generate`; as the site is set
            where it is left out.
    """
    return {
        "earlier": earlier,
        "mode": mode,
        "can_be_asked": _can_be_asked(context),
        "action": reverse("nlweb_ask:page"),
        "question": question,
        "label": label or _("Ask this site"),
        "styles": styles,
    }


@register.simple_tag(takes_context=True)
def nlweb_ask_link(context: Context) -> SafeString:
    """Tell agents, in the head of a page, at which address the site can be asked.

    Nothing where the ask box would be absent.
    """
    if not _can_be_asked(context):
        return SafeString()
    return format_html('<link rel="nlweb" href="{}">', reverse("nlweb_ask:ask"))


@register.simple_tag
def nlweb_ask_styles() -> SafeString:
    """Link the stylesheet of the box and of the result page."""
    url = static("nlweb_ask/nlweb_ask.css")
    return format_html('<link rel="stylesheet" href="{}">', url)


def _can_be_asked(context: Context) -> bool:
    request = context.get("request")
    site_id = site_id_for_host(request.get_host()) if request else default_site_id()
    if site_id is None:
        return False
    conf = site_conf(site_id)
    if not conf.enabled:
        return False
    # The user is looked at last: a page that reads the session varies by the cookie.
    return may_ask(anonymous_viewer(site_id), conf) or (
        request is not None and session_may_ask(request, conf)
    )
