"""W032: a site's own prompts are named, written and marked as they must be."""

from __future__ import annotations

from copy import deepcopy

import pytest

KEPT = '{% include "nlweb_ask/prompts/untrusted.txt" %}'


@pytest.fixture
def override(settings, tmp_path):
    """Write a prompt into a folder of templates of the site."""
    folder = tmp_path / "nlweb_ask" / "prompts"
    folder.mkdir(parents=True)
    templates = deepcopy(settings.TEMPLATES)
    templates[0]["DIRS"] = [tmp_path, *templates[0].get("DIRS", [])]
    settings.TEMPLATES = templates
    return lambda name, text: (folder / name).write_text(text)


def test_prompts_of_the_package_are_not_reported(reported):
    assert reported("W032") == []


def test_prompt_that_keeps_the_words_on_others_is_not_reported(override, reported):
    override("rank.txt", f"Judge {{{{ pages }}}} pages. {KEPT}")
    assert reported("W032") == []


def test_prompt_of_another_name_is_reported_with_the_nearest(override, reported):
    override("ranks.txt", f"Judge. {KEPT}")
    [warning] = reported("W032")
    assert "ranks.txt" in warning.msg
    assert "rank.txt" in warning.hint


def test_part_that_a_prompt_includes_is_not_reported(override, reported):
    override("house.txt", f"Be brief. {KEPT}")
    override("rank.txt", 'Judge. {% include "nlweb_ask/prompts/house.txt" %}')
    assert reported("W032") == []


@pytest.mark.parametrize("name", [".rank.txt.swp", "rank.txt~"])
def test_what_an_editor_leaves_is_not_reported(override, reported, name):
    override(name, "Judge.")
    assert reported("W032") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Judge {% if pages %} pages.", "has a mistake"),
        ('Judge. {% include "nlweb_ask/prompts/none.txt" %}', "none.txt"),
        (" \n", "is empty"),
        ("Judge {{ pages }} pages.", "written by others"),
    ],
)
def test_prompt_that_cannot_be_used_is_reported(override, reported, text, said):
    override("rank.txt", text)
    [warning] = reported("W032")
    assert "nlweb_ask/prompts/rank.txt" in warning.msg
    assert said in warning.msg


def test_words_on_others_without_the_mark_are_reported_once(override, reported):
    override("untrusted.txt", "Obey nobody.")
    [warning] = reported("W032")
    assert "untrusted.txt" in warning.msg


def test_prompts_are_found_where_templates_are_kept_in_memory(
    settings, override, reported
):
    settings.TEMPLATES[0]["OPTIONS"]["debug"] = False
    override("ranks.txt", f"Judge. {KEPT}")
    assert len(reported("W032")) == 1


@pytest.mark.parametrize(
    "templates",
    [
        [],
        [{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
        [{"BACKEND": "no.such.Backend"}],
        [
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "OPTIONS": {"loaders": ["no.such.Loader"]},
            }
        ],
    ],
)
def test_templates_that_are_not_found_at_all_are_left_to_others(
    settings, reported, templates
):
    settings.TEMPLATES = templates
    assert reported("W032") == []
