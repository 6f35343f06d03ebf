"""What a page says: its placeholders, as a visitor reads them who has not signed in."""

from __future__ import annotations

import json

import pytest
from cms.models import Page, PageContent
from cms.utils.permissions import reset_current_user, set_current_user
from django.core.cache import cache
from django.test import Client

from nlweb_ask.plugins import sources
from tests.sites.asking import ask_site
from tests.sites.djangocms import building
from tests.sites.djangocms.pages.cms_plugins import WordsPlugin
from tests.sites.djangocms.pages.models import ContentDescription, PageDescription


def read(page, language="en"):
    [document] = sources.get("djangocms").load([f"{page.pk}:{language}"])
    return document


def words(page):
    return "\n".join(f"{part.heading} {part.text}" for part in read(page).sections)


def test_placeholders_are_cut_at_their_headings_in_the_order_of_the_template(home, add):
    page = add(home, "Tides")
    content = building.latest(page)
    building.say(content, "<h2>Low water</h2><p>At <b>six</b>.</p>", "below")
    building.say(content, "<p>Begin.</p><h2>High water</h2><p>At noon.</p>")
    assert [(part.heading, part.text) for part in read(page).sections] == [
        ("", "Begin."),
        ("High water", "At noon."),
        ("Low water", "At six."),
    ]


def test_titles_and_description_can_be_found(home, add):
    fields = {
        "page_title": "Tide tables",
        "menu_title": "When to sail",
        "meta_description": "Twice a day.",
    }
    document = read(add(home, "Tides", fields=fields))
    assert document.name == "Tides"
    assert document.abstract == "Twice a day."
    assert document.schema_object["alternateName"] == ["Tide tables", "When to sail"]


def test_a_rich_text_with_a_plug_in_inside_is_read(home, add):
    page = add(home, "Tides")
    text = building.say(building.latest(page), "", plugin="TextPlugin")
    text.body = "<p>High <em>water</em> at noon.</p>"
    text.save()
    assert "High water at noon." in words(page)


def test_a_placeholder_that_is_shown_on_a_condition_stays_out(home, add):
    page = add(home, "Tides")
    building.say(building.latest(page), "<p>memberscanary</p>", "members")
    assert "memberscanary" not in words(page)


def test_a_placeholder_in_a_block_that_is_shown_on_a_condition_stays_out(home, add):
    page = add(home, "Tides", template="harbourcms/inner.html")
    content = building.latest(page)
    building.say(content, "<p>For all.</p>", "outer")
    building.say(content, "<p>innercanary</p>", "inner")
    assert words(page).strip() == "For all."


FOR_ALL = {
    *("in_block", "in_super", "in_with", "in_spaceless", "in_autoescape", "in_cache"),
    *("in_language", "in_include", "in_block_of_include"),
    "in_with_or",
}
FOR_SOME = {
    *("in_if", "in_for", "in_ifchanged", "in_filter", "in_own_tag", "renamed"),
    *("in_include_for_members", "in_include_only", "in_tag_like_with"),
}


def test_only_placeholders_inside_of_tags_that_show_all_they_have_are_read(home, add):
    page = add(home, "Tides", template="harbourcms/tags.html")
    content = building.latest(page)
    for slot in (*FOR_ALL, *FOR_SOME):
        building.say(content, f"<p>{slot}canary</p>", slot)
    assert set(words(page).split()) == {f"{slot}canary" for slot in FOR_ALL}
    # The site is the judge: all that is read, a visitor is shown who has not signed in.
    html = Client(HTTP_HOST="localhost").get("/tides/").content.decode()
    assert [slot for slot in FOR_ALL if f"{slot}canary" not in html] == []


def test_a_placeholder_that_the_template_does_not_show_stays_out(home, add):
    page = add(home, "Tides", "<p>leftcanary</p>")
    PageContent.admin_manager.filter(page=page).update(template="harbourcms/other.html")
    assert "leftcanary" not in words(page)


def test_a_plug_in_that_prints_who_is_there_prints_nobody(home, add):
    page = add(home, "Tides")
    building.say(building.latest(page), "", plugin="GreetingPlugin")
    token = set_current_user(building.editor())  # as in the request of an editor
    try:
        said = words(page)
    finally:
        reset_current_user(token)
    assert "Welcome, !" in said
    assert "editorcanary" not in said


def test_what_the_cms_has_cached_is_neither_read_nor_written(home, add, settings):
    page = add(home, "Tides", "<p>oldcanary</p>")
    assert "oldcanary" in Client(HTTP_HOST="localhost").get("/tides/").content.decode()
    building.words(page).update(html="<p>newcanary</p>")
    assert "newcanary" in words(page)
    cache.clear()
    words(page)
    assert not [key for key in getattr(cache, "_cache", {}) if "placeholder" in key]


def test_a_form_in_a_plug_in_is_no_word_of_the_page(home, add):
    page = add(home, "Tides", "<p>Write.</p><form><label>Your name</label></form>")
    assert words(page).strip() == "Write."


