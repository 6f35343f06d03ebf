"""Form fields that an owner can fill in: words in lines, names to tick."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _


class WordsField(forms.CharField):
    """A list of words as a box of lines; a comma ends a word too."""

    widget = AdminTextareaWidget

    def __init__(self, **kwargs: Any) -> None:
        widget = self.widget(attrs={"rows": 3, "cols": 40})
        super().__init__(**{"required": False, "widget": widget, **kwargs})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return list(value)
        words = (word.strip() for word in re.split(r"[,\n]", value or ""))
        return [word for word in words if word]

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(data) != self.to_python(initial))


def types_field() -> WordsField:
    return WordsField(
        label=_("Types"),
        help_text=_(
            "Only pages of these schema.org types are found: one a line, such as Recipe."
            " Empty: all types."
        ),
    )


def ticked_names(
    known: Iterable[str], chosen: Iterable[str], **kwargs: Any
) -> forms.MultipleChoiceField:
    """Return a field to tick names in: those there are, and those a row still holds."""
    return forms.MultipleChoiceField(
        choices=name_choices(known, chosen),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        **kwargs,
    )


def name_choices(known: Iterable[str], chosen: Iterable[str]) -> list[tuple[str, Any]]:
    installed = list(known)
    gone = [name for name in chosen if name and name not in installed]
    return [
        *((name, name) for name in installed),
        *((name, _("%(name)s (not installed)") % {"name": name}) for name in gone),
    ]


class LockedValue(forms.Widget):
    """A value that is shown as the admin shows one that may only be looked at."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value

    def render(
        self, name: str, value: Any, attrs: Any = None, renderer: Any = None
    ) -> SafeString:
        # An output is what a label may belong to; a div is not.
        return format_html(
            '<output class="readonly" id="{}">{}</output>',
            (attrs or {}).get("id", f"id_{name}"),
            self._words(),
        )

    def _words(self) -> Any:
        if isinstance(self.value, bool):
            return _("Yes") if self.value else _("No")
        if isinstance(self.value, tuple):
            return ", ".join(self.value) or _("(empty)")
        return _("(empty)") if self.value == "" else self.value
