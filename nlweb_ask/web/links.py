"""Which addresses may become links."""

from __future__ import annotations

from urllib.parse import urlsplit

LINKED_SCHEMES = frozenset({"http", "https"})


def safe_url(url: str) -> str:
    """Return `url` when a browser follows it to a web page, else "".

    Kept are http, https and paths of this site. Browsers drop control characters and
    read a backslash as a slash, so an address with one is none.
    """
    if "\\" in url or any(sign <= " " or sign == "\x7f" for sign in url):
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme in LINKED_SCHEMES:
        return url if parts.netloc else ""
    return "" if parts.scheme or parts.netloc else url
