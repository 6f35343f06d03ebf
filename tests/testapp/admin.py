from __future__ import annotations

from django.contrib import admin

from tests.testapp.models import Article

admin.site.register(Article)
