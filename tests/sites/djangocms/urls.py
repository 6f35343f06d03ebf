from __future__ import annotations

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.contrib.auth.views import LoginView
from django.urls import include, path

urlpatterns = [
    path("", include("nlweb_ask.urls")),
    path("admin/", admin.site.urls),
    path("login/", LoginView.as_view(), name="login"),
    *i18n_patterns(path("", include("cms.urls")), prefix_default_language=False),
]
