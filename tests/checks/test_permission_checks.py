"""E010, E011, W020, W021, W022: sources that ask about permissions."""

from __future__ import annotations

import pytest

from nlweb_ask.plugins import sources
from nlweb_ask.sources import (
    GuardianSource,
    ModelPermissionSource,
    ObjectPermissionSource,
)
from tests.testapp.models import Article

OWN_BACKEND = "rules.permissions.ObjectPermissionBackend"
MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def articles(registered):
    def register(base=ModelPermissionSource, **attributes):
        given = {"name": "some", "model": Article, **attributes}
        return registered(sources, type("Some", (base,), given))

    return register


@pytest.mark.parametrize("written", ["view_article", "testapp.", "a b.c", ["x.y"]])
def test_permission_in_another_form_is_reported(reported, articles, written):
    articles(permission=written)
    [message] = reported("E010")
    assert repr(written) in message.msg
    assert "app_label.codename" in message.msg
    assert reported("W020") == []


def test_permission_of_another_app_is_reported_for_guardian_alone(reported, articles):
    articles(GuardianSource, permission="auth.view_user")
    [message] = reported("E010")
    assert message.hint == 'permission = "testapp.view_user"'


def test_permission_of_another_app_is_none_of_the_checks_business(reported, articles):
    articles(permission="auth.view_user")
    assert reported("E010") == reported("W020") == []


def test_permission_that_no_model_declares_is_reported_with_the_nearest(
    reported, articles
):
    articles(permission="testapp.view_articel")
    [message] = reported("W020")
    assert message.hint == 'Did you mean "testapp.view_article"?'


@pytest.mark.parametrize("permission", ["", "testapp.view_article", "auth.add_group"])
def test_declared_permission_is_not_reported(reported, articles, permission):
    articles(permission=permission)
    assert reported("E010") == reported("W020") == []


def test_permission_of_rules_need_not_be_declared(reported, articles):
    articles(ObjectPermissionSource, permission="testapp.read_on_sundays")
    assert reported("W020") == []


def test_guardian_that_is_not_installed_is_reported(reported, articles):
    articles(GuardianSource)
    [message] = reported("E011")
    assert "'guardian'" in message.msg


def test_source_that_needs_no_app_is_not_reported(reported, articles):
    articles()
    assert reported("E011") == []


def test_backends_that_know_whole_models_alone_are_reported(
    reported, articles, settings
):
    settings.AUTHENTICATION_BACKENDS = [MODEL_BACKEND]
    articles(ObjectPermissionSource)
    [message] = reported("W021")
    assert OWN_BACKEND in message.hint


def test_a_backend_that_may_know_pages_is_not_reported(reported, articles, settings):
    settings.AUTHENTICATION_BACKENDS = [MODEL_BACKEND, OWN_BACKEND]
    articles(ObjectPermissionSource)
    assert reported("W021") == []


@pytest.mark.parametrize(("number", "messages"), [(2_000, 0), (2_001, 1)])
@pytest.mark.django_db
def test_many_pages_that_are_judged_one_by_one_are_reported(
    reported, articles, number, messages
):
    articles(ObjectPermissionSource)
    Article.objects.bulk_create(Article(title=f"{n}") for n in range(number))
    assert len(reported("W022", databases=["default"])) == messages
    assert reported("W022") == []


@pytest.mark.django_db
def test_source_that_cannot_be_counted_does_not_break_the_check(reported, articles):
    articles(ObjectPermissionSource, get_queryset=lambda self: 1 / 0)
    assert reported("W022", databases=["default"]) == []
