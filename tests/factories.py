"""Rows for tests: the owner's settings, profiles, grants, and the people who ask."""

from __future__ import annotations

import factory
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from factory.django import DjangoModelFactory

from nlweb_ask.models import (
    AccessGrant,
    Grantee,
    IndexProfile,
    ProfileRetriever,
    SiteSettings,
)


class GroupFactory(DjangoModelFactory):
    class Meta:
        model = Group
        django_get_or_create = ("name",)

    name = factory.Sequence("group {}".format)


class UserFactory(DjangoModelFactory):
    """A member; `groups=[group]` puts them in groups, `password="…"` lets them in."""

    class Meta:
        model = get_user_model()
        skip_postgeneration_save = True

    username = factory.Sequence("user{}".format)

    @classmethod
    def _create(cls, model_class, *args, password=None, **kwargs):
        return model_class._default_manager.create_user(
            *args, password=password, **kwargs
        )

    @factory.post_generation
    def groups(self, create, extracted, **kwargs):
        if create and extracted:
            self.groups.set(extracted)


class StaffFactory(UserFactory):
    is_staff = True


class SuperuserFactory(StaffFactory):
    is_superuser = True


class SiteSettingsFactory(DjangoModelFactory):
    """A site that is switched on and counts nobody's questions."""

    class Meta:
        model = SiteSettings
        django_get_or_create = ("site_id",)

    site_id = 0
    enabled = True
    rate_limit = ""


class IndexProfileFactory(DjangoModelFactory):
    """A profile; `retrievers=["keyword", ("bm25", 0.5)]` gives names and weights."""

    class Meta:
        model = IndexProfile
        skip_postgeneration_save = True

    site_id = 0
    name = factory.Sequence("profile{}".format)

    @factory.post_generation
    def retrievers(self, create, extracted, **kwargs):
        for order, entry in enumerate(extracted or ()):
            name, weight = (entry, 1.0) if isinstance(entry, str) else entry
            ProfileRetriever.objects.create(
                profile=self, name=name, weight=weight, order=order
            )


class AccessGrantFactory(DjangoModelFactory):
    """Everyone may ask every profile; name a `profile`, a `group` or a `user`."""

    class Meta:
        model = AccessGrant

    profile = None
    group = None
    user = None
    kind = factory.LazyAttribute(
        lambda grant: (
            Grantee.GROUP
            if grant.group
            else Grantee.USER
            if grant.user
            else Grantee.EVERYONE
        )
    )
