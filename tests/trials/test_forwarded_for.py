"""O44: one count for each real caller, and a proper 429.

The case names the networks it trusts, 10.0.0.0/8. Here the number of proxies is trusted
instead: one, which for a peer at 10.0.0.5 comes to the same.
"""

from __future__ import annotations

import secrets
from http import HTTPStatus
from typing import Any

import pytest
import time_machine
from django.test import Client

from nlweb_ask.models import SiteSettings
from tests.trials.conftest import case

PROXY, STRANGER = "10.0.0.5", "203.0.113.9"


@pytest.fixture(autouse=True)
def _three_a_minute(trial_site):
    """As the case says, on a clock that stands still: no minute ends within a test."""
    assert case("O44")["setup"]["settings"]["limit"] == "3 a minute per address"
    SiteSettings.objects.update(rate_limit="3/m")
    with time_machine.travel("2026-03-01 12:00:00+00:00", tick=False):
        yield


@pytest.fixture
def one_proxy(settings):
    settings.NLWEB_ASK = {**settings.NLWEB_ASK, "TRUSTED_PROXIES": 1}


def test_o44_steps_are_those_of_the_case():
    first, second, third = case("O44")["action"]["steps"]
    assert f"four POST /ask from peer {PROXY}" in first
    assert "<random each time>, 198.51.100.7" in first
    assert "198.51.100.8" in second
    assert f"no trusted proxies set: four POST /ask from peer {STRANGER}" in third


def asked(peer: str, forwarded: str) -> Any:
    body = {"query": {"text": "tide"}, "prefer": {"streaming": True}}
    headers = {"X-Forwarded-For": forwarded, "Accept": "text/event-stream"}
    return Client(REMOTE_ADDR=peer).post(
        "/ask", body, content_type="application/json", headers=headers
    )


def random_address() -> str:
    return ".".join(str(secrets.randbelow(254) + 1) for _ in range(4))


def statuses(responses: list[Any]) -> list[int]:
    return [response.status_code for response in responses]


def test_o44_the_fourth_question_of_a_caller_behind_the_proxy_waits(one_proxy):
    found = [asked(PROXY, f"{random_address()}, 198.51.100.7") for _ in range(4)]

    assert statuses(found) == [200, 200, 200, HTTPStatus.TOO_MANY_REQUESTS]
    refused = found[-1]
    assert refused["Retry-After"].isdecimal()
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert refused["Content-Type"] == "application/json"
    assert refused.json()["error"]["code"] == "RATE_LIMITED"
    assert not refused.streaming
    assert b"event:" not in refused.content


def test_o44_another_caller_behind_the_proxy_is_answered(one_proxy):
    for _ in range(4):
        asked(PROXY, f"{random_address()}, 198.51.100.7")

    assert asked(PROXY, "198.51.100.8").status_code == HTTPStatus.OK


def test_o44_the_header_is_ignored_where_no_proxy_is_trusted():
    found = [asked(STRANGER, random_address()) for _ in range(4)]

    assert statuses(found) == [200, 200, 200, HTTPStatus.TOO_MANY_REQUESTS]
