"""A profile that is not there and one that is not granted leave the same traces: none."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from nlweb_ask.models import AccessGrant
from tests.factories import (
    AccessGrantFactory,
    GroupFactory,
    IndexProfileFactory,
    UserFactory,
)

pytestmark = pytest.mark.servers

IDS = {"query_id": "q", "meta": {"session_context": {"conversation_id": "c"}}}
FORMS = ["document", "stream", "legacy"]


@pytest.fixture
def profiles(articles):
    """A profile for everyone, and one for a group, which finds no page."""
    AccessGrant.objects.all().delete()
    AccessGrantFactory(profile=IndexProfileFactory(name="news"))
    staff = IndexProfileFactory(name="staff", allowed_types=["Recipe"])
    AccessGrantFactory(profile=staff, group=GroupFactory(name="staff"))


@pytest.fixture
def traces(client, ask):
    """Ask by naming a site or none; give what can be seen and counted of the answer."""

    def look(site, form):
        named = {} if site is None else {"site": site}
        with CaptureQueriesContext(connection) as queries:
            if form == "legacy":
                words = {"query": "tide", "streaming": "false", "query_id": "q"}
                response = client.get("/ask", words | named)
            else:
                accept = "text/event-stream" if form == "stream" else "application/json"
                body = {"query": {"text": "tide", **named}, **IDS}
                response = ask(body, Accept=accept)
            content = b"".join(response)
        headers = dict(response.headers)
        headers.pop("Content-Length", None)
        # Times differ by nature, and so does the id of a question that was not read.
        content = re.sub(rb'"(processing_time_ms":\d+|query_id":"[^"]+")', b"", content)
        return response.status_code, headers, content, len(queries)

    return look


@pytest.mark.parametrize("form", FORMS)
def test_profile_that_is_not_granted_is_as_one_that_is_not_there(
    traces, profiles, form
):
    traces("news", form)  # the index is read into memory by the first question

    absent = traces(None, form)

    assert absent[0] == 200
    assert b"Tide table" in absent[2]
    assert traces("staff", form) == absent
    assert traces("no-such-profile", form) == absent


@pytest.mark.parametrize("form", FORMS)
def test_member_without_the_grant_learns_no_more(client, traces, profiles, form):
    client.force_login(UserFactory())
    traces("news", form)

    assert (
        traces("staff", form) == traces("no-such-profile", form) == traces(None, form)
    )


def test_the_comparison_sees_a_profile_that_is_granted(client, traces, profiles):
    client.force_login(UserFactory(groups=[GroupFactory(name="staff")]))

    assert b"Tide table" in traces("no-such-profile", "document")[2]
    assert b"Tide table" not in traces("staff", "document")[2]


@pytest.mark.parametrize("form", FORMS)
def test_caller_without_any_grant_gets_one_answer_for_every_name(
    traces, profiles, form
):
    AccessGrant.objects.filter(group=None).delete()

    refused = traces(None, form)

    assert refused[0] == 401
    assert traces("news", form) == traces("staff", form) == refused
    assert traces("no-such-profile", form) == refused
