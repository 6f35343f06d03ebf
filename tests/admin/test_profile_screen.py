"""Profiles in the admin, with their retrievers."""

from __future__ import annotations

import pytest

from nlweb_ask.models import IndexProfile
from tests.factories import IndexProfileFactory

pytestmark = pytest.mark.django_db


def filled_in(*retrievers, **fields):
    rows = {
        "retrievers-TOTAL_FORMS": len(retrievers),
        "retrievers-INITIAL_FORMS": 0,
    }
    for number, (name, weight) in enumerate(retrievers):
        rows |= {
            f"retrievers-{number}-name": name,
            f"retrievers-{number}-weight": weight,
            f"retrievers-{number}-order": number,
        }
    return (
        {"site_id": 0, "name": "docs", "label": "", "fusion": "weighted"}
        | rows
        | fields
    )


def errors_of(response):
    return response.context["adminform"].form.errors


def test_owner_adds_a_profile_with_its_retrievers(owner, url):
    data = filled_in(
        ("bm25", 0.5),
        ("keyword", 1),
        sources=["testapp.article"],
        languages="en, pt-br",
        allowed_types="Article",
        fusion="rrf",
    )
    assert owner.post(url("indexprofile_add"), data).status_code == 302
    profile = IndexProfile.objects.get()
    assert profile.sources == ["testapp.article"]
    assert profile.languages == ["en", "pt-br"]
    assert [(each.name, each.weight) for each in profile.retrievers.all()] == [
        ("bm25", 0.5),
        ("keyword", 1.0),
    ]


def test_sources_and_retrievers_are_chosen_from_those_there_are(owner, url):
    context = owner.get(url("indexprofile_add")).context
    form = context["adminform"].form
    assert ("testapp.article", "testapp.article") in form.fields["sources"].choices
    [inline] = context["inline_admin_formsets"]
    choices = dict(inline.formset.forms[0].fields["name"].choices)
    assert {"keyword", "bm25"} <= set(choices)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "all"),
        ("name", "Two words"),
        ("name", ""),
        ("sources", ["no-such-source"]),
        ("languages", "EN"),
        ("allowed_types", "recipe"),
        ("fusion", "sum"),
        ("site_id", 5),
    ],
)
def test_wrong_value_is_refused_and_nothing_is_saved(owner, url, field, value):
    response = owner.post(url("indexprofile_add"), filled_in(**{field: value}))
    assert field in errors_of(response)
    assert not IndexProfile.objects.exists()


@pytest.mark.parametrize(
    ("retrievers", "field"),
    [
        pytest.param([("no-such", 1)], "name", id="unknown"),
        pytest.param([("keyword", 0)], "weight", id="no-weight"),
        pytest.param([("keyword", "nan")], "weight", id="nan"),
    ],
)
def test_wrong_retriever_is_refused(owner, url, retrievers, field):
    response = owner.post(url("indexprofile_add"), filled_in(*retrievers))
    [inline] = response.context["inline_admin_formsets"]
    assert field in inline.formset.forms[0].errors


def test_same_retriever_twice_is_refused(owner, url):
    data = filled_in(("keyword", 1), ("keyword", 2))
    response = owner.post(url("indexprofile_add"), data)
    [inline] = response.context["inline_admin_formsets"]
    assert inline.formset.non_form_errors()
    assert not IndexProfile.objects.exists()


def test_name_that_is_taken_is_refused(owner, url):
    IndexProfileFactory(name="docs")
    response = owner.post(url("indexprofile_add"), filled_in())
    assert "This site has a profile of that name." in response.content.decode()


def test_name_that_is_taken_is_refused_on_renaming_too(owner, url):
    IndexProfileFactory(name="docs")
    other = IndexProfileFactory(name="other")
    response = owner.post(url("indexprofile_change", other.pk), filled_in())
    assert "This site has a profile of that name." in response.content.decode()


def test_plugins_that_are_gone_are_still_shown_as_chosen(owner, url):
    profile = IndexProfileFactory(sources=["wiki"], retrievers=["haystack"])
    page = owner.get(url("indexprofile_change", profile.pk)).content.decode()
    assert "wiki (not installed)" in page
    assert "haystack (not installed)" in page


def test_saving_an_untouched_profile_changes_nothing(owner, url):
    profile = IndexProfileFactory(name="docs", sources=["testapp.article"])
    data = filled_in(sources=["testapp.article"])
    assert owner.post(url("indexprofile_change", profile.pk), data).status_code == 302
    profile.refresh_from_db()
    assert profile.sources == ["testapp.article"]


def test_list_says_what_is_searched_and_how(owner, url):
    IndexProfileFactory(name="docs", sources=["wiki"], retrievers=["keyword", "bm25"])
    IndexProfileFactory(name="rest")
    page = owner.get(url("indexprofile_changelist")).content.decode()
    assert "wiki" in page
    assert "keyword, bm25" in page
    assert "every source" in page
    assert "those of settings.py" in page


def test_list_does_not_ask_once_a_profile(owner, url, django_assert_max_num_queries):
    for _ in range(12):
        IndexProfileFactory(retrievers=["keyword"])
    with django_assert_max_num_queries(8):
        owner.get(url("indexprofile_changelist"))


def test_empty_list_says_what_holds_and_what_a_profile_is_for(owner, url):
    page = owner.get(url("indexprofile_changelist")).content.decode()
    assert "Without a profile, a question searches every source." in page


def test_search_that_finds_nothing_does_not_say_that_nothing_is_there(owner, url):
    IndexProfileFactory(name="docs")
    page = owner.get(url("indexprofile_changelist"), {"q": "zzz"}).content.decode()
    assert "Nothing matches." in page
    assert "Without a profile" not in page


def test_who_may_only_view_sees_a_profile(staff, url):
    profile = IndexProfileFactory(name="docs", sources=["testapp.article"])
    client = staff("view_indexprofile")
    page = client.get(url("indexprofile_change", profile.pk)).content.decode()
    assert "testapp.article" in page
    assert 'name="_save"' not in page
