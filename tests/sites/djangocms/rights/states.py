"""Pages of django CMS in every state that can keep one from somebody.

What is done by `update()`, in bulk or by the CMS's own code for moves, the index hears
nothing of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from cms.models import Page as AnyPage
from cms.models import PageContent, PagePermission, PageUrl
from django.contrib.sites.models import Site
from django.db import connection
from django.test import TestCase

from tests.rights.people import COMMON, Page, People, coined
from tests.rights.ways import State
from tests.sites.djangocms import building
from tests.sites.djangocms.pages.models import ContentDescription

PLACES: Final = (
    *("title", "body", "address", "description"),
    *("menu", "window", "keyword"),
)
NOTHING: Final = dict.fromkeys(PagePermission.get_all_permissions(), False)
ALONE, CHILDREN, WITH_CHILDREN, DESCENDANTS = 1, 2, 3, 4

# Each change is committed, as plug-ins are read after that; one that is not would take
# up what waits for its commit, which never comes.
committed = TestCase.captureOnCommitCallbacks


@dataclass(frozen=True)
class Written(Page):
    """A page as it is written in one language."""

    language: str = "en"


def home() -> Any:
    return AnyPage.objects.get(site=1, is_home=True)


def below(
    parent: Any, people: People, *, with_draft: bool = True, **fields: Any
) -> Page:
    """Add a page with words of its own; over it lies a draft that nobody has released."""
    words = {place: coined() for place in PLACES}
    probe, unpublished = coined(), coined()
    with committed(execute=True):
        made = building.add(
            parent,
            f"Notice for the {COMMON} {words['title']} {probe}",
            f"<p>{COMMON} {probe} {words['body']}</p>",
            slug=words["address"],
            fields={
                "meta_description": words["description"],
                "menu_title": words["menu"],
                "page_title": words["window"],
            },
            **{"live": False, **fields},
        )
        # What the template shows to some of those who may see the page.
        content = building.latest(made, fields.get("language", "en"))
        building.say(content, f"<p>{COMMON} {probe} {unpublished}</p>", "members")
        ContentDescription.objects.create(
            extended_object=content,
            described_as={"@type": "Article", "keywords": words["keyword"]},
        )
        if fields.get("live", True):
            building.publish(content)
        if with_draft and fields.get("live", True):
            write_draft(content, f"{COMMON} {probe} {unpublished}")
    written_in = fields.get("language", "en")
    return Written(made.pk, probe, words, unpublished, written_in)


def write_draft(content: PageContent, words: str) -> None:
    if building.VERSIONED:
        draft = building.version_of(content).copy(building.editor()).content
        building.say(draft, f"<p>{words}</p>")
        draft.title = f"Draft {words}"
        draft.save()


def row_of(page: Any) -> AnyPage:
    return AnyPage.objects.get(pk=page.pk)


def published(page: Page, language: str = "en") -> PageContent:
    return PageContent.objects.get(page=page.pk, language=language)


def folder(parent: Any = None) -> Any:
    with committed(execute=True):
        return building.add(parent or home(), "Folder", slug=coined())


def restrict(page: Any, **fields: Any) -> Any:
    with committed(execute=True):
        building.restrict(row_of(page), **fields)
    return page


def public(people: People) -> Page:
    return below(home(), people)


def draft(people: People) -> Page:
    return below(home(), people, live=False)


def archived(people: People) -> Page:
    page = draft(people)
    content = building.latest(row_of(page))
    with committed(execute=True):
        if building.VERSIONED:
            building.version_of(content).archive(building.editor())
        else:
            content.delete()
    return page


def unpublished(people: People) -> Page:
    page = public(people)
    with committed(execute=True):
        unpublish(page)
    return page


def unpublish(page: Any) -> None:
    content = published(page)
    if building.VERSIONED:
        building.version_of(content).unpublish(building.editor())
    else:
        content.delete()


def unpublished_unseen(people: People) -> Page:
    page = public(people)
    if building.VERSIONED:
        version = building.version_of(published(page))
        type(version).objects.filter(pk=version.pk).update(state="unpublished")
    else:
        rows = PageContent.objects.filter(page=page.pk)
        described = ContentDescription.objects.filter(extended_object__in=rows)
        described._raw_delete("default")
        rows._raw_delete("default")
    return page


def published_anew(people: People) -> Page:
    """An older version is under it, with a word that was the page's once."""
    page = public(people)
    if not building.VERSIONED:
        return page
    old, word = page.canaries["body"], coined()
    with committed(execute=True):
        released = building.version_of(published(page))
        draft = building.version_of(building.latest(row_of(page)))
        draft.archive(building.editor())
        newer = released.copy(building.editor())
        for plugin in building.words(row_of(page)):
            plugin.html = plugin.html.replace(old, word)
            plugin.save()
        newer.publish(building.editor())
    return Written(page.pk, page.probe, {**page.canaries, "body": word}, old)


