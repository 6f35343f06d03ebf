"""The endpoints, relative to where the site mounts them."""

from __future__ import annotations

from django.urls import path
from django.urls.resolvers import ResolverMatch, RoutePattern, URLPattern

from nlweb_ask.conf import deployment
from nlweb_ask.web.pages import result_page
from nlweb_ask.web.receipts import ReceiptsView
from nlweb_ask.web.sites import SitesView
from nlweb_ask.web.views import AskView, AwaitView

app_name = "nlweb_ask"


class SitesPattern(URLPattern):
    """The address of `/sites`, which is none while `SITES_ENDPOINT` is off.

    Looked at on each request, not when this module is imported, so that the setting can
    be overridden; and here, not in the view, so that a page of the site's own at this
    address is found as if there were no such endpoint.
    """

    def resolve(self, path: str) -> ResolverMatch | None:
        match = super().resolve(path)
        return match if match and deployment().sites_endpoint else None


urlpatterns: list[URLPattern] = [
    path("ask", AskView.as_view(), name="ask"),
    path("await", AwaitView.as_view(), name="await"),
    path("ask/receipts", ReceiptsView.as_view(), name="receipts"),
    path("ask/results/", result_page, name="page"),
    SitesPattern(
        RoutePattern("sites", name="sites", is_endpoint=True),
        SitesView.as_view(),
        name="sites",
    ),
]
