"""Out of whose share a question is paid: a user's, or that of an address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from nlweb_ask.ai import embedders
from nlweb_ask.ai.budget import Payer
from nlweb_ask.conf import SiteConf
from nlweb_ask.models import AccessGrant, Grantee, SiteSettings
from nlweb_ask.plugins import retrievers
from nlweb_ask.web.payers import payer_of
from tests.factories import SiteSettingsFactory, UserFactory
from tests.pipeline.test_plugin_policies import registered

NOBODY = AnonymousUser()
CONF = SiteConf(site_id=3)


def visitor(address="192.0.2.7", user=NOBODY, **headers):
    request = RequestFactory(headers=headers).get("/ask", REMOTE_ADDR=address)
    return payer_of(request, user, CONF).visitor


def test_payer_is_of_the_site_that_is_asked():
    request = RequestFactory().get("/ask")
    assert payer_of(request, NOBODY, CONF).site_id == 3


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        pytest.param("192.0.2.7", "192.0.2.7", True, id="same-address"),
        pytest.param("192.0.2.7", "192.0.2.8", False, id="other-address"),
        pytest.param("2001:db8::1", "2001:db8::ffff:2", True, id="same-64"),
        pytest.param("2001:db8::1", "2001:db8:0:1::1", False, id="other-64"),
        pytest.param("::ffff:192.0.2.7", "192.0.2.7", True, id="mapped"),
        pytest.param("", "", True, id="no-address"),
    ],
)
def test_visitor_who_is_not_signed_in_is_an_address(one, other, is_same):
    assert (visitor(one) == visitor(other)) is is_same


def test_another_browser_is_the_same_visitor():
    assert visitor(user_agent="one") == visitor(user_agent="another")


def test_forwarded_address_counts_behind_a_proxy_alone(settings):
    forwarded = {"x-forwarded-for": "198.51.100.1"}
    assert visitor(**forwarded) == visitor()
    settings.NLWEB_ASK = {"TRUSTED_PROXIES": 1}
    assert visitor(**forwarded) == visitor("198.51.100.1")


@pytest.mark.django_db
def test_visitor_who_is_signed_in_is_the_user_wherever_they_are():
    anna, berta = UserFactory(), UserFactory()
    assert visitor(user=anna) == visitor("198.51.100.1", user=anna)
    assert visitor(user=anna) != visitor(user=berta)
    assert visitor(user=anna) != visitor()


@pytest.mark.django_db
def test_only_who_is_signed_in_pays_from_the_reserve():
    request = RequestFactory().get("/ask")
    assert payer_of(request, NOBODY, CONF).is_signed_in is False
    assert payer_of(request, UserFactory(), CONF).is_signed_in is True


@pytest.mark.django_db
def test_neither_address_nor_user_can_be_read():
    user = UserFactory(pk=987654)
    for name in (visitor("192.0.2.7"), visitor(user=user)):
        assert re.fullmatch(r"[0-9a-f]{64}", name)
        assert "987654" not in name


def test_names_need_the_key_of_the_site(settings):
    before = visitor()
    settings.SECRET_KEY = "another"
    assert visitor() != before


@dataclass(frozen=True)
class Bills:
    """Finds nothing, and notes out of whose share a vector of the question is paid."""

    name = "bills"
    payers: ClassVar[list] = []

    def retrieve(self, question, scope, *, limit):
        self.payers.append(embedders._payer(scope.site_id))
        return []


@pytest.fixture
def billed(site, client, settings):
    """Ask; return who pays for a vector of the question."""
    AccessGrant.objects.get_or_create(profile=None, kind=Grantee.EVERYONE)
    SiteSettingsFactory()
    SiteSettings.objects.update(allow_cross_origin=True, rate_limit="")
    embedders = {"local": {"class": "nlweb_ask.ai.embedders.WordLlama"}}
    settings.NLWEB_ASK = {"RETRIEVERS": ["bills"], "EMBEDDERS": embedders}
    Bills.payers.clear()

    def ask(mode="list", **headers):
        body = {"query": {"text": "kettle"}, "prefer": {"mode": mode}}
        client.post("/ask", body, content_type="application/json", headers=headers)
        assert Bills.payers
        return Bills.payers[-1]

    with registered(retrievers, Bills):
        yield ask


@pytest.mark.django_db(transaction=True)  # threads of the pool read it
@pytest.mark.parametrize("mode", ["list", "summarize"])
def test_a_vector_of_a_question_is_paid_out_of_the_share_of_its_visitor(billed, mode):
    payer = billed(mode)
    assert payer.visitor == visitor("127.0.0.1")
    assert payer.is_signed_in is False


@pytest.mark.django_db(transaction=True)
def test_a_vector_for_the_page_of_another_site_may_cost_nothing(billed):
    assert billed(origin="https://other.example", sec_fetch_site="cross-site") is None


def test_who_reads_the_events_pays_for_what_is_embedded_outside_of_them():
    def events():
        yield embedders._payer(0)

    inside = [
        (told, embedders._payer(0)) for told in embedders.each_paid_by(None, events())
    ]
    assert inside == [(None, Payer(site_id=0))]