def for_members(people: People) -> Page:
    return below(home(), people, login_required=True)


def for_members_unseen(people: People) -> Page:
    page = public(people)
    AnyPage.objects.filter(pk=page.pk).update(login_required=True)
    return page


def below_members(people: People) -> Page:
    parent = folder()
    AnyPage.objects.filter(pk=parent.pk).update(login_required=True)
    return below(parent, people)


def for_a(people: People) -> Page:
    return restrict(public(people), group=people.a)


def for_a_unseen(people: People) -> Page:
    page = public(people)
    row = {**NOTHING, "can_view": True, "group": people.a, "page_id": page.pk}
    PagePermission.objects.bulk_create([PagePermission(**row)])
    return page


def for_a_and_b(people: People) -> Page:
    return restrict(restrict(public(people), group=people.a), group=people.b)


def for_a_and_signed_in(people: People) -> Page:
    return restrict(for_members(people), group=people.a)


def for_one_user(people: People) -> Page:
    return restrict(public(people), user=people.users["member"])


def opened_again(people: People) -> Page:
    page = for_a(people)
    with committed(execute=True):
        PagePermission.objects.get(page=page.pk).delete()
    return page


def given_to_b_unseen(people: People) -> Page:
    page = for_a(people)
    PagePermission.objects.filter(page=page.pk).update(group=people.b)
    return page


def changed_by_b(people: People) -> Page:
    """Whoever may change a page may see it, where that is not kept from them."""
    page = for_one_user(people)
    row = {**NOTHING, "can_change": True, "group": people.b, "page_id": page.pk}
    with committed(execute=True):
        PagePermission.objects.create(**row)
    return page


def under(scope: int, steps: int) -> Any:
    """Put a page so many steps below one that is closed with this scope."""

    def make(people: People) -> Page:
        parent = restrict(folder(), group=people.a, grant_on=scope)
        for _ in range(1, steps):
            parent = folder(parent)
        return below(parent, people)

    return make


def opened_below_a_closed_one(people: People) -> Page:
    """Closed above to all but A, and once more to all but B: either opens it."""
    parent = restrict(folder(), group=people.a)
    return restrict(below(parent, people), group=people.b)


def below_unpublished(people: People) -> Page:
    parent = folder()
    page = below(parent, people)
    with committed(execute=True):
        unpublish(parent)
    return page


def parent_restricted_since(people: People) -> Page:
    parent = folder()
    page = below(parent, people)
    restrict(parent, group=people.a)
    return page


def move(page: Any, target: Any) -> None:
    with committed(execute=True):
        row_of(page).move_page(row_of(target), "last-child")


def moved_below_restricted(people: People) -> Page:
    page = public(people)
    move(page, restrict(folder(), group=people.a))
    return page


def parent_moved_below_restricted(people: People) -> Page:
    parent = folder()
    page = below(parent, people)
    move(parent, restrict(folder(), group=people.a))
    return page


def moved_out(people: People) -> Page:
    """The CMS writes the restriction that it had from above onto the page itself."""
    page = below(restrict(folder(), group=people.a), people)
    move(page, home())
    return page


def moved_unseen(people: People) -> Page:
    page, closed = public(people), row_of(restrict(folder(), group=people.a))
    place = {"path": f"{closed.path}0001", "depth": closed.depth + 1}
    AnyPage.objects.filter(pk=page.pk).update(**place)
    AnyPage.objects.filter(pk=closed.pk).update(numchild=1)
    return page


def redirecting(people: People) -> Page:
    page = public(people)
    content = published(page)
    content.redirect = "/"
    with committed(execute=True):
        content.save()
    return page


def redirecting_unseen(people: People) -> Page:
    page = public(people)
    PageContent.objects.filter(page=page.pk).update(redirect="/")
    return page


def without_address(people: People) -> Page:
    page = public(people)
    PageUrl.objects.filter(page=page.pk).update(path=None)
    return page


def kind_of_page(people: People) -> Page:
    page = public(people)
    AnyPage.objects.filter(pk=page.pk).update(is_page_type=True)
    return page


def of_other_site(people: People) -> Page:
    other, _ = Site.objects.get_or_create(domain="marina.example")
    return below(None, people, site=other)


def moved_to_other_site_unseen(people: People) -> Page:
    other, _ = Site.objects.get_or_create(domain="marina.example")
    page = public(people)
    AnyPage.objects.filter(pk=page.pk).update(site=other)
    return page


def in_language_that_is_not_public(people: People) -> Page:
    return below(home(), people, language="fr")


def translation(people: People, *, live: bool = True) -> Page:
    """Add a page and its translation, of which are the words."""
    original = public(people)
    words, probe = {place: coined() for place in PLACES}, coined()
    unpublished = coined()
    with committed(execute=True):
        content = building.translate(
            row_of(original),
            f"Notiz {words['title']} {probe}",
            f"<p>{COMMON} {probe} {words['body']}</p>",
            slug=words["address"],
            live=live,
        )
        if live:
            write_draft(content, f"{COMMON} {probe} {unpublished}")
    return Written(original.pk, probe, words, unpublished, "de")


