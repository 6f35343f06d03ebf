"""Profiles, with the retrievers of each in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from nlweb_ask.admin.fields import (
    WordsField,
    name_choices,
    ticked_names,
    types_field,
)
from nlweb_ask.admin.screens import SiteScreen
from nlweb_ask.admin.sites import SiteForm
from nlweb_ask.models import IndexProfile, ProfileRetriever
from nlweb_ask.plugins import retrievers, sources

if TYPE_CHECKING:
    RetrieverRowForm = forms.ModelForm[ProfileRetriever]
    RetrieverRows = admin.TabularInline[ProfileRetriever, IndexProfile]
else:
    RetrieverRowForm = forms.ModelForm
    RetrieverRows = admin.TabularInline


class ProfileRetrieverForm(RetrieverRowForm):
    name = forms.ChoiceField(label=_("Retriever"))

    class Meta:
        model = ProfileRetriever
        fields = ["order", "name", "weight"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name = self.fields.get("name")
        if isinstance(name, forms.ChoiceField):
            chosen = [self.initial.get("name", "")]
            name.choices = [
                ("", "---------"),
                *name_choices(retrievers.names(), chosen),
            ]


class ProfileRetrieverInline(RetrieverRows):
    model = ProfileRetriever
    form = ProfileRetrieverForm
    extra = 1
    verbose_name_plural = _("retrievers (none: those of settings.py)")


class IndexProfileForm(SiteForm):
    sources = forms.MultipleChoiceField()
    languages = WordsField(
        label=_("Languages"),
        help_text=_(
            "Only pages in these languages are found: one a line, such as en or pt-br."
            " Empty: every language."
        ),
    )
    allowed_types = types_field()

    class Meta:
        model = IndexProfile
        fields = "__all__"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "sources" in self.fields:
            self.fields["sources"] = ticked_names(
                sources.names(),
                self.row.sources,
                label=_("Sources"),
                help_text=_("What is searched. None ticked: every source."),
            )


@admin.register(IndexProfile)
class IndexProfileAdmin(SiteScreen):
    form = IndexProfileForm
    inlines = [ProfileRetrieverInline]
    list_display = ["name", "label", "searched", "retriever_names"]
    search_fields = ["name", "label"]
    save_on_top = True
    nothing_there = _(
        "Without a profile, a question searches every source. Add one to offer a part of"
        " the site under a name of its own, or to choose how it is searched."
    )
    fieldsets = [
        (None, {"fields": ["site_id", "name", "label"]}),
        (_("What is found"), {"fields": ["sources", "languages", "allowed_types"]}),
        (_("How it is found"), {"fields": ["fusion"]}),
    ]

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        return super().get_queryset(request).prefetch_related("retrievers")

    @admin.display(description=_("sources"))
    def searched(self, profile: IndexProfile) -> Any:
        return ", ".join(profile.sources) or _("every source")

    @admin.display(description=_("retrievers"))
    def retriever_names(self, profile: IndexProfile) -> Any:
        chosen = [choice.name for choice in profile.retrievers.all()]
        return ", ".join(chosen) or _("those of settings.py")
