"""Which site a row is for: a choice where there are several, else nothing to see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.apps import apps
from django.db import models
from django.utils.translation import gettext_lazy as _

from nlweb_ask.sources.sites import default_site_id


def site_names() -> dict[int, str]:
    """Return every site there is with its domain; only 0 without the sites framework."""
    if not apps.is_installed("django.contrib.sites"):
        return {0: str(_("this site"))}
    from django.contrib.sites.models import Site

    return dict(Site.objects.order_by("domain").values_list("pk", "domain"))


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
            self.initial.setdefault("site_id", default_site_id())
        else:
            current = self.row.site_id
            names = {current: names.get(current, f"{_('site')} {current}")}
            field.disabled = True
        field.choices = list(names.items())
        if not apps.is_installed("django.contrib.sites"):
            field.widget = forms.HiddenInput()


def with_site_name(rows: models.QuerySet[Any]) -> models.QuerySet[Any]:
    """Give each row a `site_domain`, so that no list asks once a row."""
    named: models.QuerySet[Any] = rows.annotate(site_domain=_domain())
    return named


def _domain() -> models.Value | models.Subquery:
    if not apps.is_installed("django.contrib.sites"):
        return models.Value("")
    from django.contrib.sites.models import Site

    site = Site.objects.filter(pk=models.OuterRef("site_id"))
    return models.Subquery(site.values("domain")[:1])
