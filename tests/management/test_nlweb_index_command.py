"""`nlweb_index`: all, one source, one object; what it prints and how it exits."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import CommandError, call_command

from nlweb_ask.models import Change, Document, IndexFailure, SiteSettings
from nlweb_ask.plugins import sources
from nlweb_ask.sources import MarkdownFolderSource
from tests.site_in_memory import PageInMemory

pytestmark = pytest.mark.servers


def run(*arguments: str, **options) -> str:
    out = io.StringIO()
    call_command("nlweb_index", *arguments, stdout=out, no_color=True, **options)
    return out.getvalue()


@pytest.fixture
def pages(site):
    for name in ("kettle", "barge", "lantern"):
        site.pages[name] = PageInMemory(name, f"about the {name}")
    return site.pages


def indexed() -> list[str]:
    rows = Document.objects.filter(source="memory", indexed=True)
    return sorted(rows.values_list("object_id", flat=True))


def test_one_source_is_indexed_and_its_counts_are_printed(pages):
    assert "memory: 3 seen, 3 written, 0 moved, 0 withdrawn, 0 failed" in run("memory")
    assert indexed() == ["barge", "kettle", "lantern"]


def test_all_sources_are_indexed_when_none_is_named(pages):
    out = run()
    assert all(f"{name}:" in out for name in sources.names())


def test_one_object_is_indexed_alone(pages):
    run("memory", "barge")
    assert indexed() == ["barge"]


def test_an_object_that_is_gone_is_withdrawn(pages):
    run("memory")
    del pages["barge"]
    assert "1 withdrawn" in run("memory", "barge")


def test_an_object_nobody_offers_is_an_error_that_names_it(pages):
    with pytest.raises(CommandError, match="offers no object sextant"):
        run("memory", "sextant")


def test_an_unknown_source_is_an_error_that_lists_those_there_are(pages):
    with pytest.raises(CommandError, match=r"'memroy'; registered: .*memory"):
        run("memroy")


def test_a_second_run_writes_nothing(pages):
    run("memory")
    assert "3 seen, 0 written" in run("memory")


def test_a_dry_run_says_what_is_out_of_date_and_writes_nothing(pages):
    assert "3 offered, 3 not indexed yet, 0 to withdraw" in run("memory", "--dry-run")
    assert indexed() == []


def test_json_is_one_object_with_the_counts(pages):
    printed = json.loads(run("memory", "--json"))
    assert printed["sources"]["memory"]["written"] == 3
    assert printed["merged"] == 3
    assert printed["dry_run"] is False


def test_changes_are_merged_at_the_end(pages):
    run("memory")
    assert not Change.objects.exists()


def test_the_way_to_switch_on_is_printed_while_the_site_is_off(pages):
    assert "switched off" in run("memory")
    SiteSettings.objects.create(site_id=0, enabled=True)
    assert "switched off" not in run("memory")


def test_a_source_that_breaks_is_named_and_the_rest_is_indexed(pages, monkeypatch):
    monkeypatch.setattr(sources.get("recipes"), "iter_refs", lambda: 1 / 0)
    with pytest.raises(CommandError, match="Not indexed: recipes"):
        run()
    assert indexed() == ["barge", "kettle", "lantern"]


def test_a_page_that_cannot_be_read_is_counted_and_recorded(pages, monkeypatch):
    source = sources.get("memory")
    whole = source.load

    def partly(object_ids):
        if "barge" in object_ids:
            raise ValueError
        return list(whole(object_ids))

    monkeypatch.setattr(source, "load", partly)
    assert "1 failed" in run("memory")
    assert indexed() == ["kettle", "lantern"]
    assert IndexFailure.objects.get().object_id == "barge"


@pytest.fixture
def folder(tmp_path):
    class Leaflets(MarkdownFolderSource):
        name = "leaflets"
        path = tmp_path
        base_url = "/leaflets/"
        default_access = "public"

    sources.register(Leaflets)
    (tmp_path / "good.md").write_text("# Kettle\n\nBoil it.\n")
    yield tmp_path
    sources.unregister("leaflets")


def test_a_file_that_is_closed_is_named_and_the_others_are_indexed(folder, db):
    (folder / "bad.md").write_text("---\naccess: no\n---\n# Secret\n")
    out = run("leaflets")
    assert "leaflets: bad.md: " in out
    assert "1 failed" in out
    rows = Document.objects.filter(source="leaflets", indexed=True, public=True)
    assert list(rows.values_list("name", flat=True)) == ["Kettle"]
    assert IndexFailure.objects.get().object_id == "bad.md"


def test_documents_of_a_source_that_is_no_longer_registered_are_withdrawn(pages):
    run("memory")
    sources.unregister("memory")
    run()
    assert indexed() == []


def test_nothing_is_printed_at_verbosity_0(pages):
    assert run("memory", verbosity=0) == ""


def test_a_terminal_gets_a_progress_line_and_a_file_does_not(pages, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    call_command("nlweb_index", "memory", stdout=terminal, no_color=True)
    assert "memory: 3 of 3" in terminal.getvalue()
    assert " of 3," not in run("memory")
