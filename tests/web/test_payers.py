"""Out of whose share a question is paid: a user's, or that of an address."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from nlweb_ask.conf import SiteConf
from nlweb_ask.web.payers import payer_of
from tests.factories import UserFactory

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
