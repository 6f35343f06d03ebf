"""The pages of the slow site, and one that tells how many long answers it has places for."""

from __future__ import annotations

from django.http import HttpResponse
from django.urls import include, path

from nlweb_ask.conf import deployment
from nlweb_ask.web import streaming


def free_places(request):
    """A place is free a moment after its answer was read to the end, or left."""
    pool = streaming._pool(deployment().stream_threads)
    return HttpResponse(str(pool._free._value))


urlpatterns = [path("free-places", free_places), path("", include("example_site.urls"))]
