"""A site whose own user model has what `AbstractBaseUser` gives it, and no more."""

from __future__ import annotations

import pytest

from nlweb_ask import ModelPermissionSource
from nlweb_ask.conf import granted_profiles, site_conf
from nlweb_ask.models import AccessGrant, Grantee
from nlweb_ask.plugins import Viewer
from nlweb_ask.sources.page_access import membership, read_access
from nlweb_ask.web.viewers import anonymous_or
from tests.asking import ask
from tests.factories import AccessGrantFactory
from tests.site_in_memory import save
from tests.testapp.models import Article


class PlainUser:
    """Neither staff nor superuser, no groups and no permissions."""

    pk = 7
    is_active = True
    is_authenticated = True
    is_anonymous = False


def test_plain_user_asks_as_a_member_does(site):
    save("a", "Kettle", "The kettle boils.", readers="members")

    answered = ask("kettle", PlainUser())

    assert answered.names == ["Kettle"]
    assert answered.complete.processing_time_ms % 50 == 0


def test_plain_user_is_who_has_signed_in(db):
    AccessGrant.objects.all().delete()
    AccessGrantFactory(kind=Grantee.SIGNED_IN)
    user = anonymous_or(PlainUser())

    assert granted_profiles(Viewer(user=user), site_conf(0))


@pytest.mark.parametrize(
    ("rule", "may_see"), [("public", True), ("login", True), ("group:crew", False)]
)
def test_plain_user_is_in_no_group(rule, may_see):
    access = read_access(rule)

    assert membership(Viewer(user=PlainUser()), [access]).allows(access) is may_see


def test_plain_user_holds_no_permission(db):
    class ArticleSource(ModelPermissionSource):
        model = Article

    Article.objects.create(title="Kettle")
    viewer = Viewer(user=PlainUser())

    assert not ArticleSource().visible_to(viewer, Article.objects.all()).exists()
