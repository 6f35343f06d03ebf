"""Each change that an editor makes is in the next answer."""

from __future__ import annotations

import pytest
from cms.models import Page, PageContent, PageUrl
from django.contrib.auth.models import Group, User

from nlweb_ask.index.refresh import sweep
from nlweb_ask.models import Document
from tests.asking import ANONYMOUS
from tests.sites.asking import ask_site
from tests.sites.djangocms import building

versioned = pytest.mark.skipif(not building.VERSIONED, reason="there are no drafts")
SCOPES = {  # grant_on: what it closes of a page, its child and its grandchild
    1: ["Tides"],
    2: ["Spring tide"],
    3: ["Spring tide", "Tides"],
    4: ["Neap tide", "Spring tide"],
    5: ["Neap tide", "Spring tide", "Tides"],
}
EVERY = ["Neap tide", "Spring tide", "Tides"]


def names(question="tide", user=ANONYMOUS):
    return sorted(ask_site(question, user=user).names)


def public():
    rows = Document.objects.filter(indexed=True, public=True)
    return sorted(rows.values_list("name", flat=True))


def urls():
    return set(Document.objects.filter(indexed=True).values_list("url", flat=True))


@pytest.fixture
def tides(home, add, committed):
    with committed():
        return add(home, "Tides", "<p>The tide turns at noon.</p>")


@pytest.fixture
def spring(tides, add, committed):
    with committed():
        return add(tides, "Spring tide", "<p>A spring tide rises high.</p>")


@pytest.fixture
def neap(spring, add, committed):
    with committed():
        return add(spring, "Neap tide", "<p>A neap tide is low.</p>")


@versioned
def test_a_page_that_is_published_unpublished_and_published_anew(home, add):
    page = add(home, "Tides", "<p>The tide turns.</p>", live=False)
    assert names() == []
    version = building.version_of(building.latest(page))
    version.publish(building.editor())
    assert names() == ["Tides"]
    version.unpublish(building.editor())
    assert names() == []
    assert not Document.objects.filter(indexed=True, name="Tides").exists()
    version.copy(building.editor()).publish(building.editor())
    assert names() == ["Tides"]


@versioned
def test_a_draft_over_a_published_page_changes_no_answer(tides, committed):
    with committed():
        draft = building.version_of(building.latest(tides)).copy(building.editor())
        building.say(draft.content, "<p>draftcanary</p>")
        draft.content.title = "Draft"
        draft.content.save()
    assert names() == ["Tides"]
    assert names("draftcanary") == []
    draft.archive(building.editor())
    assert names() == ["Tides"]
    another = building.version_of(building.latest(tides))
    assert another.pk == draft.pk


@versioned
def test_a_new_version_takes_the_place_of_the_old_one(tides):
    draft = building.version_of(building.latest(tides)).copy(building.editor())
    building.say(draft.content, "<p>And a seconcanary.</p>")
    draft.publish(building.editor())
    assert names("seconcanary") == ["Tides"]
    [document] = Document.objects.filter(name="Tides")
    assert document.object_id == f"{tides.pk}:en"


@pytest.mark.skipif(building.VERSIONED, reason="a draft is published first")
def test_without_versions_a_page_is_public_with_the_first_save(home, committed):
    with committed():
        page = building.add(home, "Tides", "<p>The tide turns.</p>")
    assert names() == ["Tides"]
    content = building.latest(page)
    content.title = "Ebb tide"
    content.save()
    assert names() == ["Ebb tide"]
    content.delete()
    assert names() == []


def test_a_plug_in_that_is_edited_added_and_deleted(tides, committed):
    content = building.latest(tides)
    with committed():
        plugin = building.say(content, "<p>firstcanary</p>")
    assert names("firstcanary") == ["Tides"]
    with committed():
        plugin.html = "<p>othercanary</p>"
        plugin.save()
    assert names("firstcanary") == []
    assert names("othercanary") == ["Tides"]
    with committed():
        plugin.delete()
    assert names("othercanary") == []


def test_words_taken_out_by_update_are_not_quoted(tides):
    plugin = building.words(tides)
    plugin.update(html="<p>The tide is calm.</p>")
    [item] = ask_site("tide").items
    assert "noon" not in str(item)


@pytest.mark.parametrize("scope", SCOPES)
def test_a_restriction_closes_what_it_reaches_at_once(tides, spring, neap, scope):
    row = building.restrict(tides, grant_on=scope)
    left = sorted(set(EVERY) - set(SCOPES[scope]))
    assert public() == sorted(["Harbour", *left])
    assert names() == left
    row.delete()
    assert public() == sorted(["Harbour", *EVERY])
    assert names() == EVERY


def test_only_the_child_of_a_restricted_page_matches(tides, spring, add):
    building.restrict(tides)
    assert names("rises") == []
    assert names("rises", user=User.objects.get(username="holder")) == ["Spring tide"]


