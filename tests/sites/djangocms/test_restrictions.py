"""Our rule for many pages against the CMS's own, page by page, on random trees."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest
from cms.models import (
    ACCESS_CHOICES,
    GlobalPagePermission,
    Page,
    PagePermission,
    PermissionTuple,
)
from cms.utils.page_permissions import user_can_view_page
from django.contrib.auth.models import AnonymousUser, Group, Permission, User
from django.contrib.sites.models import Site
from django.core.cache import cache

from nlweb_ask.plugins import Viewer, sources
from tests.sites.djangocms import building

TREES = 3
PAGES = 24  # on each of two sites
# How often rows are dealt on each tree, under each pair of settings.
ROUNDS = {(True, "all"): 5, (True, "staff"): 3, (False, "all"): 1, (False, "staff"): 1}
NOTHING = dict.fromkeys(PagePermission.get_all_permissions(), False)


@pytest.fixture
def groups(db):
    return [Group.objects.create(name=name) for name in ("crew", "pilots")]


@pytest.fixture
def other(home):
    return Site.objects.create(domain="marina.example", name="Marina")


@pytest.fixture
def callers(groups):
    """Each kind of user that the rule tells apart; None is the anonymous one."""
    for name, fields in {
        "stranger": {},
        "member": {"groups": groups[:1]},
        "both": {"groups": groups, "may": "change_page"},
        "staff": {"is_staff": True},
        "editor": {"is_staff": True, "groups": groups[1:], "may": "change_page"},
        "reader": {"may": "view_page"},
        "superuser": {"is_superuser": True},
    }.items():
        joined, may = fields.pop("groups", ()), fields.pop("may", "")
        user = User.objects.create(username=name, **fields)
        user.groups.set(joined)
        if may:
            user.user_permissions.add(
                Permission.objects.get(content_type__app_label="cms", codename=may)
            )
    return [
        None,
        *User.objects.exclude(username="editorcanary").values_list("pk", flat=True),
    ]


def anew(pk):
    """Give a user nobody has asked about: the CMS keeps its answers on the object."""
    return AnonymousUser() if pk is None else User.objects.get(pk=pk)


def grow(dice, site):
    pages = []
    for number in range(PAGES):
        parent = dice.choice([None, *pages, *pages]) if pages else None
        pages.append(building.add(parent, f"Page {number}", site=site))
    for page in dice.sample(pages, 5):
        Page.objects.filter(pk=page.pk).update(login_required=True)
    return pages


def deal(dice, pages, groups, users):
    """Put rows on few pages, so that one of them opens what another one closes."""
    PagePermission.objects.all().delete()
    GlobalPagePermission.objects.all().delete()
    rows = []
    above = [page for page in pages if any(p.parent_id == page.pk for p in pages)]
    for page in {*dice.sample(pages, 3), *dice.sample(above, 4)}:
        for _ in range(dice.randint(1, 4)):
            to = dice.choice(["user", "group"])
            flags = dice.choice(
                [("can_view",), ("can_change",), ("can_view", "can_change")]
            )
            rows.append(
                PagePermission(
                    page=page,
                    grant_on=dice.choice(ACCESS_CHOICES)[0],
                    **{to: dice.choice(users if to == "user" else groups)},
                    **{**NOTHING, **dict.fromkeys(flags, True)},
                )
            )
    PagePermission.objects.bulk_create(rows)
    if dice.random() < 0.3:
        flag = dice.choice(["can_view", "can_change", "can_publish"])
        row = GlobalPagePermission.objects.create(
            user=dice.choice(users), **{**NOTHING, flag: True}
        )
        if dice.random() < 0.7:
            row.sites.add(dice.choice(list(Site.objects.all())))


def by_the_cms(pk, pages):
    """Ask the CMS about pages of one site, of which its own cache knows nothing."""
    cache.clear()
    user = anew(pk)
    return {
        page.pk: (user.is_authenticated or not page.login_required)
        and user_can_view_page(user, page)
        for page in pages
    }


def what_decides(user, page, allowed, rows):
    """Name the clause of the rule without which this answer would be another one."""
    covering = [
        row
        for row in rows
        if PermissionTuple((row.grant_on, row.page.path)).contains(page.path)
    ]
    limits = [row for row in covering if row.can_view]
    if user.is_anonymous and page.login_required and not limits:
        yield "login"
    if len(limits) == 1 and not allowed:
        yield f"scope {limits[0].grant_on}"
    if (
        limits
        and allowed
        and not user.is_superuser
        and not user.has_perm("cms.view_page")
    ):
        mine = {group.pk for group in user.groups.all()}
        own = [
            row for row in covering if row.user_id == user.pk or row.group_id in mine
        ]
        yield "a view grant" if any(row.can_view for row in own) else "a change grant"


def test_no_page_is_judged_otherwise_than_by_the_cms(
    home, other, groups, callers, settings
):
    source = sources.get("djangocms")
    decided: Counter[str] = Counter()
    for seed in range(TREES):
        dice = random.Random(seed)
        Page.objects.exclude(pk=home.pk).delete()
        trees = {site: grow(dice, site) for site in Site.objects.all()}
        users = list(User.objects.filter(is_superuser=False))
        for permission, public_for in Counter(ROUNDS).elements():
            settings.CMS_PERMISSION = permission
            settings.CMS_PUBLIC_FOR = public_for
            deal(dice, [p for tree in trees.values() for p in tree], groups, users)
            rows = PagePermission.objects.select_related("page")
            rows = list(rows) if permission else []
            for (site, _), pk in product(trees.items(), callers):
                pages = list(Page.objects.filter(site=site))
                expected = by_the_cms(pk, pages)
                viewer = Viewer(user=anew(pk), site_id=site.pk)
                ids = [f"{page.pk}:en" for page in pages]
                visible = source.visible_ids(viewer, ids)
                for page in pages:
                    allowed = expected[page.pk]
                    assert (f"{page.pk}:en" in visible) == allowed, (seed, page.pk, pk)
                    decided["all"] += 1
                    decided["closed"] += not allowed
                    decided.update(what_decides(viewer.user, page, allowed, rows))
    # A run that decided nothing would prove nothing.
    assert decided["all"] > 10_000
    assert decided["closed"] > 3_000
    for clause in ("login", "a view grant", "a change grant"):
        assert decided[clause] > 20, decided
    for scope, _ in ACCESS_CHOICES:
        assert decided[f"scope {scope}"] > 20, decided


def test_what_a_signed_in_user_was_told_before_does_not_count(home, add, groups):
    page = add(home, "Closed")
    row = building.restrict(page, group=groups[0])
    member = User.objects.create(username="member")
    member.groups.add(groups[0])
    source, key = sources.get("djangocms"), f"{page.pk}:en"
    user = anew(member.pk)
    assert user_can_view_page(user, page)  # fills the cache, and the user itself
    assert source.visible_ids(Viewer(user=user, site_id=1), [key]) == {key}
    PagePermission.objects.filter(pk=row.pk).update(group=groups[1])
    assert source.visible_ids(Viewer(user=user, site_id=1), [key]) == set()


def test_a_page_is_not_shown_in_a_language_it_does_not_have(home, add):
    page = add(home, "Tides")
    asked = [f"{page.pk}:en", f"{page.pk}:de", f"{page.pk}:", "tide", f"0{page.pk}:en"]
    visible = sources.get("djangocms").visible_ids(
        Viewer(user=anew(None), site_id=1), asked
    )
    assert visible == {f"{page.pk}:en"}


@pytest.mark.parametrize("number", [10, 300])
@pytest.mark.parametrize("name", ["anonymous", "member", "editor", "superuser"])
def test_any_number_of_pages_costs_the_same_queries(
    home, groups, callers, name, number, django_assert_max_num_queries
):
    pages = building.add_many(home, number)
    PagePermission.objects.bulk_create(
        PagePermission(page=page, group=groups[0], **{**NOTHING, "can_view": True})
        for page in pages[::2]
    )
    pk = None if name == "anonymous" else User.objects.get(username=name).pk
    viewer = Viewer(user=anew(pk), site_id=1)
    ids = [f"{page.pk}:en" for page in pages]
    with django_assert_max_num_queries(8):
        visible = sources.get("djangocms").visible_ids(viewer, ids)
    sees_all = name in ("member", "superuser")
    assert len(visible) == (number if sees_all else number // 2)
