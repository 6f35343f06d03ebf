"""Django's flat pages can be asked once one line is in `INSTALLED_APPS`."""

from __future__ import annotations

import threading

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.test import modify_settings

from nlweb_ask.checks.table import TAG
from nlweb_ask.conf import ProfileConf, RetrieverChoice, SiteConf
from nlweb_ask.contrib.flatpages.source import FlatpagesSource
from nlweb_ask.models import Document
from nlweb_ask.pipeline.ask import AskScope, answer
from nlweb_ask.plugins import Question, Viewer, sources
from nlweb_ask.sources.viewers import anonymous_viewer
from nlweb_ask.testing import check_source
from tests.asking import ANONYMOUS, MEMBER, Answer
from tests.factories import AccessGrantFactory, SiteSettingsFactory, UserFactory
from tests.installed import installed

pytestmark = [pytest.mark.servers, pytest.mark.django_db(transaction=True)]

APPS = (
    "django.contrib.sites",
    "django.contrib.flatpages",
    "nlweb_ask.contrib.flatpages",
)
HERE, THERE = 1, 2


@pytest.fixture(autouse=True)
def two_sites():
    with installed(*APPS):
        from django.contrib.sites.models import Site

        Site.objects.bulk_create(
            Site(pk=pk, domain=domain, name=domain)
            for pk, domain in ((HERE, "harbour.example"), (THERE, "quay.example"))
        )
        yield
    sources.unregister("flatpages")


@pytest.fixture
def publish():
    """Save a flat page as the admin does: the page first, then its sites."""
    from django.contrib.flatpages.models import FlatPage

    def save(url, content="", *site_ids, **fields):
        fields = {"title": url.strip("/").title(), "content": content, **fields}
        page = FlatPage.objects.create(url=url, **fields)
        page.sites.set(site_ids or [HERE])
        return page

    return save


def asked(text, user=ANONYMOUS, site_id=HERE):
    conf = SiteConf(site_id=site_id, base_url="https://site.example")
    profile = ProfileConf(name="all", retrievers=(RetrieverChoice(name="keyword"),))
    question = Question(text=text, query_id="q", conversation_id="c")
    viewer = Viewer(user=user, site_id=site_id)
    scope = AskScope(conf=conf, profiles=(profile,))
    return Answer(list(answer(question, viewer, scope, threading.Event())))


def names(text, user=ANONYMOUS, site_id=HERE):
    return asked(text, user, site_id).names


def visible(user, *pages, site_id=HERE):
    viewer = Viewer(user=user, site_id=site_id)
    return FlatpagesSource().visible_ids(viewer, [str(page.pk) for page in pages])


def test_a_saved_page_is_found_at_once(publish):
    publish("/about/", "<p>We keep the <b>lantern</b> lit.</p>")

    [found] = asked("lantern").items
    assert found["name"] == "About"
    assert found["@type"] == "WebPage"
    assert found["description"] == "We keep the lantern lit."


def test_what_is_saved_again_or_deleted_is_so_in_the_answers(publish):
    page = publish("/about/", "lantern")
    page.content = "anchor"
    page.save()

    assert names("lantern") == []
    assert names("anchor") == ["About"]
    page.delete()
    assert names("anchor") == []


def test_a_page_that_asks_for_registration_is_for_whoever_has_signed_in(publish):
    publish("/open/", "lantern")
    publish("/members/", "lantern", registration_required=True)

    assert names("lantern") == ["Open"]
    assert sorted(names("lantern", MEMBER)) == ["Members", "Open"]


def test_a_page_closed_by_update_is_gone_from_the_next_question_on(publish):
    page = publish("/open/", "lantern")
    type(page).objects.update(registration_required=True)

    assert names("lantern") == []
    assert names("lantern", MEMBER) == ["Open"]


def test_a_deactivated_account_sees_what_an_anonymous_visitor_does(publish):
    page = publish("/members/", registration_required=True)

    assert visible(UserFactory(is_active=False), page) == set()


