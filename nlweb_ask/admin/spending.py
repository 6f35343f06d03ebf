"""What language models have cost, against the caps; to be looked at only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.timezone import get_default_timezone_name
from django.utils.translation import gettext_lazy as _

from nlweb_ask.admin.screens import ReadOnlyScreen
from nlweb_ask.admin.sites import site_names
from nlweb_ask.ai.spent import state_of
from nlweb_ask.conf import site_conf
from nlweb_ask.models import ModelSpending, SiteSettings
from nlweb_ask.sources.sites import default_site_id


@admin.register(ModelSpending)
class ModelSpendingAdmin(ReadOnlyScreen):
    """One page a site, whether or not a model has ever been asked."""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        sites = site_names()
        site_id = _chosen(request, sites)
        conf = site_conf(site_id)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Spending on language models"),
            "opts": self.opts,
            "conf": conf,
            "state": state_of(conf),
            "zone": get_default_timezone_name(),
            "may_see_settings": _may_see_settings(request),
            "sites": sites if len(sites) > 1 else {},
            "site_id": site_id,
            **(extra_context or {}),
        }
        request.current_app = self.admin_site.name  # read by {% url %}
        return TemplateResponse(request, "nlweb_ask/admin/spending.html", context)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Lead to the page of the site: the columns of a row tell nobody anything."""
        opts = self.opts
        name = f"{self.admin_site.name}:{opts.app_label}_{opts.model_name}_changelist"
        return redirect(f"{reverse(name)}?site={object_id}")


def _chosen(request: HttpRequest, sites: dict[int, str]) -> int:
    named = request.GET.get("site", "")
    for site_id in sites:
        if str(site_id) == named:
            return site_id
    default = default_site_id()
    return default if default in sites else next(iter(sites), default)


def _may_see_settings(request: HttpRequest) -> bool:
    app = SiteSettings._meta.app_label
    return any(
        request.user.has_perm(f"{app}.{may}_sitesettings") for may in ("view", "change")
    )
