"""`nlweb_index`: all, one source, one object; what it prints and how it exits."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from shutil import rmtree

import pytest
from django.core.management import CommandError, call_command

from nlweb_ask.models import (
    Change,
    Document,
    IndexFailure,
    SiteSettings,
    VectorSet,
)
from nlweb_ask.plugins import sources
from nlweb_ask.sources import MarkdownFolderSource
from tests.factories import SiteSettingsFactory
from tests.index.noticeboard import NoticeSource, board, name, notices
from tests.index.toy_embedder import vector_settings
from tests.site_in_memory import PageInMemory
from tests.testapp.models import Bulletin

pytestmark = pytest.mark.servers


def run(*arguments: str, **options) -> str:
    out = io.StringIO()
    call_command("nlweb_index", *arguments, stdout=out, no_color=True, **options)
    return out.getvalue()


def run_failing(*arguments: str, **options) -> tuple[str, str]:
    """Run where something fails; return what is printed and what the command says."""
    out = io.StringIO()
    with pytest.raises(CommandError) as raised:
        call_command("nlweb_index", *arguments, stdout=out, no_color=True, **options)
    assert raised.value.returncode == 1
    return out.getvalue(), str(raised.value)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def pages(site):
    for page in ("kettle", "barge", "lantern"):
        site.pages[page] = PageInMemory(page, f"about the {page}")
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
    told = run("memory")
    assert "3 seen, 0 written" in told
    assert "everything was up to date" in told


def test_a_dry_run_says_what_is_out_of_date_and_writes_nothing(pages):
    assert "3 offered, 3 to write, 0 to move, 0 to withdraw" in run(
        "memory", "--dry-run"
    )
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


def break_barge(monkeypatch) -> None:
    source = sources.get("memory")
    whole = source.load

    def partly(object_ids):
        if "barge" in object_ids:
            raise ValueError
        return list(whole(object_ids))

    monkeypatch.setattr(source, "load", partly)


def test_a_page_that_cannot_be_read_is_counted_and_recorded(pages, monkeypatch):
    break_barge(monkeypatch)
    out, said = run_failing("memory")
    assert "3 seen, 2 written, 0 moved, 0 withdrawn, 1 failed" in out
    assert said == "1 page or file could not be indexed."
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
    out, _said = run_failing("leaflets")
    assert "leaflets: bad.md: " in out
    assert "2 seen, 1 written, 0 moved, 0 withdrawn, 1 failed" in out
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
    terminal = Terminal()
    call_command("nlweb_index", "memory", stdout=terminal, no_color=True)
    assert "memory: 3 of 3" in terminal.getvalue()
    assert " of 3," not in run("memory")


# Failures


CLOSED = "---\naccess: no\n---\n# Secret\n"
BROKEN = "# Barge\n\n{never closed\n"


@pytest.fixture
def leaflets(folder, db):
    """One good file, one whose header and one whose body cannot be read."""
    (folder / "closed.md").write_text(CLOSED)
    (folder / "broken.mdx").write_text(BROKEN)
    return folder


def test_json_of_a_run_with_failures_is_all_there_is_on_the_standard_output(
    pages, monkeypatch
):
    break_barge(monkeypatch)
    out, _said = run_failing("memory", "--json", stderr=io.StringIO())
    assert json.loads(out)["sources"]["memory"]["failed"] == 1


def test_failures_are_told_on_standard_error_where_output_is_not_for_people(
    pages, monkeypatch
):
    break_barge(monkeypatch)
    for options in ({"json": True}, {"verbosity": 0}):
        err = io.StringIO()
        run_failing("memory", stderr=err, **options)
        assert "object=barge error=ValueError" in err.getvalue()


def test_one_object_that_cannot_be_read_gives_exit_code_one(pages, monkeypatch):
    break_barge(monkeypatch)
    run_failing("memory", "barge")


@pytest.mark.parametrize("name", ["closed.md", "broken.mdx"])
def test_one_file_that_cannot_be_read_is_named_and_gives_exit_code_one(leaflets, name):
    out, said = run_failing("leaflets", name)
    assert f"leaflets: {name}: " in out
    assert said == "1 page or file could not be indexed."


def test_seen_counts_each_file_once_whatever_is_wrong_with_it(leaflets):
    out, said = run_failing("leaflets")
    assert "3 seen, 1 written, 0 moved, 0 withdrawn, 2 failed" in out
    assert said == "2 pages or files could not be indexed."


def test_a_dry_run_counts_failures_and_records_none(leaflets):
    out, _said = run_failing("leaflets", "--dry-run")
    assert "3 offered, 1 to write, 0 to move, 0 to withdraw, 2 failed" in out
    assert not IndexFailure.objects.exists()


def edited_unseen() -> None:
    """Leave one notice of each kind: edited, closed, deleted, new, failing, as it was."""
    rows = notices(6)
    ids = [row.pk for row in rows]
    rows = Bulletin.objects
    rows.filter(pk=ids[0]).update(body="Other words")
    rows.filter(pk=ids[1]).update(members_only=True)
    rows.filter(pk=ids[2])._raw_delete("default")
    rows.filter(pk=ids[3]).update(title="Broken")
    rows.bulk_create([Bulletin(title="Another")])


class Unsure(NoticeSource):
    """Fails for the words of one page."""

    def get_document(self, obj):
        if obj.title == "Broken":
            raise ValueError
        return super().get_document(obj)


class StampedUnsure(Unsure):
    updated_field = "opens"


@pytest.mark.parametrize("source", [Unsure, StampedUnsure])
@pytest.mark.parametrize("arguments", [(), ("--changed",)], ids=["all", "changed"])
def test_a_dry_run_says_what_the_run_itself_does_and_writes_nothing(
    db, source, arguments
):
    with board(source):
        edited_unseen()
        before = list(Document.objects.order_by("pk").values())
        told = [
            counts_of_a_failing_run(*arguments, *dry)
            for dry in (("--dry-run",), ("--dry-run",), ())
        ]
        assert told[0] == told[1] == told[2]
        assert before != list(Document.objects.order_by("pk").values())


def counts_of_a_failing_run(*arguments: str) -> dict[str, int]:
    out = io.StringIO()
    with suppress(CommandError):
        options = {"stdout": out, "stderr": io.StringIO()}
        call_command("nlweb_index", name(), "--json", *arguments, **options)
    return json.loads(out.getvalue())["sources"][name()]


def test_a_dry_run_tells_each_kind_of_change(db):
    with board(Unsure):
        edited_unseen()
        assert counts_of_a_failing_run("--dry-run") == {
            "seen": 6,
            "written": 2,
            "moved": 1,
            "withdrawn": 2,
            "failed": 1,
        }
        assert not IndexFailure.objects.exists()


def test_a_dry_run_of_one_object_looks_at_that_one(pages):
    assert "1 offered, 1 to write" in run("memory", "barge", "--dry-run")
    assert indexed() == []


def test_a_dry_run_goes_on_after_a_source_that_breaks(pages, monkeypatch):
    monkeypatch.setattr(sources.get("recipes"), "iter_refs", lambda: 1 / 0)
    out, said = run_failing("--dry-run")
    assert said == "Not indexed: recipes."
    assert "memory: 3 offered" in out


def test_each_problem_is_printed_once_and_in_a_line_of_its_own(leaflets, capfd):
    terminal = Terminal()
    with pytest.raises(CommandError):
        call_command("nlweb_index", "leaflets", stdout=terminal, no_color=True)
    printed = [line.rpartition("\r")[2] for line in terminal.getvalue().splitlines()]
    for file in ("closed.md", "broken.mdx"):
        assert sum(line.startswith(f"leaflets: {file}: ") for line in printed) == 1
    assert capfd.readouterr().err == ""


def test_a_failure_is_printed_in_a_line_of_its_own(pages, monkeypatch):
    run("memory")
    break_barge(monkeypatch)
    terminal = Terminal()
    with pytest.raises(CommandError):
        call_command("nlweb_index", stdout=terminal, no_color=True)
    printed = [line.rpartition("\r")[2] for line in terminal.getvalue().splitlines()]
    assert sum(line.startswith("not indexed source=memory") for line in printed) == 1


def test_a_missing_folder_keeps_what_is_indexed_and_names_the_source(folder, db):
    run("leaflets")
    rmtree(folder)
    out, said = run_failing("leaflets")
    assert f"The folder {folder} does not exist." in out
    assert said == "Not indexed: leaflets."
    assert Document.objects.filter(source="leaflets", indexed=True).count() == 1


def test_a_missing_folder_is_named_on_a_terminal_too(folder, db):
    rmtree(folder)
    terminal = Terminal()
    with pytest.raises(CommandError, match="Not indexed: leaflets"):
        call_command("nlweb_index", "leaflets", stdout=terminal, no_color=True)


def test_vectors_that_are_missing_are_made_and_tested(pages, settings):
    settings.NLWEB_ASK = vector_settings()
    printed = run("memory")
    assert "vectors of site 0: 3 pages, 3 texts embedded, 0 withdrawn" in printed
    made, tested = printed.index("3 texts embedded"), printed.index("not tested")
    assert made < tested
    assert "takes 20 public pages" in printed
    assert "there are 3; they weigh 0.3" in printed
    assert "vectors of site 0: 0 pages, 0 texts embedded, 0 withdrawn" in run("memory")


def test_vectors_are_tested_again_where_that_is_asked_for(pages, settings):
    settings.NLWEB_ASK = vector_settings()
    run("memory")
    assert "not tested" not in run("memory")
    assert "not tested" in run("memory", "--test-vectors")
    _printed, error = run_failing("memory", "--test-vectors", "--dry-run")
    assert "--test-vectors" in error


def test_vectors_are_told_in_json(pages, settings):
    settings.NLWEB_ASK = vector_settings()
    told = json.loads(run("memory", "--json"))
    assert told["vectors"] == {
        "0": {"documents": 3, "texts": 3, "withdrawn": 0, "blank": 0}
    }


def test_a_dry_run_makes_no_vectors(pages, settings):
    settings.NLWEB_ASK = vector_settings()
    run("memory", "--dry-run")
    assert not VectorSet.objects.exists()


def test_a_model_that_is_not_to_be_had_is_told(pages, settings):
    settings.NLWEB_ASK = vector_settings("Broken")
    printed, error = run_failing("memory")
    told = "the model was not to be had (fault: RuntimeError)"
    assert f"vectors of site 0: {told}" in printed
    assert "Vectors of site 0 are missing, since the embedder 'toy'" in error
    assert "(fault: RuntimeError)" in error
    assert "run nlweb_index again" in error
    assert "found by their words" in error
    assert indexed() == ["barge", "kettle", "lantern"]


def test_a_model_that_may_not_be_asked_is_told_with_what_to_do(
    pages, settings, model_server
):
    SiteSettingsFactory(models_enabled=False)
    settings.NLWEB_ASK = {
        **vector_settings(),
        "EMBEDDERS": model_server.embedders("srv", timeout=60),
    }
    _printed, error = run_failing("memory")
    assert "the embedder 'srv' was not to be had (off)" in error
    assert "Switch language models on" in error


def test_pages_whose_vectors_are_no_numbers_are_counted(pages, settings):
    settings.NLWEB_ASK = vector_settings("NotANumber")
    assert "of 3 pages the embedder makes no numbers" in run("memory")


def test_progress_of_vectors_is_shown_on_a_terminal(pages, settings):
    settings.NLWEB_ASK = vector_settings()
    out = Terminal()
    call_command("nlweb_index", "memory", stdout=out, no_color=True)
    assert "vectors: 3 of 3" in out.getvalue()
