"""The ask box in a placeholder."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import translation

from nlweb_ask.models import AccessGrant
from nlweb_ask.models.grants import Grantee
from nlweb_ask.plugins import sources
from tests.sites.djangocms import building


@pytest.fixture
def page(home, add):
    made = add(home, "Ask us")
    building.say(building.latest(made), "", plugin="AskBoxPlugin")
    return made


def shown(client=None, path="/ask-us/"):
    client = client or Client(HTTP_HOST="localhost")
    return client.get(path).content.decode()


def test_the_plug_in_shows_a_labelled_form_without_script_or_inline_style(page):
    html = shown()
    assert "Ask this site" in html
    assert '<form class="nlweb-ask-box" role="search"' in html
    box = html[html.index("<form") : html.index("</form>")]
    assert "<script" not in box
    assert "style=" not in box


def test_the_plug_in_speaks_the_language_of_the_page(page):
    content = building.translate(page, "Fragen")
    building.say(content, "", plugin="AskBoxPlugin")
    with translation.override("de"):
        label = translation.gettext("Ask this site")
    assert label in shown(path="/de/fragen/")


def test_the_plug_in_shows_nothing_while_the_site_is_off(page, settings):
    settings.NLWEB_ASK = {"ENABLED": False}
    assert "<form" not in shown()


def test_what_one_visitor_may_do_is_not_kept_for_another(page, django_user_model):
    AccessGrant.objects.all().delete()
    user = django_user_model.objects.create(username="member")
    AccessGrant.objects.create(kind=Grantee.USER, user=user)
    member = Client(HTTP_HOST="localhost")
    member.force_login(user)
    assert "<form" in shown(member)
    assert "<form" not in shown()
    assert "<form" in shown(member)


def test_the_words_of_the_box_are_none_of_the_page(page):
    [document] = sources.get("djangocms").load([f"{page.pk}:en"])
    assert document.sections == ()
