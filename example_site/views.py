"""The pages of Hollow Mill. Each shows a page only to whom an answer would show it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from example_site.demo_users import DEMO_USERS
from example_site.models import BlogPosting, Recipe

NEWEST = 4
QUESTIONS_TO_TRY = (
    "How do I mend a puncture?",
    "What can I bake for someone with a nut allergy?",
    "May I make myself a brew?",
    "Where is the key box?",
)


def home(request: HttpRequest) -> HttpResponse:
    shown = {
        "questions": QUESTIONS_TO_TRY,
        "recipes": Recipe.objects.visible_to(request.user)[:NEWEST],
        "posts": BlogPosting.objects.visible_to(request.user)[:NEWEST],
    }
    return render(request, "example_site/home.html", shown)


def recipes(request: HttpRequest) -> HttpResponse:
    pages = Recipe.objects.visible_to(request.user)
    return render(
        request, "example_site/page_list.html", {"heading": "Recipes", "pages": pages}
    )


def recipe(request: HttpRequest, slug: str) -> HttpResponse:
    page = get_object_or_404(Recipe.objects.visible_to(request.user), slug=slug)
    return render(request, "example_site/recipe.html", {"page": page})


def posts(request: HttpRequest) -> HttpResponse:
    pages = BlogPosting.objects.visible_to(request.user)
    return render(
        request, "example_site/page_list.html", {"heading": "Journal", "pages": pages}
    )


def post(request: HttpRequest, slug: str) -> HttpResponse:
    page = get_object_or_404(BlogPosting.objects.visible_to(request.user), slug=slug)
    return render(request, "example_site/post.html", {"page": page})


class Login(LoginView):
    """The ordinary login, which tells a visitor of the demo who may come in."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        shown = {"demo_users": DEMO_USERS if settings.DEBUG else ()}
        return super().get_context_data(**kwargs) | shown