def translation_not_published(people: People) -> Page:
    return translation(people, live=False)


def translation_restricted(people: People) -> Page:
    return restrict(translation(people), group=people.a)


def shows_alias(people: People, *, live: bool = True) -> Page:
    """Its words stand in an alias; a draft of the alias has others."""
    from djangocms_alias.models import Alias, AliasContent, Category

    page = public(people)
    words = {**page.canaries, "alias": coined()}
    alias = Alias.objects.create(category=Category.objects.create(name=coined()))
    manager = AliasContent.objects
    if building.VERSIONED:
        manager = manager.with_user(building.editor())
    with committed(execute=True):
        said = manager.create(alias=alias, name="Text", language="en")
        building.api.add_plugin(
            *(said.placeholder, "WordsPlugin", "en"),
            html=f"<p>{words['alias'] if live else page.unpublished}</p>",
        )
        if live:
            building.publish(said)
        placeholder = building.rescan_placeholders_for_obj(published(page))["content"]
        building.api.add_plugin(
            placeholder, "Alias", "en", alias=alias, template="default"
        )
    return Written(page.pk, page.probe, words, page.unpublished)


def shows_alias_draft(people: People) -> Page:
    return shows_alias(people, live=not building.VERSIONED)


def shows_alias_for_a(people: People) -> Page:
    return restrict(shows_alias(people), group=people.a)


def deleted(people: People) -> Page:
    # The CMS lets nobody delete a page of which one version was made from another.
    page = below(home(), people, with_draft=False)
    with committed(execute=True):
        row_of(page).delete()
    return page


def deleted_with_its_parent(people: People) -> Page:
    parent = folder()
    page = below(parent, people, with_draft=False)
    with committed(execute=True):
        row_of(parent).delete()
    return page


def deleted_in_sql(people: People) -> Page:
    """Only the rows that name it are gone; the rest is left behind, as by hand."""
    page = public(people)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM cms_pageurl WHERE page_id = %s", [page.pk])
    return page


STATES: Final = (
    State("public", public),
    State("draft", draft),
    State("archived", archived),
    State("unpublished", unpublished),
    State("unpublished by update()", unpublished_unseen),
    State("published anew", published_anew),
    State("login required", for_members),
    State("login required by update()", for_members_unseen),
    State("below one with login required", below_members),
    State("group A only", for_a),
    State("group A only, in bulk", for_a_unseen),
    State("groups A and B", for_a_and_b),
    State("group A only, and login required", for_a_and_signed_in),
    State("one user only", for_one_user),
    State("restricted and opened", opened_again),
    State("given from A to B by update()", given_to_b_unseen),
    State("one user only, changed by B", changed_by_b),
    State("below one closed alone", under(ALONE, 1)),
    State("below one that closes its children", under(CHILDREN, 1)),
    State("two below one that closes its children", under(CHILDREN, 2)),
    State("below one closed with its children", under(WITH_CHILDREN, 1)),
    State("two below one that closes all below", under(DESCENDANTS, 2)),
    State("three below a restricted page", under(5, 3)),
    State("for B below one for A", opened_below_a_closed_one),
    State("parent unpublished", below_unpublished),
    State("parent restricted since", parent_restricted_since),
    State("moved below a restricted page", moved_below_restricted),
    State("parent moved below a restricted page", parent_moved_below_restricted),
    State("moved out of a restriction", moved_out),
    State("moved by update()", moved_unseen),
    State("redirecting", redirecting),
    State("redirecting by update()", redirecting_unseen),
    State("address taken away by update()", without_address),
    State("type of page by update()", kind_of_page),
    State("other site", of_other_site),
    State("moved to another site by update()", moved_to_other_site_unseen),
    State("language not public", in_language_that_is_not_public),
    State("language not public, asked for", in_language_that_is_not_public, "fr"),
    State("untranslated", public, language="de"),
    State("translated", translation, language="de"),
    State("translation not published", translation_not_published, language="de"),
    State("translation restricted", translation_restricted, language="de"),
    State("alias", shows_alias),
    State("draft of an alias", shows_alias_draft),
    State("alias on a page for A", shows_alias_for_a),
    State("deleted", deleted),
    State("deleted with its parent", deleted_with_its_parent),
    State("address deleted in SQL", deleted_in_sql),
)
ABSENT_STATES: Final = {
    "apphook": "such a page has a title and no passage, so that no receipt names it",
    "scheduled and expired": "django CMS publishes by hand; a package adds dates",
    "shared password": "django CMS has none; it is Wagtail's",
    "noindex": "django CMS has no such field; a subclass leaves pages out",
}
