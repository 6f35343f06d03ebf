"""The addresses of a site that has not included ours."""

from __future__ import annotations

from django.http import HttpResponse
from django.urls import path

urlpatterns = [path("page", lambda request: HttpResponse("<p>Tide</p>"))]