@pytest.mark.skipif(not building.VERSIONED, reason="there are no drafts")
def test_a_draft_never_shows_in_words_or_name(home, add):
    page = add(home, "Tides", "<p>High water.</p>")
    draft = building.version_of(building.latest(page)).copy(building.editor()).content
    building.say(draft, "<p>draftcanary</p>")
    PageContent.admin_manager.filter(pk=draft.pk).update(title="Secret")
    assert read(page).name == "Tides"
    assert "draftcanary" not in words(page)


# What it is in schema.org's words


def test_a_page_without_an_object_of_its_own_gets_one_with_its_place(home, add):
    html = '<img src="/signed.jpg?key=1"><img src="/media/pier.jpg" alt="">'
    page = add(
        add(home, "Tides"),
        "Spring tide",
        html,
        fields={"meta_description": "Twice a month."},
    )
    said = read(page).schema_object
    assert said["@type"] == "WebPage"
    assert said["name"] == said["headline"] == "Spring tide"
    assert said["description"] == "Twice a month."
    assert said["url"] == "/tides/spring-tide/"
    assert said["inLanguage"] == "en"
    assert said["image"] == "/media/pier.jpg"
    assert said["dateModified"] >= said["dateCreated"]
    steps = said["breadcrumb"]["itemListElement"]
    assert [(step["name"], step["item"]) for step in steps] == [
        ("Harbour", "/"),
        ("Tides", "/tides/"),
    ]


def test_the_date_of_publication_stays_and_that_of_the_last_change_moves(home, add):
    page = add(home, "Tides", "<p>High water.</p>")
    before = read(page).schema_object
    assert before["dateCreated"] <= before["datePublished"] <= before["dateModified"]
    content = building.latest(page)
    if building.VERSIONED:
        version = building.version_of(content).copy(building.editor())
        building.say(version.content, "<p>Low water.</p>")
        assert read(page).schema_object == before
        version.publish(building.editor())
    else:
        building.say(content, "<p>Low water.</p>")
    after = read(page).schema_object
    assert after["datePublished"] == before["datePublished"]
    assert after["dateModified"] > before["dateModified"]


def test_a_change_that_visitors_are_not_shown_moves_no_date(home, add):
    page = add(home, "Tides", "<p>High water.</p>")
    before = read(page).schema_object
    building.say(building.latest(page), "<p>For members.</p>", "members")
    assert read(page).schema_object == before


def test_the_account_that_wrote_a_page_is_not_told(home, add):
    """It is a name to sign in with, and no author's."""
    page = add(home, "Tides", "<p>High water.</p>")
    names = {page.created_by, page.changed_by, building.latest(page).created_by}
    assert not [name for name in names if name and name in str(read(page))]


@pytest.mark.parametrize(
    "close",
    [
        lambda page: building.restrict(page, grant_on=1),
        lambda page: Page.objects.filter(pk=page.pk).update(login_required=True),
        lambda page: PageContent.admin_manager.filter(page=page).update(redirect="/x/"),
    ],
)
def test_the_name_of_a_page_above_that_is_not_for_all_is_not_told(home, add, close):
    above = add(home, "Closed canary", slug="closed")
    page = add(above, "Open")
    assert "canary" in str(read(page).schema_object)
    close(above)
    assert "canary" not in str(read(page).schema_object)


@pytest.mark.parametrize("kind", [PageDescription, ContentDescription])
def test_an_extension_that_says_what_the_page_is_is_taken_at_its_word(home, add, kind):
    page = add(home, "Regatta")
    own = {
        "@type": "Event",
        "@id": "https://elsewhere.example/#event",
        "url": "https://elsewhere.example/",
        "startDate": "2027-05-01",
    }
    row = kind.objects.create(
        extended_object=page if kind is PageDescription else building.latest(page),
        described_as=own,
    )
    said = read(page).schema_object
    assert (said["@type"], said["startDate"]) == ("Event", "2027-05-01")
    assert "elsewhere" not in str(said)
    before = sources.get("djangocms").stamps([f"{page.pk}:en"])
    kind.objects.filter(pk=row.pk).update(described_as={**own, "startDate": "2028"})
    assert sources.get("djangocms").stamps([f"{page.pk}:en"]) != before


@pytest.mark.parametrize("own", [None, "broken", {}, {"name": "no type"}, ["list"]])
def test_an_object_that_is_none_gives_way_to_the_page_as_seen(home, add, own, caplog):
    page = add(home, "Regatta")
    PageDescription.objects.create(extended_object=page, described_as=own)
    assert read(page).schema_object["@type"] == "WebPage"
    assert "words of the page" not in caplog.text


def script(said):
    block = said if isinstance(said, str) else json.dumps(said)
    return f'<script type="application/ld+json">{block}</script>'


EVENT = {"@context": "https://schema.org", "@type": "Event", "startDate": "2027-05-01"}


