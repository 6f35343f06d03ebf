"""SitemapSource: the pages of a sitemap, as an anonymous visitor was just given them."""

from __future__ import annotations

import gzip
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from nlweb_ask.index.refresh import refresh_objects, sweep
from nlweb_ask.models import Document, IndexFailure
from nlweb_ask.plugins import SourceFault, Viewer, sources
from nlweb_ask.sources import SitemapSource, sitemap
from nlweb_ask.testing import check_source
from tests.asking import ANONYMOUS, STAFF, ask
from tests.web_server import web_server

pytestmark = pytest.mark.django_db

KETTLE = "<html lang=en><main><h1>Kettle</h1><p>The kettle boils.</p></main>"
LOGIN = "<main><h1>Kettle</h1><form><input type=password></form></main>"


@pytest.fixture
def web():
    with web_server() as server:
        yield server


@pytest.fixture
def pages(web):
    """A source for the server, under the name that `tests.asking` searches."""

    class Pages(SitemapSource):
        name = "memory"
        sitemap = f"{web.origin}/sitemap.xml"
        private_networks = ("127.0.0.0/8",)
        recheck_after = timedelta(hours=1)

    sources.register(Pages)
    yield Pages
    sources.unregister("memory")


@pytest.fixture
def kettle(web, pages):
    """One page, listed and indexed."""
    url = web.put("/kettle/", KETTLE)
    web.sitemap(url)
    sweep("memory")
    return url


def urls(source):
    return [ref.object_id for ref in source.iter_refs()]


def forget_what_was_seen():
    """Be another process, or the same one a minute later."""
    sources._instances.pop("memory", None)


def names(user=ANONYMOUS):
    forget_what_was_seen()
    return ask("kettle", user).names


def age(**hours):
    Document.objects.update(refreshed_at=timezone.now() - timedelta(**hours))


# A page from end to end


@pytest.mark.servers
def test_a_page_of_the_sitemap_is_found_with_its_own_address(kettle):
    forget_what_was_seen()
    [found] = ask("kettle").items

    assert (found["url"], found["name"], found["@type"]) == (
        kettle,
        "Kettle",
        "WebPage",
    )
    assert found["description"] == "The kettle boils."


def test_what_a_page_says_of_itself_is_in_the_answer(web, pages):
    block = '{"@context":"https://schema.org","@type":"Recipe","url":"/k","@id":"x"}'
    url = web.put("/k", f"{KETTLE}<script type='application/ld+json'>{block}</script>")
    web.sitemap(url)
    sweep("memory")
    [found] = ask("kettle").items

    assert (found["@type"], found["url"], found["@id"]) == ("Recipe", url, url)


def test_it_keeps_the_promises_of_a_source(web, pages):
    web.sitemap(web.put("/a", KETTLE), web.put("/b", KETTLE))

    check_source(pages(), [Viewer(user=STAFF)])


# Who may see it


GONE = {
    "not-found": lambda web: web.put("/kettle/", KETTLE, status=404),
    "gone": lambda web: web.put("/kettle/", status=410),
    "forbidden": lambda web: web.put("/kettle/", KETTLE, status=403),
    "led-to-login": lambda web: (
        web.put("/kettle/", status=302, Location="/login/"),
        web.put("/login/", "<p>Who are you?"),
    ),
    "asks-for-password": lambda web: web.put("/kettle/", LOGIN),
    "on-another-host": lambda web: web.put(
        "/kettle/", status=302, Location="http://169.254.169.254/"
    ),
    "noindex": lambda web: web.put("/kettle/", KETTLE, X_Robots_Tag="noindex"),
    "leads on": lambda web: web.put("/kettle/", KETTLE, Refresh="0; url=/login/"),
    "over": lambda web: web.put(
        "/kettle/", KETTLE, X_Robots_Tag="unavailable_after: 25 Jun 2010 15:00:00 PST"
    ),
    "no bot": lambda web: web.put(
        "/kettle/", f'<meta name="googlebot" content="noindex nofollow">{KETTLE}'
    ),
    "another-is-it": lambda web: web.put(
        "/kettle/", '<link rel="canonical" href="/">' + KETTLE
    ),
    "of-another-type": lambda web: web.put("/kettle/", KETTLE, Content_Type="text/x"),
    "server-fails": lambda web: web.put("/kettle/", status=503),
    "no-longer-listed": lambda web: web.sitemap(),
}


