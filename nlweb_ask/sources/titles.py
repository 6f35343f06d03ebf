"""The heading of a page that is its title."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nlweb_ask.plugins.types import Section


def below_title(sections: Sequence[Section], name: str) -> tuple[Section, ...]:
    """Take a first heading that repeats the name of the page for the page's title."""
    if sections and sections[0].heading == name:
        opening = replace(sections[0], heading="", anchor="")
        return tuple([opening, *sections[1:]] if opening.text else sections[1:])
    return tuple(sections)
