"""O49: what a page of another site can read with the session of a member.

The case has a third setting, a list of origins, which this product does not offer: other
sites may ask, all of them and as nobody, or none may.
"""

from __future__ import annotations

import pytest

from nlweb_ask.index.refresh import sweep
from nlweb_ask.models import SiteSettings
from tests.factories import UserFactory
from tests.trials.conftest import case
from tests.trials.trial_site import page_of

pytestmark = pytest.mark.servers

EVIL, APP = "https://evil.example", "https://app.example"
ADDRESS = "/ask?query=minutes&streaming=false"


@pytest.fixture
def minutes(trial_site, client):
    """Minutes for everyone and for members, and a client with a member's session."""
    pages = [
        page_of({"url": "/fair/", "title": "Minutes of the fair"}),
        page_of(
            {"url": "/vault/", "title": "Minutes of the vault", "visible_to": "members"}
        ),
    ]
    trial_site.pages = {page.url: page for page in pages}
    sweep(trial_site.name)
    client.force_login(UserFactory())
    return client


def allow(allowed):
    SiteSettings.objects.update(allow_cross_origin=allowed)


def cors(response):
    return {
        name.lower(): value
        for name, value in response.headers.items()
        if name.lower().startswith("access-control-")
    }


def test_o49_steps_are_those_of_the_case():
    first, second, third = case("O49")["action"]["steps"]
    assert ADDRESS in first
    assert EVIL in first
    assert APP in second
    assert EVIL in third


def test_o49_the_member_reads_the_answer_on_the_site_itself(minutes):
    response = minutes.get(ADDRESS, headers={"Sec-Fetch-Site": "same-origin"})
    assert "Minutes of the vault" in response.content.decode()
    assert cors(response) == {}


@pytest.mark.parametrize("origin", [EVIL, APP])
def test_o49_off_no_page_of_another_site_reads_anything(minutes, origin):
    allow(False)
    response = minutes.get(ADDRESS, headers={"Origin": origin})
    assert response.status_code == 403
    assert cors(response) == {}
    assert "Minutes" not in response.content.decode()


@pytest.mark.parametrize("origin", [EVIL, APP])
def test_o49_on_for_all_every_page_reads_what_is_for_everyone(minutes, origin):
    allow(True)
    response = minutes.get(ADDRESS, headers={"Origin": origin})
    assert cors(response) == {
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "Retry-After",
    }
    [found] = response.json()["results"]
    assert found["name"] == "Minutes of the fair"


@pytest.mark.parametrize("allowed", [False, True], ids=["off", "on"])
def test_o49_preflight_promises_no_session(minutes, allowed):
    allow(allowed)
    headers = {"Origin": EVIL, "Access-Control-Request-Method": "POST"}
    response = minutes.options("/ask", headers=headers)
    assert response.status_code == (204 if allowed else 403)
    expected = {"access-control-allow-origin": "*"} if allowed else {}
    found = cors(response)
    assert {name: found[name] for name in expected} == expected
    assert allowed or found == {}
    assert "access-control-allow-credentials" not in found