@pytest.mark.parametrize(
    ("printed", "kind"),
    [
        pytest.param(
            [{**EVENT, "name": "Regatta"}], "Event", id="named-as-the-page-is"
        ),
        pytest.param(
            [{**EVENT, "url": "http://localhost/regatta/"}],
            "Event",
            id="at-its-address",
        ),
        pytest.param(
            [{**EVENT, "url": "https://elsewhere.example/"}], "WebPage", id="of-another"
        ),
        pytest.param(
            ["{broken", {**EVENT, "name": "Regatta"}], "Event", id="beside-broken"
        ),
        pytest.param(
            [{**EVENT, "name": "Regatta", "about": "x" * 5_000_000}],
            "WebPage",
            id="of-5-MB",
        ),
    ],
)
def test_json_ld_of_a_plug_in_is_used_where_it_is_about_the_page(
    home, add, printed, kind
):
    page = add(home, "Regatta", "".join(map(script, printed)))
    assert read(page).schema_object["@type"] == kind


# Aliases


@pytest.fixture
def alias(home):
    from djangocms_alias.models import Alias, Category

    return Alias.objects.create(category=Category.objects.create(name="Texts"))


def write_alias(alias, html, live=True):
    from djangocms_alias.models import AliasContent

    manager = AliasContent.objects
    if building.VERSIONED:
        manager = manager.with_user(building.editor())
    content = manager.create(alias=alias, name="Text", language="en")
    building.api.add_plugin(content.placeholder, "WordsPlugin", "en", html=html)
    if live:
        building.publish(content)
    return content


def use(alias, content):
    placeholder = building.rescan_placeholders_for_obj(content)["content"]
    building.api.add_plugin(placeholder, "Alias", "en", alias=alias, template="default")


# The copy that djangocms-alias makes for a draft is one of nobody.
@pytest.mark.filterwarnings("ignore:No user has been supplied:UserWarning")
def test_the_text_of_an_alias_is_of_each_page_that_shows_it(
    home, add, alias, committed
):
    with committed():
        content = write_alias(alias, "<p>aliascanary</p>")
        page = add(home, "Tides")
        use(alias, building.latest(page))
    assert "aliascanary" in words(page)
    assert ask_site("aliascanary").names == ["Tides"]
    with committed():
        if building.VERSIONED:
            version = building.version_of(content).copy(building.editor())
            plugins = version.content.placeholder.get_plugins()
            change(plugins, "<p>freshcanary</p>")
            assert ask_site("freshcanary").names == []
            version.publish(building.editor())
        else:
            change(content.placeholder.get_plugins(), "<p>freshcanary</p>")
    assert ask_site("freshcanary").names == ["Tides"]
    assert ask_site("aliascanary").names == []


def change(plugins, html):
    from tests.sites.djangocms.pages.models import Words

    for plugin in Words.objects.filter(pk__in=[plugin.pk for plugin in plugins]):
        plugin.html = html
        plugin.save()


@pytest.mark.skipif(not building.VERSIONED, reason="there are no drafts")
def test_the_draft_of_an_alias_is_on_no_page(home, add, alias):
    write_alias(alias, "<p>draftcanary</p>", live=False)
    page = add(home, "Tides")
    use(alias, building.latest(page))
    assert "draftcanary" not in words(page)


def test_an_alias_inside_of_an_alias_moves_the_stamp_and_may_run_in_a_circle(
    home, add, alias
):
    from djangocms_alias.models import Alias

    inner = Alias.objects.create(category=alias.category)
    said = write_alias(inner, "<p>innercanary</p>")
    outer = write_alias(alias, "<p>Outer.</p>")
    building.api.add_plugin(
        outer.placeholder, "Alias", "en", alias=inner, template="default"
    )
    page = add(home, "Tides")
    use(alias, building.latest(page))
    assert "innercanary" in words(page)
    before = sources.get("djangocms").stamps([f"{page.pk}:en"])
    building.api.add_plugin(
        said.placeholder, "Alias", "en", alias=alias, template="default"
    )
    assert sources.get("djangocms").stamps([f"{page.pk}:en"]) != before


# What could go wrong


@pytest.mark.parametrize("caught", [True, False])
def test_a_page_whose_plug_in_fails_says_what_visitors_see_of_it(
    home, add, committed, monkeypatch, settings, caught
):
    with committed():
        page = add(home, "Tides", "<p>The tide turns.</p>")

    def fails(self, context, instance, placeholder):
        raise ValueError

    monkeypatch.setattr(WordsPlugin, "render", fails)
    settings.CMS_CATCH_PLUGIN_500_EXCEPTION = caught
    with committed():
        building.say(building.latest(page), "<p>The ebb.</p>", "below")
    assert Page.objects.filter(pk=page.pk).exists()
    assert ask_site("turns").names == []
    # Where visitors get an error, there is no page to be found.
    assert ask_site("tides").names == (["Tides"] if caught else [])
