"""The settings of a site: one form a site, with what settings.py locks shown as locked."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from nlweb_ask.admin.fields import LockedValue, name_choices, types_field
from nlweb_ask.admin.screens import SiteScreen
from nlweb_ask.admin.sites import SiteForm, site_names
from nlweb_ask.ai.spent import State, state_of
from nlweb_ask.conf import deployed_row, deployment, site_conf
from nlweb_ask.models import AnswerMode, IndexProfile, SiteSettings
from nlweb_ask.sources.sites import default_site_id

LOCKED_BECAUSE = _(
    "Set in settings.py and locked there: NLWEB_ASK[“%(key)s”]. Ask whoever runs the"
    " server to change it."
)


class SiteSettingsForm(SiteForm):
    allowed_types = types_field()

    class Meta:
        model = SiteSettings
        fields = "__all__"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None:
            begun = forms.model_to_dict(deployed_row(default_site_id()))
            self.initial = {**begun, **self.initial}
        self._offer_modes()
        self._offer_profiles()
        self._offer_models()
        self._offer_embedders()
        self._lock()

    def _offer_modes(self) -> None:
        mode = self.fields.get("default_mode")
        if isinstance(mode, forms.ChoiceField) and not deployment().generators:
            mode.choices = [
                choice for choice in AnswerMode.choices if choice[0] == AnswerMode.LIST
            ]

    def _offer_profiles(self) -> None:
        profile = self.fields.get("default_profile")
        if isinstance(profile, forms.ModelChoiceField) and self.instance.pk:
            profile.queryset = IndexProfile.objects.filter(site_id=self.row.site_id)

    def _offer_models(self) -> None:
        if "language_model" in self.fields:
            self.fields["language_model"] = forms.ChoiceField(
                choices=_model_choices(self.row.language_model),
                required=False,
                label=_("Language model"),
                help_text=_("One of those that are set up in settings.py."),
            )

    def _offer_embedders(self) -> None:
        field = self.fields.get("embedder")
        if field is not None:
            labels = name_choices(deployment().embedders, [self.row.embedder])
            self.fields["embedder"] = forms.ChoiceField(
                label=field.label,
                help_text=field.help_text,
                required=False,
                choices=[("", "---------"), *labels],
            )

    def _lock(self) -> None:
        """Show what holds; the row keeps what the owner chose, for when it may again."""
        deployed = deployment()
        for name in deployed.locked:
            if name in self.fields:
                field = self.fields[name]
                field.disabled = True
                field.widget = LockedValue(getattr(deployed, name))
                field.help_text = LOCKED_BECAUSE % {"key": name.upper()}


@admin.register(SiteSettings)
class SiteSettingsAdmin(SiteScreen):
    form = SiteSettingsForm
    list_display = ["__str__", "enabled", "max_results", "rate_limit"]
    save_on_top = True
    nothing_there = _("No site has settings of its own yet, and none can be asked.")
    fieldsets = [
        (None, {"fields": ["site_id", "enabled", "base_url"]}),
        (
            _("Answers"),
            {
                "fields": [
                    "default_mode",
                    "max_results",
                    "snippet_length",
                    "allowed_types",
                    "default_profile",
                    "embedder",
                ]
            },
        ),
        (
            _("Who may ask"),
            {
                "fields": ["rate_limit", "allow_cross_origin", "allow_legacy"],
                "description": _("Which visitors may ask stands under “Grants”."),
            },
        ),
        (
            _("Language models"),
            {
                "fields": [
                    "models_enabled",
                    "language_model",
                    "model_calls_per_day",
                    "model_calls_per_month",
                    "model_cost_per_day",
                    "model_cost_per_month",
                    "model_visitor_share",
                    "model_hour_share",
                    "model_member_reserve",
                ],
                "description": _(
                    "What may be spent. Every call is counted at the most it can cost"
                    " before it is made, so no cap is ever passed; at a cap, questions"
                    " are answered without a model."
                ),
            },
        ),
    ]

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, change: bool
    ) -> None:
        """Save, and warn of caps of cost with which no model would be asked."""
        super().save_model(request, obj, form, change)
        if said := _barred(state_of(site_conf(obj.site_id))):
            messages.warning(request, said)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        context = {"show_save_and_add_another": False, **(extra_context or {})}
        return super().changeform_view(request, object_id, form_url, context)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Lead straight to the form where there is only one site to set."""
        where = self._only_form(request)
        if where:
            return redirect(where)
        return super().changelist_view(request, extra_context)

    def _only_form(self, request: HttpRequest) -> str:
        rows = list(SiteSettings.objects.values_list("pk", "site_id")[:2])
        sites = set(site_names()) | {site_id for _, site_id in rows}
        if len(sites) != 1:
            return ""
        if rows and self.has_view_or_change_permission(request):
            return self._url("change", rows[0][0])
        if not rows and self.has_add_permission(request):
            return self._url("add")
        return ""

    def _url(self, page: str, *args: int) -> str:
        opts = self.opts
        name = f"{self.admin_site.name}:{opts.app_label}_{opts.model_name}_{page}"
        return reverse(name, args=args)

    def has_add_permission(self, request: HttpRequest) -> bool:
        if not super().has_add_permission(request):
            return False
        return set(site_names()) > set(_sites_with_row())

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _barred(state: State) -> str:
    if state.model and state.standing == "unpriced":
        return _(
            "No language model is asked: cost has a cap, and the price of “%(label)s” is"
            " not known. Whoever runs the server writes its prices into settings.py; or"
            " set the caps of cost to 0."
        ) % {"label": state.model.label}
    if state.standing == "small":
        return _(
            "One call can cost up to %(cost)s, more than the cap of %(cap)s: calls like"
            " that are never made. Raise the cap."
        ) % {"cost": f"{state.call_cost or 0:.4f}", "cap": f"{state.cost_cap or 0:g}"}
    return ""


def _model_choices(chosen: str) -> list[tuple[str, Any]]:
    labels = list(deployment().models)
    first = (
        _("the first one: %(label)s") % {"label": labels[0]}
        if labels
        else _("none is set up")
    )
    return [("", first), *name_choices(labels, [chosen])]


def _sites_with_row() -> list[int]:
    return list(SiteSettings.objects.values_list("site_id", flat=True))
