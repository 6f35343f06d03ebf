"""The ask box as a block, for the StreamField of any page."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from wagtail import blocks


class AskBoxBlock(blocks.StructBlock):  # type: ignore[misc]
    """Shows the ask box, or nothing where the site or the visitor may not ask.

    Its label is no word of the page: the block leaves nothing in the index.
    """

    label = blocks.CharBlock(
        required=False,
        label=_("words above the field"),
        help_text=_("Empty: “Ask this site”."),
    )

    class Meta:
        template = "nlweb_ask/wagtail/ask_box.html"
        icon = "help"
        label = _("Ask box")

    def get_searchable_content(self, value: object) -> list[str]:
        return []
