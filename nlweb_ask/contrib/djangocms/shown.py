"""Which placeholders a page's template shows to everybody who sees the page.

Told from the template alone, and only where it can be told: a placeholder counts that is
reached through tags of which it is known that they show all that is in them. One inside
of any other tag may be meant for some visitors only, such as `{% if %}`, `{% for %}`,
`{% ifchanged %}`, or a tag of the project's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from django.template import Context, Node, TemplateDoesNotExist, TemplateSyntaxError
from django.template.base import Template, VariableNode
from django.template.defaulttags import AutoEscapeControlNode, SpacelessNode, WithNode
from django.template.loader import get_template
from django.template.loader_tags import BlockNode, ExtendsNode, IncludeNode
from django.templatetags.cache import CacheNode
from django.templatetags.i18n import LanguageNode
from django.templatetags.l10n import LocalizeNode
from django.templatetags.tz import LocalTimeNode, TimezoneNode

# They show all that is in them, to everybody. A class below one of them need not.
TRANSPARENT: Final = frozenset(
    {
        *(AutoEscapeControlNode, CacheNode, LanguageNode, LocalTimeNode),
        *(LocalizeNode, SpacelessNode, TimezoneNode, WithNode),
    }
)
SUPER: Final = "block.super"  # the same block of the template above
MOST_DEEP: Final = 50  # templates that include one another, without an end

# By name: how a block is written, in the template that is extended last first.
Blocks = Mapping[str, Sequence[BlockNode]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where in its templates the walk has come to."""

    template: Template
    blocks: Blocks = field(default_factory=dict)
    above: Sequence[BlockNode] = ()  # what `{{ block.super }}` stands for here
    renamed: frozenset[str] = frozenset()  # a placeholder of that name is another one
    depth: int = 0


def slots_shown(content: Any) -> list[str]:
    """Return the placeholders that everybody sees, in the order of the template.

    A page with an apphook shows what its app has to say.
    """
    from cms.utils.placeholder import get_declared_placeholders_for_obj

    if content.page.application_urls:
        return []
    template = content.get_template()
    shown = set(slots_for_all(template)) if template else set()
    declared = [each.slot for each in get_declared_placeholders_for_obj(content)]
    return [slot for slot in declared if slot in shown]


def slots_for_all(name: str) -> Iterator[str]:
    """Yield the placeholders that a template shows whoever is there."""
    template: Any = get_template(name)
    yield from _walk(template.template.nodelist, Place(template.template))


def _walk(nodes: Sequence[Node], place: Place) -> Iterator[str]:
    for node in nodes if place.depth < MOST_DEEP else ():
        yield from _shown_by(node, replace(place, depth=place.depth + 1))


def _shown_by(node: Any, place: Place) -> Iterator[str]:
    from cms.templatetags.cms_tags import Placeholder

    kind = type(node)
    if kind is Placeholder:
        slot = node.get_declaration().slot
        # What it shows where it is empty is shown on that condition.
        yield from () if slot in place.renamed else (slot,)
    elif kind is ExtendsNode:
        yield from _extended(node, place)
    elif kind is BlockNode:
        yield from _written([*place.blocks.get(node.name, ()), node], place)
    elif kind is VariableNode and node.filter_expression.token == SUPER:
        yield from _written(place.above, place)
    elif kind is IncludeNode:
        yield from _included(node, place)
    elif kind in TRANSPARENT or kind in _swallowing():
        renamed = place.renamed | {*getattr(node, "extra_context", ())}
        yield from _walk(node.nodelist, replace(place, renamed=renamed))


def _swallowing() -> tuple[type[Node], ...]:
    """Return the tags without an end: in them is all that comes after them."""
    from cms.templatetags.cms_tags import CMSToolbar
    from sekizai.templatetags.sekizai_tags import RenderBlock

    return (CMSToolbar, RenderBlock)


def _written(block: Sequence[BlockNode], place: Place) -> Iterator[str]:
    if block:
        yield from _walk(block[0].nodelist, replace(place, above=block[1:]))


def _extended(node: ExtendsNode, place: Place) -> Iterator[str]:
    context = Context()
    context.template = place.template
    try:
        parent = node.get_parent(context)
    except (TemplateDoesNotExist, TemplateSyntaxError):
        return  # named by a variable, which is known when the page is served
    blocks = {name: list(written) for name, written in place.blocks.items()}
    for name, block in node.blocks.items():
        blocks.setdefault(name, []).append(block)
    yield from _walk(parent.nodelist, replace(place, template=parent, blocks=blocks))


def _included(node: Any, place: Place) -> Iterator[str]:
    name = node.template.var
    # With `only`, a placeholder does not know of which page it is, and shows nothing.
    if not isinstance(name, str) or node.isolated_context:
        return
    try:
        template: Any = get_template(name)
    except (TemplateDoesNotExist, TemplateSyntaxError):
        return
    yield from _walk(
        template.template.nodelist,
        Place(
            template.template,
            renamed=place.renamed | {*node.extra_context},
            depth=place.depth,
        ),
    )
