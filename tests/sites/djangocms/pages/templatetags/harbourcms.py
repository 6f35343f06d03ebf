"""Tags of a project that show what is in them to some visitors only."""

from __future__ import annotations

from django import template
from django.template.defaulttags import WithNode

register = template.Library()


class ForMembers(template.Node):
    def __init__(self, nodelist: template.NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: template.Context) -> str:
        user = context["request"].user
        return self.nodelist.render(context) if user.is_authenticated else ""


class WithMembers(WithNode):
    def render(self, context: template.Context) -> str:
        user = context["request"].user
        return super().render(context) if user.is_authenticated else ""


@register.tag
def formembers(parser, token):
    nodelist = parser.parse(["endformembers"])
    parser.delete_first_token()
    return ForMembers(nodelist)


@register.tag
def withmembers(parser, token):
    nodelist = parser.parse(["endwithmembers"])
    parser.delete_first_token()
    return WithMembers(None, None, nodelist, extra_context={})