@pytest.mark.servers
@pytest.mark.parametrize("close", GONE.values(), ids=GONE.keys())
def test_a_page_that_is_gone_or_closed_is_withdrawn_when_it_is_looked_at(
    web, kettle, close
):
    close(web)
    forget_what_was_seen()
    sweep("memory")

    assert not Document.objects.exists()
    assert names() == names(STAFF) == []


@pytest.mark.parametrize("close", GONE.values(), ids=GONE.keys())
def test_a_page_that_is_closed_from_the_first_is_never_taken_in(web, pages, close):
    web.sitemap(f"{web.origin}/kettle/")
    close(web)
    sweep("memory")

    assert names(STAFF) == []


def test_a_page_that_opens_is_found_when_it_is_looked_at_again(web, pages):
    web.sitemap(web.put("/kettle/", LOGIN))
    sweep("memory")
    web.put("/kettle/", KETTLE)
    forget_what_was_seen()
    sweep("memory")

    assert names() == ["Kettle"]


@pytest.mark.servers
def test_a_page_that_was_not_looked_at_for_long_is_shown_to_nobody(kettle):
    age(hours=23)
    assert names() == ["Kettle"]
    age(hours=25)
    assert names() == names(STAFF) == []


def test_a_page_that_is_looked_at_again_is_shown_again(kettle):
    age(hours=25)
    assert names() == []
    sweep("memory")
    assert names() == ["Kettle"]


def test_a_page_that_is_in_no_index_is_visible_to_nobody(pages, web):
    source = pages()
    assert source.visible_ids(Viewer(user=STAFF), [f"{web.origin}/kettle/"]) == set()


@pytest.mark.servers
def test_who_may_see_many_costs_one_query(kettle, pages, django_assert_num_queries):
    asked = [kettle, *(f"{kettle}{n}" for n in range(50))]
    with django_assert_num_queries(1):
        assert pages().visible_ids(Viewer(user=ANONYMOUS), asked) == {kettle}


def test_no_question_fetches_a_page(web, kettle):
    web.asked.clear()
    assert names() == ["Kettle"]
    assert web.asked == []


# Looking again


def test_a_sweep_for_changes_looks_again_at_each_page_once_an_hour(
    web, kettle, time_machine
):
    time_machine.move_to("2026-01-01 12:00", tick=False)
    sweep("memory", changed_only=True)
    looked = []
    for _minute in range(0, 180, 10):
        time_machine.shift(timedelta(minutes=10))
        forget_what_was_seen()
        web.asked.clear()
        sweep("memory", changed_only=True)
        looked.append("/kettle/" in web.asked)

    assert sum(looked) == 3


def test_a_page_whose_date_moves_is_looked_at_by_the_next_sweep_for_changes(
    web, kettle, time_machine
):
    time_machine.move_to("2026-01-01 12:00", tick=False)
    sweep("memory", changed_only=True)
    web.sitemap(kettle, changed="2026-01-01")
    forget_what_was_seen()
    web.asked.clear()
    sweep("memory", changed_only=True)

    assert "/kettle/" in web.asked


def test_pages_have_moments_of_their_own(pages, web):
    web.sitemap(*(f"{web.origin}/{n}" for n in range(40)))
    before = dict(pages().iter_refs())
    pages.recheck_after = timedelta(days=30)
    one = dict(pages().iter_refs())

    assert before.keys() == one.keys()
    assert len(set(before.values())) > 1


# When something fails


def test_a_sitemap_that_cannot_be_read_leaves_its_pages_as_they_were(web, kettle):
    for answer in (
        {"status": 503},
        {"status": 404},
        {"body": "<urlset>"},
        {"body": '<!DOCTYPE x [<!ENTITY a "b">]><urlset/>'},
        {"body": gzip.compress(bytes(20_000_000))},
    ):
        web.put("/sitemap.xml", **answer)
        forget_what_was_seen()
        with pytest.raises(SourceFault, match="sitemap"):
            sweep("memory")
        assert names() == ["Kettle"]


def test_one_page_that_fails_withdraws_no_other_and_is_noted(web, kettle):
    bad = web.put("/bad/", status=500)
    web.sitemap(kettle, bad)
    forget_what_was_seen()
    web.asked.clear()
    sweep("memory")

    assert names() == ["Kettle"]
    noted = IndexFailure.objects.get()
    assert noted.object_id == bad
    assert "500" in noted.reason
    assert web.asked.count("/kettle/") == 1


def test_a_private_address_is_not_fetched_from_without_leave(web, pages):
    pages.private_networks = ()
    web.sitemap(web.put("/kettle/", KETTLE))
    with pytest.raises(SourceFault, match="private address"):
        sweep("memory")
    assert web.asked == []


