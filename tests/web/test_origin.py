from __future__ import annotations

import pytest
from django.test import RequestFactory

from nlweb_ask.web.origin import is_foreign


def asked_with(**headers):
    return RequestFactory().get("/ask", headers=headers)


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({}, id="no-browser"),
        pytest.param({"Sec-Fetch-Site": "same-origin"}, id="own-page"),
        pytest.param({"Sec-Fetch-Site": "none"}, id="typed-address"),
        pytest.param({"Origin": "http://testserver"}, id="own-origin"),
        pytest.param({"Origin": "http://testserver:80"}, id="own-origin-with-port"),
        pytest.param({"Origin": "http://TESTSERVER"}, id="own-origin-in-capitals"),
        pytest.param(
            {"Sec-Fetch-Site": "same-origin", "Origin": "https://testserver"},
            id="own-page-behind-a-proxy-that-ends-tls",
        ),
    ],
)
def test_request_of_the_site_itself_is_not_foreign(headers):
    assert not is_foreign(asked_with(**headers))


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"Sec-Fetch-Site": "cross-site"}, id="image-or-script-elsewhere"),
        pytest.param({"Sec-Fetch-Site": "same-site"}, id="another-subdomain"),
        pytest.param({"Sec-Fetch-Site": ""}, id="empty-fetch-site"),
        pytest.param({"Sec-Fetch-Site": "SAME-ORIGIN"}, id="no-browser-writes-this"),
        pytest.param({"Origin": "https://evil.example"}, id="other-origin"),
        pytest.param({"Origin": "null"}, id="null-origin"),
        pytest.param({"Origin": ""}, id="empty-origin"),
        pytest.param({"Origin": "https://testserver"}, id="other-scheme"),
        pytest.param({"Origin": "http://testserver:8000"}, id="other-port"),
        pytest.param({"Origin": "http://testserver.evil.example"}, id="own-as-prefix"),
        pytest.param({"Origin": "http://testserver:nan"}, id="port-that-is-none"),
        pytest.param({"Origin": "http://[testserver"}, id="junk"),
        pytest.param({"Origin": "file://testserver"}, id="a-file"),
        pytest.param(
            {"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"},
            id="headers-that-contradict-each-other",
        ),
        pytest.param(
            {"Sec-Fetch-Site": "none", "Origin": "null"}, id="null-origin-beside-none"
        ),
    ],
)
def test_request_of_another_page_is_foreign(headers):
    assert is_foreign(asked_with(**headers))
