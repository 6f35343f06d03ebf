"""Where the site lets people log in, to come back to the page they asked from."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.shortcuts import resolve_url
from django.urls import NoReverseMatch, Resolver404, get_script_prefix, resolve


def login_address(request: HttpRequest) -> str:
    """Return the address of the site's login page, or "" where it has none here.

    A login page on another host is not told which question was asked.
    """
    try:
        address = resolve_url(settings.LOGIN_URL)
    except NoReverseMatch:
        return ""
    parts = urlsplit(address)
    if parts.netloc:
        return address
    # `LOGIN_URL` has a default, which is a page of few sites.
    if not _is_routed(parts.path):
        return ""
    query = QueryDict(parts.query, mutable=True)
    query["next"] = request.get_full_path()
    return parts._replace(query=query.urlencode(safe="/")).geturl()


def _is_routed(path: str) -> bool:
    try:
        resolve("/" + path.removeprefix(get_script_prefix()))
    except Resolver404:
        return False
    return True
