from __future__ import annotations

import pytest

from nlweb_ask.sources.robots import keeps_out


@pytest.mark.parametrize(
    "told",
    [
        "noindex",
        "NoIndex, nofollow",
        "noindex nofollow",
        "noindex; nofollow",
        "nofollow,noindex",
        "googlebot: noindex",
        "googlebot:nofollow, otherbot: none",
        "max-snippet: -1, nosnippet",
        "unavailable_after: 2020-01-01",
        "unavailable_after: 2020-01-01T00:00:00+02:00, max-snippet: 5",
        "unavailable_after: 25 Jun 2010 15:00:00 PST",
        "unavailable_after: Friday, 25-Jun-10 15:00:00 UTC",
        "unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow",
        "unavailable_after: one day",
        "unavailable_after:",
        "max-snippet: 5, unavailable_after: 2999-01-01; noindex",
    ],
)
def test_a_page_is_kept_out(told):
    assert keeps_out(told)


@pytest.mark.parametrize(
    "told",
    [
        "",
        "all",
        "index, follow",
        "nofollow",
        "max-image-preview: none, max-snippet:-1",
        "unavailable_after: 2999-01-01",
        "unavailable_after: Mon, 25 Jun 2999 15:00:00 GMT, nofollow",
        "unavailable_after: 25 Jun 2999 15:00:00 +0000; nofollow",
    ],
)
def test_a_page_may_be_found(told):
    assert not keeps_out(told)
