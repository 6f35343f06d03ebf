"""Which site a row is for: a choice where there are several, else nothing to see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.db import models
from django.utils.translation import gettext_lazy as _

from nlweb_ask.conf.sites import sites


def site_names() -> dict[int, str]:
    """Return every site there is with its domain; only 0 where there are none."""
    if not sites().several:
        return {0: str(_("this site"))}
    named = sites().domains().items()
    return dict(sorted(named, key=lambda site: (site[1], site[0])))


if TYPE_CHECKING:
    RowForm = forms.ModelForm[models.Model]
else:
    RowForm = forms.ModelForm


class SiteForm(RowForm):
    """A row of one site, which is chosen once: other rows count on where it is.

    The field is in the form even where nothing can be chosen, for without it no form
    would notice that a name is taken on this site.
    """

    site_id = forms.TypedChoiceField(coerce=int, label=_("site"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Absent from the form of somebody who may only look.
        field = self.fields.get("site_id")
        if isinstance(field, forms.TypedChoiceField):
            self._offer_sites(field)

    @property
    def row(self) -> Any:
        return self.instance

    def _offer_sites(self, field: forms.TypedChoiceField) -> None:
        names = site_names()
        if self.instance.pk is None:
            self.initial.setdefault("site_id", sites().default())
        else:
            current = self.row.site_id
            names = {current: names.get(current, f"{_('site')} {current}")}
            field.disabled = True
        field.choices = list(names.items())
        if not sites().several:
            field.widget = forms.HiddenInput()


def with_site_name(rows: models.QuerySet[Any]) -> models.QuerySet[Any]:
    """Give each row a `site_domain`, so that no list asks once a row."""
    named: models.QuerySet[Any] = rows.annotate(
        site_domain=sites().domain_of("site_id")
    )
    return named
