"""What many pages have around them, read at once: the pages above, and the languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import models

from nlweb_ask.contrib.wagtail.roots import Root
from nlweb_ask.contrib.wagtail.tree import line_to


@dataclass(frozen=True, slots=True)
class Surroundings:
    locales: Mapping[Any, Any]  # by key
    live: Mapping[str, Any]  # the live pages that stand above others, by path

    @classmethod
    def of(cls, model: type[models.Model], pages: Iterable[Any]) -> Surroundings:
        """Read them, two queries for any number of pages."""
        from wagtail.models import Locale

        steps = {step for page in pages for step in line_to(model, page.path)}
        rows: Any = model._default_manager
        live = rows.live().filter(path__in=sorted(steps))
        return cls(Locale.objects.in_bulk(), {page.path: page for page in live})

    def above(self, page: Any, root: Root) -> list[Any]:
        """Return the live pages from the root down to this one, it left out.

        Whoever may see a page may see what stands above it: restrictions are inherited.
        """
        line = line_to(type(page), page.path)
        steps = [step for step in line if step.startswith(root.path)]
        return [self.live[step] for step in steps[:-1] if step in self.live]
