"""Pages of Wagtail in every state that can keep one from somebody.

What is done by `update()` or in bulk, the index hears nothing of.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.core.management import call_command
from django.utils import timezone
from wagtail.models import Locale, PageViewRestriction, Site
from wagtail.models import Page as AnyPage

from tests.rights.people import COMMON, Page, People, coined
from tests.rights.ways import State
from tests.sites.wagtail.pages.models import DescribedPage, PlainPage

PLACES: Final = ("title", "body", "address", "description", "keyword")
DAY: Final = timedelta(days=1)


def home() -> Any:
    return Site.objects.get(is_default_site=True).root_page.specific


def below(parent: Any, people: People, **fields: Any) -> Page:
    """Add a page with words of its own; over it lies a draft that nobody has released."""
    words = {place: coined() for place in PLACES}
    probe, unpublished = coined(), coined()
    parent.refresh_from_db()
    row = parent.add_child(
        instance=DescribedPage(
            title=f"Notice {words['title']} {probe}",
            slug=words["address"],
            body=f"<p>{COMMON} {probe} {words['body']}</p>",
            note=f"{COMMON} {probe} {unpublished}",
            search_description=words["description"],
            described_as={"@type": "Article", "keywords": words["keyword"]},
            owner=people.users["author"],
            **fields,
        )
    )
    row.title = row.draft_title = f"Draft {unpublished}"
    row.body = f"<p>{COMMON} {probe} {unpublished}</p>"
    row.save_revision()
    return Page(row.pk, probe, words, unpublished)


def row_of(page: Page) -> Any:
    return AnyPage.objects.get(pk=page.pk).specific


def folder(parent: Any = None, title: str = "Folder") -> Any:
    parent = parent or home()
    parent.refresh_from_db()
    return parent.add_child(instance=PlainPage(title=title, slug=coined()))


def restrict(page: Any, kind: str, *groups: Any) -> Any:
    password = "tide" if kind == "password" else ""
    row = PageViewRestriction.objects.create(
        page=AnyPage.objects.get(pk=page.pk), restriction_type=kind, password=password
    )
    row.groups.set(groups)
    return page


def restrict_unseen(page: Any, kind: str, *groups: Any) -> None:
    [row] = PageViewRestriction.objects.bulk_create(
        [PageViewRestriction(page_id=page.pk, restriction_type=kind)]
    )
    through = PageViewRestriction.groups.through
    through.objects.bulk_create(
        [through(pageviewrestriction_id=row.pk, group_id=g.pk) for g in groups]
    )


def public(people: People) -> Page:
    return below(home(), people)


def draft(people: People) -> Page:
    return below(home(), people, live=False)


def unpublished(people: People) -> Page:
    page = public(people)
    row_of(page).unpublish()
    return page


def unpublished_unseen(people: People) -> Page:
    page = public(people)
    AnyPage.objects.filter(pk=page.pk).update(live=False)
    return page


def scheduled(people: People) -> Page:
    page = below(home(), people, live=False, go_live_at=timezone.now() + DAY)
    row = row_of(page)
    row.save_revision(approved_go_live_at=row.go_live_at)
    return page


def expired(people: People) -> Page:
    """Its time is over, and the command that takes it off the site was run."""
    page = expired_and_not_taken_off(people)
    call_command("publish_scheduled")
    return page


def expired_and_not_taken_off(people: People) -> Page:
    page = public(people)
    AnyPage.objects.filter(pk=page.pk).update(expire_at=timezone.now() - DAY)
    return page


def for_members(people: People) -> Page:
    return restrict(public(people), "login")


def for_members_unseen(people: People) -> Page:
    page = public(people)
    restrict_unseen(page, "login")
    return page


def for_a(people: People) -> Page:
    return restrict(public(people), "groups", people.a)


def for_a_unseen(people: People) -> Page:
    page = public(people)
    restrict_unseen(page, "groups", people.a)
    return page


def for_no_group(people: People) -> Page:
    return restrict(public(people), "groups")


def with_password(people: People) -> Page:
    return restrict(public(people), "password")


def below_password(people: People) -> Page:
    return below(restrict(folder(), "password"), people)


def below_restricted(people: People) -> Page:
    return below(restrict(folder(), "groups", people.a), people)


def two_below_restricted(people: People) -> Page:
    return below(folder(restrict(folder(), "groups", people.a)), people)


def for_a_below_members(people: People) -> Page:
    page = below(restrict(folder(), "login"), people)
    return restrict(page, "groups", people.a)


def below_unpublished(people: People) -> Page:
    parent = folder()
    page = below(parent, people)
    parent.refresh_from_db()
    parent.unpublish()
    return page


def moved_below_restricted(people: People) -> Page:
    page = public(people)
    row_of(page).move(restrict(folder(), "groups", people.a), pos="last-child")
    return page


def moved_out(people: People) -> Page:
    page = below_restricted(people)
    row_of(page).move(home(), pos="last-child")
    return page


def moved_unseen(people: People) -> Page:
    page, closed = public(people), restrict(folder(), "groups", people.a)
    there = AnyPage.objects.get(pk=closed.pk)
    place = {"path": f"{there.path}0001", "depth": there.depth + 1}
    AnyPage.objects.filter(pk=page.pk).update(**place)
    AnyPage.objects.filter(pk=there.pk).update(numchild=1)
    return page


def parent_restricted_since(people: People) -> Page:
    parent = folder()
    page = below(parent, people)
    restrict(parent, "groups", people.a)
    return page


def mirror(original: Page, parent: Any) -> Page:
    """Mirror a page; the address alone is another one."""
    address = coined()
    parent.refresh_from_db()
    made = row_of(original).create_alias(parent=parent, update_slug=address)
    canaries = {**original.canaries, "address": address}
    return Page(made.pk, original.probe, canaries, original.unpublished)


def mirror_of_one_restricted_since(people: People) -> Page:
    original = public(people)
    made = mirror(original, folder())
    restrict(original, "groups", people.a)
    return made


def mirror_of_one_below_restricted(people: People) -> Page:
    """Its original is restricted by its place alone, and the mirror stands elsewhere."""
    original = below_restricted(people)
    return mirror(original, folder())


def of_other_site(people: People) -> Page:
    top = AnyPage.objects.get(depth=1).add_child(
        instance=PlainPage(title="Marina", slug=coined())
    )
    Site.objects.create(hostname="marina.example", root_page=top)
    return below(top, people)


def of_no_site(people: People) -> Page:
    stray = PlainPage(title="Stray", slug=coined())
    return below(AnyPage.objects.get(depth=1).add_child(instance=stray), people)


def german(page: Page, *, publish: bool) -> Page:
    locale, _ = Locale.objects.get_or_create(language_code="de")
    if not home().has_translation(locale):
        home().copy_for_translation(locale).save_revision().publish()
    words, probe = {place: coined() for place in PLACES}, coined()
    made = row_of(page).copy_for_translation(locale)
    made.title, made.slug = f"Notiz {words['title']} {probe}", words["address"]
    made.body = f"<p>{COMMON} {probe} {words['body']}</p>"
    made.search_description = words["description"]
    made.described_as = {"@type": "Article", "keywords": words["keyword"]}
    made.note = coined()
    revision = made.save_revision()
    if publish:
        revision.publish()
    return Page(made.pk, probe, words, made.note)


def translated(people: People) -> Page:
    return german(public(people), publish=True)


def translation_not_published(people: People) -> Page:
    return german(public(people), publish=False)


def translation_restricted(people: People) -> Page:
    return restrict(german(public(people), publish=True), "groups", people.a)


def deleted(people: People) -> Page:
    page = public(people)
    row_of(page).delete()
    return page


def deleted_with_its_parent(people: People) -> Page:
    parent = folder()
    page = below(parent, people)
    AnyPage.objects.get(pk=parent.pk).delete()
    return page


STATES: Final = (
    State("public", public),
    State("draft", draft),
    State("unpublished", unpublished),
    State("unpublished by update()", unpublished_unseen),
    State("scheduled", scheduled),
    State("expired", expired),
    State("expired and not taken off", expired_and_not_taken_off),
    State("login required", for_members),
    State("login required, in bulk", for_members_unseen),
    State("group A only", for_a),
    State("group A only, in bulk", for_a_unseen),
    State("for no group", for_no_group),
    State("shared password", with_password),
    State("shared password of its parent", below_password),
    State("restricted by its parent", below_restricted),
    State("restricted two levels above", two_below_restricted),
    State("group A only below login required", for_a_below_members),
    State("parent unpublished", below_unpublished),
    State("parent restricted since", parent_restricted_since),
    State("moved below a restricted page", moved_below_restricted),
    State("moved out of a restriction", moved_out),
    State("moved by update()", moved_unseen),
    State("mirror of one restricted since", mirror_of_one_restricted_since),
    State("mirror of one below a restricted page", mirror_of_one_below_restricted),
    State("other site", of_other_site),
    State("outside of every site", of_no_site),
    State("untranslated", public, language="de"),
    State("translated", translated, language="de"),
    State("translation not published", translation_not_published),
    State("translation restricted", translation_restricted),
    State("deleted", deleted),
    State("deleted with its parent", deleted_with_its_parent),
)
ABSENT_STATES: Final = {
    "noindex": "Wagtail has no such field; a subclass leaves pages out",
}