def test_a_page_is_found_on_its_sites_alone(publish):
    publish("/here/", "lantern", HERE)
    publish("/there/", "lantern", THERE)
    publish("/both/", "lantern", HERE, THERE)

    assert sorted(names("lantern")) == ["Both", "Here"]
    assert sorted(names("lantern", site_id=THERE)) == ["Both", "There"]


def test_a_page_taken_off_a_site_is_gone_there_at_once(publish):
    page = publish("/both/", "lantern", HERE, THERE)
    page.sites.remove(HERE)

    assert names("lantern") == []
    assert names("lantern", site_id=THERE) == ["Both"]


def test_a_page_on_no_site_is_nowhere(publish, settings):
    settings.SITE_ID = HERE
    page = publish("/lost/", "lantern")
    page.sites.clear()

    assert not Document.objects.exists()
    assert list(FlatpagesSource().iter_refs()) == []
    assert visible(MEMBER, page) == set()


def test_links_begin_with_the_domain_of_the_site_and_not_of_the_request(
    client, publish, settings
):
    settings.NLWEB_ASK = {}
    settings.ALLOWED_HOSTS = ["*"]
    for site_id in (HERE, THERE):
        SiteSettingsFactory(site_id=site_id)
    AccessGrantFactory()
    publish("/about/", "lantern", THERE)

    response = client.get(
        "/ask", {"query": "lantern", "streaming": "false"}, HTTP_HOST="quay.example"
    )
    [found] = response.json()["results"]
    assert found["url"] == "https://quay.example/about/"


def test_an_address_that_names_a_host_stays_a_path(publish):
    publish("//other.example/", "lantern")

    [found] = asked("lantern").items
    assert found["url"] == "https://site.example/%2Fother.example/"


def test_the_title_is_read_as_the_html_that_it_is(publish):
    publish("/about/", "lantern", title="Lamps &amp; <em>lights</em>")

    assert names("lantern") == ["Lamps & lights"]


def test_visibility_of_many_costs_one_query(publish, django_assert_num_queries):
    pages = [publish(f"/{n}/", "", HERE, THERE) for n in range(9)]

    with django_assert_num_queries(1):
        assert len(visible(ANONYMOUS, *pages)) == len(pages)


def test_loading_many_costs_two_queries(publish, django_assert_num_queries):
    ids = [str(publish(f"/{n}/", "", HERE, THERE).pk) for n in range(9)]

    with django_assert_num_queries(2):
        assert [d.sites for d in FlatpagesSource().load(ids)] == [(HERE, THERE)] * 9


def test_it_keeps_the_promises_of_a_source(publish):
    publish("/a/")
    publish("/b/", registration_required=True)
    viewer = anonymous_viewer(HERE)

    check_source(FlatpagesSource(), [viewer, Viewer(user=MEMBER, site_id=HERE)])


def test_the_command_takes_in_what_was_there_before(publish):
    publish("/about/", "lantern")
    Document.objects.all().delete()

    call_command("nlweb_index", "flatpages", "--no-progress", verbosity=0)
    assert names("lantern") == ["About"]


def test_a_site_may_register_one_of_its_own():
    class OwnSource(FlatpagesSource):
        schema_type = "AboutPage"

    sources.register(OwnSource)
    assert type(sources.get("flatpages")) is OwnSource
    assert sources.doubles == []


def test_the_checks_have_nothing_to_say(settings):
    settings.SILENCED_SYSTEM_CHECKS = ["nlweb_ask.W012"]
    # Other apps of the tests have checks of their own, once they were imported.
    call_command("check", tags=[TAG], fail_level="WARNING")


def test_without_djangos_own_app_it_says_what_is_missing():
    removed = {"remove": ["django.contrib.flatpages"]}
    raises = pytest.raises(ImproperlyConfigured, match=r"django\.contrib\.flatpages")
    with raises, modify_settings(INSTALLED_APPS=removed):
        pass
