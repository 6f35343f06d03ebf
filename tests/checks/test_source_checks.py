"""E003, E004, E005, W004, W007: what a site has written into its sources."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db.models import F

from nlweb_ask.plugins import sources
from nlweb_ask.sources import (
    GuardianSource,
    MarkdownFolderSource,
    ModelPermissionSource,
    ModelSource,
    Source,
)
from tests.testapp.models import Article


@pytest.fixture
def articles(registered):
    """Register a source of articles with other attributes."""

    def register(**attributes):
        given = {"name": "some", "model": Article, "public": True, **attributes}
        return registered(sources, type("Some", (ModelSource,), given))

    return register


@pytest.fixture
def leaflets(registered, tmp_path):
    """Register a source of a folder with other attributes."""

    def register(**attributes):
        given = {"name": "some", "path": tmp_path, "default_access": "public"}
        made = type("Some", (MarkdownFolderSource,), {**given, **attributes})
        return registered(sources, made)

    return register


# Who may see its pages


class Bare(Source):
    name = "bare"


class Public(Bare):
    public = True


class WithRule(Bare):
    def visible_ids(self, viewer, object_ids):
        return set()


class Foreign:
    """A source that inherits nothing."""

    name = "bare"

    def iter_refs(self):
        return iter(())

    def load(self, object_ids):
        return ()

    def visible_ids(self, viewer, object_ids):
        return set()


def test_source_that_says_nothing_of_who_may_see_it_is_reported(reported, registered):
    registered(sources, Bare)
    [message] = reported("E003")
    assert "'bare'" in message.msg
    assert "public = True" in message.hint
    assert "def visible_ids(self, viewer, object_ids)" in message.hint


@pytest.mark.parametrize("source", [Public, WithRule, Foreign])
def test_source_that_says_who_may_see_it_is_not_reported(reported, registered, source):
    registered(sources, source)
    assert reported("E003") == []


def test_model_source_is_told_of_visible_to(reported, articles):
    articles(public=False)
    [message] = reported("E003")
    assert "def visible_to(self, viewer, queryset)" in message.hint


def test_markdown_source_is_told_of_default_access(reported, leaflets):
    leaflets(default_access="")
    [message] = reported("E003")
    assert 'default_access = "public"' in message.hint
    assert '"login"' in message.hint


# Fields


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        *((each, ["titel", "body"]) for each in ("text_fields", "html_fields")),
        *(
            (f"{each}_field", "titel")
            for each in (
                *("name", "description", "language", "group", "version"),
                *("site", "published", "updated", "image"),
            )
        ),
    ],
)
def test_field_that_the_model_has_not_is_reported(reported, articles, attribute, value):
    articles(**{attribute: value})
    [message] = reported("E004")
    assert f"{attribute} of the source 'some' names 'titel'" in message.msg
    assert "testapp.Article" in message.msg
    assert message.hint == 'Did you mean "title"?'


def test_field_that_is_near_to_none_gets_a_hint_all_the_same(reported, articles):
    articles(text_fields=["xyzzy"])
    [message] = reported("E004")
    assert "a property or a method of the model" in message.hint


def test_text_in_place_of_a_list_of_fields_is_reported_once(reported, articles):
    articles(text_fields="body")
    [message] = reported("E004")
    assert message.hint == 'text_fields = ["body"]'


def test_fields_properties_and_methods_are_not_reported(reported, articles):
    articles(text_fields=("title", "get_status_display", "pk"), html_fields=None)
    assert reported("E004") == []


def test_name_that_get_queryset_adds_is_not_reported(reported, articles):
    def annotated(self):
        return Article.objects.annotate(heading=F("title"))

    articles(name_field="heading", get_queryset=annotated)
    assert reported("E004") == []


def test_get_queryset_that_fails_does_not_break_the_check(reported, articles):
    articles(name_field="heading", get_queryset=lambda self: 1 / 0)
    assert len(reported("E004")) == 1


# Folders


def test_folder_that_is_not_there_is_reported_with_its_path(
    reported, leaflets, tmp_path
):
    leaflets(path=tmp_path / "gone")
    [message] = reported("W007")
    assert str(tmp_path / "gone") in message.msg


@pytest.mark.parametrize("path", ["docs/pages", Path("docs/pages"), "docs"])
def test_relative_folder_is_reported_whether_or_not_it_is_there(
    reported, leaflets, path
):
    leaflets(path=path)
    [message] = reported("E005")
    assert str(Path(path).absolute()) in message.msg
    assert message.hint == f'path = settings.BASE_DIR / "{path}"'


def test_folder_that_is_there_is_not_reported(reported, leaflets):
    leaflets()
    assert reported("E005") == reported("W007") == []


def test_folder_that_an_instance_finds_is_not_reported(reported, leaflets):
    leaflets(path=property(lambda self: "somewhere"))
    assert reported("E005") == reported("W007") == []


# Attributes


@pytest.mark.parametrize(
    ("register", "name", "value", "meant"),
    [
        ("articles", "text_feilds", ["body"], "text_fields"),
        ("articles", "published_feild", "updated", "published_field"),
        ("articles", "pubic", False, "public"),
        ("leaflets", "default_acces", "login", "default_access"),
    ],
)
def test_attribute_that_is_nearly_a_known_one_is_reported(
    reported, request, register, name, value, meant
):
    request.getfixturevalue(register)(**{name: value})
    [message] = reported("W004")
    assert f"'some' has an attribute {name!r}" in message.msg
    assert message.hint == f'Did you mean "{meant}"?'


def test_attribute_of_a_shared_base_of_the_site_is_reported_too(reported, registered):
    class Shared(ModelSource):
        public = True
        text_feilds = ["body"]

    class Some(Shared):
        name = "some"
        model = Article

    registered(sources, Some)
    assert len(reported("W004")) == 1


@pytest.mark.parametrize(
    ("base", "name", "meant"),
    [
        (ModelSource, "get_querset", "get_queryset"),
        (ModelSource, "visable_to", "visible_to"),
        (ModelSource, "visible", "visible_to"),
        (ModelSource, "part_visible", "part_visible_to"),
        (ModelSource, "to_schemaorg", "to_schema_org"),
        (ModelSource, "watches", "watch"),
        (ModelSource, "watching", "watch"),
        (ModelSource, "affected", "affected_by"),
        (ModelSource, "clock_field", "clock_fields"),
        (ModelSource, "turnd", "turned"),
        (GuardianSource, "accept_global_perm", "accept_global_perms"),
        (GuardianSource, "permissions", "permission"),
        (ModelPermissionSource, "permision", "permission"),
        (MarkdownFolderSource, "base_ulr", "base_url"),
    ],
)
@pytest.mark.parametrize(
    "value", [[], lambda self, *given: given], ids=["value", "method"]
)
def test_hook_that_is_nearly_a_known_one_is_reported(
    reported, registered, base, name, meant, value
):
    given = {"name": "some", "model": Article, "public": True, name: value}
    registered(sources, type("Some", (base,), given))
    [message] = reported("W004")
    assert f"'some' has an attribute {name!r}" in message.msg
    assert message.hint == f'Did you mean "{meant}"?'


def test_attributes_and_methods_of_the_sites_own_are_not_reported(reported, articles):
    articles(
        audience="members",
        text_fields=["body"],
        get_author=lambda self, obj: "x",
        published=property(lambda self: "x"),
        _text_feilds=[],
    )
    assert reported("W004") == []


def test_what_the_site_reads_itself_is_not_reported(reported, registered):
    class Some(ModelSource):
        name = "some"
        model = Article

        def visible(self, queryset):
            return queryset.filter(members_only=False)

        def get_querysets(self):
            return [self.get_queryset()]

        def part_visible_to(self, part, viewer, queryset):
            return self.get_querysets()[0] & self.visible(queryset)

    registered(sources, Some)
    assert reported("W004") == []
