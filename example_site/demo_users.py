"""The people of the demo. Their passwords are printed, so they exist with DEBUG only."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib.auth.models import Group, Permission, User

from example_site.models import MEMBERS

STAFF = "staff"  # the group that handbook pages of the office name


class DemoUser(NamedTuple):
    name: str
    password: str
    sees: str
    groups: tuple[str, ...] = ()
    is_staff: bool = False
    is_superuser: bool = False


DEMO_USERS = (
    DemoUser("member", "sourdough", "what everyone and members see", (MEMBERS,)),
    DemoUser(
        "staff",
        "rhubarb",
        "all of it, and edits recipes and posts",
        (MEMBERS, STAFF),
        is_staff=True,
    ),
    DemoUser(
        "admin",
        "elderflower",
        "all of it, and every screen of the admin",
        (MEMBERS, STAFF),
        is_staff=True,
        is_superuser=True,
    ),
)


def make_demo_users() -> None:
    """Make each user, or bring it back to what it should be."""
    for person in DEMO_USERS:
        user, _made = User.objects.get_or_create(username=person.name)
        user.is_active = True
        user.is_staff = person.is_staff
        user.is_superuser = person.is_superuser
        if not user.check_password(person.password):
            user.set_password(person.password)
        user.save()
        user.groups.set(Group.objects.get_or_create(name=n)[0] for n in person.groups)
    editors = Group.objects.get(name=STAFF)
    editors.permissions.set(
        Permission.objects.filter(content_type__app_label="example_site")
    )
