from __future__ import annotations

import pytest
from django.test import AsyncRequestFactory, RequestFactory

from nlweb_ask.protocol.errors import InvalidRequest
from nlweb_ask.web.requests import query_pairs


def pairs(query_string):
    """Return the fields of a WSGI request; servers hand bytes over as Latin-1."""
    return query_pairs(RequestFactory().get("/ask", QUERY_STRING=query_string))


@pytest.mark.parametrize(
    ("query_string", "expected"),
    [
        pytest.param("query=a+b%20c", [("query", "a b c")], id="spaces"),
        pytest.param(
            "b=1&a=2&b=3", [("b", "1"), ("a", "2"), ("b", "3")], id="in-order"
        ),
        pytest.param("query=", [("query", "")], id="blank-is-kept"),
        pytest.param("query=caf%C3%A9", [("query", "café")], id="percent-encoded"),
        pytest.param("query=caf\xc3\xa9", [("query", "café")], id="raw-utf-8"),
        pytest.param("query=%ff", [("query", "\udcff")], id="no-utf-8"),
        pytest.param("query=\xff", [("query", "\udcff")], id="raw-byte-of-no-utf-8"),
    ],
)
def test_fields_are_read_as_they_were_sent(query_string, expected):
    assert pairs(query_string) == expected


def test_asgi_server_has_decoded_the_address_already():
    request = AsyncRequestFactory().get("/ask?query=caf%C3%A9&x=é")

    assert query_pairs(request) == [("query", "café"), ("x", "é")]


def test_too_many_fields_are_refused():
    with pytest.raises(InvalidRequest):
        pairs("a=1&" * 1001)