# The sitemap


def test_sitemaps_of_an_index_are_followed_packed_ones_too(web, pages):
    first = web.sitemap(f"{web.origin}/a", path="/1.xml")
    packed = gzip.compress(
        b"<urlset><url><loc>%s/b</loc></url></urlset>" % web.origin.encode()
    )
    second = web.put("/2.xml.gz", packed, Content_Type="application/gzip")
    index = "".join(
        f"<sitemap><loc>{url}</loc></sitemap>"
        for url in (first, "https://elsewhere.example/3.xml", second)
    )
    web.put("/sitemap.xml", f"<sitemapindex>{index}</sitemapindex>")
    source = pages()

    assert urls(source) == [f"{web.origin}/a", f"{web.origin}/b"]
    assert [p.name for p in source.iter_problems()] == [
        "https://elsewhere.example/3.xml"
    ]


def test_an_index_in_an_index_is_not_followed(web, pages):
    inner = web.put(
        "/inner.xml", "<sitemapindex><sitemap><loc>/</loc></sitemap></sitemapindex>"
    )
    web.put(
        "/sitemap.xml",
        f"<sitemapindex><sitemap><loc>{inner}</loc></sitemap></sitemapindex>",
    )

    assert urls(pages()) == []


def test_pages_on_other_hosts_and_what_is_no_address_are_left_out(web, pages):
    own = f"{web.origin}/a"
    web.sitemap(own, "https://b.example/", "file:///etc/passwd", "/x", own + "#b", own)
    source = pages()

    assert urls(source) == [own]
    assert {p.fatal for p in source.iter_problems()} == {False}
    assert len(list(source.iter_problems())) == 3


def test_further_hosts_of_the_site_are_its_own(web, pages):
    with web_server() as other:
        pages.hosts = [other.host]
        web.sitemap(other.put("/kettle/", KETTLE))
        sweep("memory")

        assert names() == ["Kettle"]


@pytest.mark.parametrize("pattern", ["/über-intern/*", "/%C3%BCber-intern/*"])
def test_paths_are_excluded_however_their_letters_are_written(web, pages, pattern):
    pages.excluded = [pattern]
    web.put("/%C3%BCber-intern/plan/", KETTLE)
    web.sitemap(f"{web.origin}/über-intern/plan/")
    assert urls(sources.get("memory")) == []


def test_paths_may_be_excluded(web, pages):
    pages.excluded = ["/blog/*"]
    web.sitemap(f"{web.origin}/blog/a", f"{web.origin}/a?x=/blog/b")

    assert urls(pages()) == [f"{web.origin}/a?x=/blog/b"]


def test_no_more_pages_are_taken_than_the_source_says(web, pages):
    pages.max_pages = 2
    web.sitemap(*(f"{web.origin}/{n}" for n in range(3)))
    source = pages()

    assert len(urls(source)) == 2
    assert "more than 2 pages" in next(source.iter_problems()).reason


def test_no_more_sitemaps_are_read_than_fifty(web, pages):
    locs = "".join(
        f"<sitemap><loc>{web.sitemap(path=f'/{n}.xml')}</loc></sitemap>"
        for n in range(60)
    )
    web.put("/sitemap.xml", f"<sitemapindex>{locs}</sitemapindex>")
    source = pages()

    assert urls(source) == []
    assert len(web.asked) == 1 + sitemap.MAX_SITEMAPS
    assert [p.name for p in source.iter_problems()] == [source.sitemap]


def test_an_address_that_no_column_holds_is_left_out(web, pages):
    web.sitemap(f"{web.origin}/{'x' * 300}")

    assert urls(pages()) == []


# By the command


@pytest.mark.servers
def test_the_command_says_what_was_left_out_and_is_content(web, pages, capsys):
    web.sitemap(web.put("/kettle/", KETTLE), web.put("/login/", LOGIN))

    call_command("nlweb_index", "memory", "--no-progress")
    said = capsys.readouterr().out
    assert f"{web.origin}/login/: It asks for a password." in said
    assert "2 seen, 1 written" in said


def test_one_page_can_be_looked_at_by_itself(web, kettle):
    web.put("/kettle/", LOGIN)
    forget_what_was_seen()
    refresh_objects("memory", [kettle])

    assert names() == []


def test_what_is_not_in_the_sitemap_cannot_be_asked_for(web, kettle):
    secret = web.put("/secret/", KETTLE)
    refresh_objects("memory", [secret])

    assert "/secret/" not in web.asked
    assert Document.objects.count() == 1