def test_login_required_closes_the_page_alone(tides, spring):
    page = Page.objects.get(pk=tides.pk)
    page.login_required = True
    page.save()
    assert public() == ["Harbour", "Spring tide"]
    assert names() == ["Spring tide"]
    assert names(user=User.objects.create(username="anybody")) == [
        "Spring tide",
        "Tides",
    ]
    page.login_required = False
    page.save()
    assert names() == ["Spring tide", "Tides"]


def test_the_name_of_a_closed_page_leaves_the_way_to_those_below_it(tides, spring):
    [before] = Document.objects.filter(name="Spring tide")
    assert '"Tides"' in str(before.schema).replace("'", '"')
    building.restrict(tides, grant_on=1)
    [after] = Document.objects.filter(name="Spring tide")
    assert after.public
    assert '"Tides"' not in str(after.schema).replace("'", '"')


def test_a_group_that_is_joined_and_left_counts_at_once(tides, spring):
    crew = Group.objects.create(name="crew")
    building.restrict(spring, group=crew)
    member = User.objects.create(username="member")
    assert names(user=member) == ["Tides"]
    member.groups.add(crew)
    assert names(user=User.objects.get(pk=member.pk)) == ["Spring tide", "Tides"]
    member.groups.remove(crew)
    assert names(user=User.objects.get(pk=member.pk)) == ["Tides"]


def test_settings_of_the_cms_count_at_once(tides, settings):
    settings.CMS_PUBLIC_FOR = "staff"
    assert names() == []
    assert names(user=User.objects.create(username="cook")) == []
    assert names(user=User.objects.create(username="mate", is_staff=True)) == ["Tides"]
    settings.CMS_PUBLIC_FOR = "all"
    building.restrict(tides)
    assert names() == []
    settings.CMS_PERMISSION = False
    sweep("djangocms")
    assert names() == ["Tides"]


def test_a_subtree_that_is_moved_by_code_below_a_restriction_and_out(
    home, add, tides, spring
):
    closed = add(home, "Members")
    building.restrict(closed)
    move(tides, closed)
    assert names() == []
    sweep("djangocms")
    assert public() == ["Harbour"]
    move(tides, home)  # what it has inherited goes along with it
    assert names() == []
    page = Page.objects.get(pk=tides.pk)
    page.pagepermission_set.all().delete()
    assert names() == ["Spring tide", "Tides"]
    sweep("djangocms")
    assert "/tides/spring-tide/" in urls()


def move(page, below):
    Page.objects.get(pk=page.pk).move_page(Page.objects.get(pk=below.pk), "last-child")


def test_a_page_that_is_moved_in_the_admin_has_its_address_at_once(
    home, add, tides, spring, admin_client, committed
):
    with committed():
        quay = add(home, "Quay")
    with committed():
        moved = admin_client.post(
            f"/admin/cms/page/{tides.pk}/move-page/",
            {"target": quay.pk, "position": 0},
            headers={"host": "localhost"},
        )
    assert moved.status_code == 200, moved.content
    assert "/quay/tides/spring-tide/" in urls()
    assert "/tides/" not in urls()


def test_a_new_slug_moves_the_addresses_of_all_below(tides, spring, neap, committed):
    with committed():
        content = building.latest(tides)
        if building.VERSIONED:
            content = building.version_of(content).copy(building.editor()).content
        content.slug = "ebb"
        content.save()
        building.publish(content)
    assert urls() == {"/", "/ebb/", "/ebb/spring-tide/", "/ebb/spring-tide/neap-tide/"}


def test_a_page_that_is_deleted_takes_those_below_along(tides, spring):
    Page.objects.get(pk=tides.pk).delete()
    assert names() == []
    assert urls() == {"/"}


def test_a_page_unpublished_by_update_is_gone_at_once(tides):
    if building.VERSIONED:
        from djangocms_versioning.models import Version

        Version.objects.filter(object_id=building.latest(tides).pk).update(
            state="unpublished"
        )
    else:
        PageContent.objects.filter(page=tides).delete()
    assert names() == []


def test_an_address_taken_away_by_update_is_gone_at_once(tides):
    PageUrl.objects.filter(page=tides).update(path=None)
    assert names() == []


def test_one_language_is_closed_without_the_other(tides, committed):
    with committed():
        german = building.translate(tides, "Gezeiten", "<p>Das Wasser steigt.</p>")
    assert names() == ["Tides"]
    assert names("Gezeiten") == ["Gezeiten"]
    if building.VERSIONED:
        building.version_of(german).unpublish(building.editor())
    else:
        german.delete()
    assert names("Gezeiten") == []
    assert names() == ["Tides"]


def test_a_language_that_is_not_public_any_more_is_gone_at_once(
    tides, settings, committed
):
    with committed():
        building.translate(tides, "Gezeiten", "<p>Das Wasser steigt.</p>")
    [english, german, french] = settings.CMS_LANGUAGES[1]
    settings.CMS_LANGUAGES = {1: [english, {**german, "public": False}, french]}
    assert names("Gezeiten") == []
