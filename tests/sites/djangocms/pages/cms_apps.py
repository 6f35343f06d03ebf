from __future__ import annotations

from cms.app_base import CMSApp
from cms.apphook_pool import apphook_pool
from django.http import HttpResponse
from django.urls import path


def fleet(request):
    return HttpResponse("the fleet")


@apphook_pool.register
class FleetApp(CMSApp):
    name = "Fleet"
    app_name = "fleet"

    def get_urls(self, page=None, language=None, **kwargs):
        return [path("", fleet)]
