"""The documentation says what the code does: names are compared, examples are run."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from django.core.management import BaseCommand, get_commands, load_command_class

import nlweb_ask
from nlweb_ask.checks import CHECKS
from nlweb_ask.conf import Deployment, problems
from nlweb_ask.plugins import REGISTRIES, Outcome, Question, Result, Viewer
from nlweb_ask.templatetags import nlweb_ask as template_tags
from tests.project.tutorial_steps import FENCE
from tests.testapp import models as news_models

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
RUNNABLE = [DOCS / "how-to", DOCS / "reference"]


def read(name):
    return (DOCS / name).read_text(encoding="utf-8")


def headings(page):
    """Give the words of every heading, without marks and outside of fenced blocks."""
    text = FENCE.sub("", page)
    found = re.findall(r"^#{2,4} (.+)$", text, re.MULTILINE)
    return {heading.replace("`", "").strip() for heading in found}


def python_blocks(page):
    """Give the Python examples of a page, in reading order."""
    return [
        CAPTION_LINE.sub("", fence["body"])
        for fence in FENCE.finditer(page)
        if fence["info"].strip() in {"python", "{code-block} python"}
    ]


CAPTION_LINE = re.compile(r"\A:caption: .*\n+")


def test_every_setting_has_its_heading():
    documented = {
        name for name in headings(read("reference/settings.md")) if name.isupper()
    }
    assert documented == {field.name.upper() for field in fields(Deployment)}


@pytest.mark.parametrize("field", fields(Deployment), ids=lambda field: field.name)
def test_documented_default_of_a_setting_is_the_real_one(field):
    page = read("reference/settings.md")
    section = page.split(f"### `{field.name.upper()}`\n", 1)[1].split("\n#", 1)[0]
    said = re.match(r"\s*Default (?:`(?P<value>[^`]+)`|(?P<empty>empty))", section)
    default = getattr(Deployment(), field.name)
    default = list(default) if isinstance(default, tuple) else default
    assert ("" if said["empty"] else ast.literal_eval(said["value"])) == default


def test_every_check_has_its_heading():
    documented = headings(read("reference/checks.md"))
    assert documented == {f"nlweb_ask.{check_id}" for check_id in CHECKS}


@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda check: check.id)
def test_check_is_described_as_the_code_describes_it(check):
    page = read("reference/checks.md")
    section = page.split(f"## `nlweb_ask.{check.id}`\n", 1)[1].split("\n## ", 1)[0]
    words = " ".join(section.split())
    assert check.when in words
    assert f"`{check.command}`" in words


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)
def test_every_kind_of_plugin_and_each_of_its_methods_has_its_heading(registry):
    documented = headings(read("reference/plugins.md"))
    assert registry.kind in documented
    for method in registry.methods:
        assert any(heading.startswith(f"{method}(") for heading in documented)


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)
def test_every_builtin_plugin_is_named(registry):
    page = read("reference/plugins.md")
    ours = [
        cls.name
        for cls in registry.classes()
        if cls.__module__.startswith("nlweb_ask.")
    ]
    assert [name for name in ours if f"`{name}`" not in page] == []


OUR_COMMANDS = sorted(
    name for name, app in get_commands().items() if app == "nlweb_ask"
)


def test_every_command_has_its_heading():
    assert headings(read("reference/commands.md")) == set(OUR_COMMANDS)


@pytest.mark.parametrize("name", OUR_COMMANDS)
def test_options_of_a_command_are_those_it_has(name):
    parser = load_command_class("nlweb_ask", name).create_parser("manage.py", name)
    common = BaseCommand().create_parser("manage.py", name)
    ours = options_of(parser) - options_of(common)
    section = read("reference/commands.md").split(f"## `{name}`\n")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(--[\w-]+)` ", section, re.MULTILINE)) == ours


def options_of(parser):
    return {option for action in parser._actions for option in action.option_strings}


@pytest.mark.parametrize(
    ("page", "source"),
    [
        pytest.param("how-to/source.md", nlweb_ask.ModelSource, id="model"),
        pytest.param(
            "how-to/markdown.md", nlweb_ask.MarkdownFolderSource, id="markdown-folder"
        ),
        pytest.param("how-to/sitemap.md", nlweb_ask.SitemapSource, id="sitemap"),
    ],
)
def test_attributes_of_a_source_are_those_it_has(page, source):
    section = read(page).split("## The attributes of a ")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
    described = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert described == set(source.__annotations__) - {"model"}


@pytest.mark.parametrize(
    "given", [Question, Viewer, Result, Outcome], ids=lambda given: given.__name__
)
def test_every_member_of_what_a_plug_in_is_given_is_described(given):
    page = read("reference/plugins.md")
    section = page.split(f"### `{given.__name__}`\n")[1].split("\n##")[0]
    rows = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
    described = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    properties = {
        name for name, value in vars(given).items() if isinstance(value, property)
    }
    assert described == {field.name for field in fields(given)} | properties


def test_every_template_tag_and_each_of_its_arguments_is_described():
    page = read("reference/template-tag.md")
    assert set(template_tags.register.tags) <= headings(page)
    box = inspect.signature(template_tags.nlweb_ask_box).parameters
    described = set(re.findall(r"^\| `(\w+)` ", page, re.MULTILINE))
    assert described == set(box) - {"context"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_examples_compile(page):
    for block in python_blocks(page.read_text(encoding="utf-8")):
        ast.parse(block)


@pytest.fixture
def empty_registries():
    kept = [(registry, registry.classes()) for registry in REGISTRIES]
    for registry, classes in kept:
        for plugin in classes:
            registry.unregister(plugin.name)
    yield
    for registry, classes in kept:
        for name in registry.names():
            registry.unregister(name)
        for plugin in classes:
            registry.register(plugin)


@pytest.fixture
def news_app(monkeypatch):
    """Let the examples' `news.models` be the models that the tests have."""
    monkeypatch.setitem(sys.modules, "news", news_models)
    monkeypatch.setitem(sys.modules, "news.models", news_models)


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.parent in RUNNABLE],
    ids=lambda page: f"{page.parent.name}-{page.stem}",
)
@pytest.mark.usefixtures("empty_registries", "news_app")
def test_python_examples_of_a_page_run_in_their_order(page):
    namespace = {"__name__": "an_example"}
    for block in python_blocks(page.read_text(encoding="utf-8")):
        exec(compile(block, str(page), "exec", dont_inherit=True), namespace)
        assert problems(namespace.pop("NLWEB_ASK", {})) == []
        for name in [name for name in namespace if name.startswith("test_")]:
            namespace.pop(name)()


def test_words_of_the_glossary_are_in_alphabetical_order():
    words = re.findall(r"^## (.+)$", read("glossary.md"), re.MULTILINE)
    assert words == sorted(words)
