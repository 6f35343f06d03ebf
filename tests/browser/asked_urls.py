"""The addresses of the site that is attacked, and what it notes of each question."""

from __future__ import annotations

from django.contrib.auth import get_user_model, login
from django.http import HttpResponse
from django.urls import include, path

from tests.browser.asked_titles import EVERYONES, MEMBERS
from tests.browser.counted_generator import note
from tests.testapp.models import Article


def write_down(get_response):
    """Note each question: whose cookie came with it, and every byte that was answered."""

    def answer(request):
        member = request.user.is_authenticated
        response = get_response(request)
        if request.path.startswith(("/ask", "/await")):
            body = b"".join(response)
            if response.streaming:
                response.streaming_content = [body]
            note(
                path=request.path,
                method=request.method,
                fetch_site=request.headers.get("Sec-Fetch-Site"),
                member=member,
                status=response.status_code,
                headers={name.lower(): text for name, text in response.items()},
                body=body.decode(),
            )
        return response

    return answer


def fill(_request):
    get_user_model().objects.create_user("member")
    Article.objects.create(title=EVERYONES, body="Minutes that all may read.")
    Article.objects.create(
        title=MEMBERS, body="Minutes with the code of the vault.", members_only=True
    )
    return HttpResponse("filled")


def sign_in(request):
    login(request, get_user_model().objects.get(username="member"))
    return HttpResponse("signed in")


urlpatterns = [
    path("fill/", fill),
    path("sign-in/", sign_in),
    path("", include("example_site.urls")),
]
