"""Measuring on a collection beside the site's index, and on a site's own questions."""

from __future__ import annotations

import io
import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connections, router

from nlweb_ask.index import refresh
from nlweb_ask.models import Change, Document, IndexState, Passage, Posting, Segment
from nlweb_ask.plugins import sources
from tests.factories import IndexProfileFactory, SiteSettingsFactory
from tests.management.running import run_command
from tests.management.temporary import wait_for_a_temporary_database
from tests.site_in_memory import save

pytestmark = pytest.mark.servers

INDEX = (Document, Passage, Change, Segment, Posting, IndexState)
PAGES = [
    {"_id": "oil", "title": "Oil", "text": "Oil the chain of a bicycle.", "lang": "en"},
    {"_id": "flat", "title": "Flat", "text": "Mend a puncture.", "lang": "en"},
    {"_id": "huhn", "title": "Huhn", "text": "## Stall\nHühner füttern.", "lang": "de"},
]
QUERIES = [
    {"_id": "q1", "text": "how do I oil a chain?", "lang": "en"},
    {"_id": "q2", "text": "zeppelins", "lang": "en"},
    {"_id": "q3", "text": "Hühner", "lang": "de"},
]
QRELS = (
    "query-id\tcorpus-id\tscore\nq1\toil\t2\nq1\tflat\t1\nq2\tflat\t1\nq3\thuhn\t1\n"
)


def lines(entries) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "corpus.jsonl").write_text(lines(PAGES), encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text(lines(QUERIES), encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text(QRELS)
    return tmp_path


def measure(*args: object) -> tuple[int, str]:
    return run_command("nlweb_eval", *args)


def told(*args: object) -> dict:
    """Run the command; return the object that it printed."""
    out = io.StringIO()
    call_command("nlweb_eval", *map(str, args), "--json", stdout=out)
    return json.loads(out.getvalue())


def rows() -> list[list[dict]]:
    return [list(table.objects.order_by("pk").values()) for table in INDEX]


def test_measures_are_those_of_the_definitions(db, folder):
    found = told(folder)
    first = 2 / (2 + 1 / math.log2(3))  # `oil` first, `flat` not at all
    assert found["ndcg@10"] == pytest.approx((first + 0 + 1) / 3, abs=1e-4)
    assert found["recall@30"] == pytest.approx((0.5 + 0 + 1) / 3, abs=1e-4)
    assert found["mrr@10"] == pytest.approx((1 + 0 + 1) / 3, abs=1e-4)
    assert (found["documents"], found["passages"], found["questions"]) == (3, 3, 3)
    assert found["unanswered"] == 1
    assert 0 < found["search_ms"]["p50"] <= found["search_ms"]["p95"]


def test_each_language_has_its_own_measures(db, folder):
    languages = told(folder)["languages"]
    assert languages["de"]["ndcg@10"] == 1
    assert languages["en"]["questions"] == 2


def test_headings_of_a_text_cut_it_into_passages(db, folder):
    text = "Begin.\n## One\nFirst.\n# no heading\n### Two\nSecond."
    (folder / "corpus.jsonl").write_text(
        lines([{"_id": "oil", "title": "", "text": text, "lang": "en"}])
    )
    assert told(folder)["passages"] == 3


def test_printed_table_names_every_measure_and_language(db, folder):
    code, printed = measure(folder)
    assert code == 0
    for word in ("documents", "passages", "ndcg@10", "recall@30", "mrr@10", "p95"):
        assert word in printed
    assert "\nde " in printed


@pytest.mark.parametrize(
    ("least", "code"), [("ndcg@10=.1", 0), ("ndcg@10=.99", 1), ("mrr@10=1", 1)]
)
def test_exit_code_is_one_below_a_bar(db, folder, least, code):
    assert measure(folder, "--fail-under", least)[0] == code


def test_every_bar_counts(db, folder):
    bars = ("--fail-under", "recall@30=1", "--fail-under", "ndcg@10=.1")
    code, printed = measure(folder, *bars)
    assert (code, "recall@30 is 0.5, below 1.0." in printed) == (1, True)


def test_a_profile_says_how_to_search_and_not_where(db, folder):
    profile = IndexProfileFactory(languages=["fr"], allowed_types=["Recipe"])
    assert told(folder, "--profile", profile.name)["languages"]["de"]["ndcg@10"] == 1


@pytest.mark.parametrize("retriever", ["keyword", "bm25"])
def test_a_retriever_can_be_measured_alone(db, folder, retriever):
    assert told(folder, "--retriever", retriever)["languages"]["de"]["ndcg@10"] == 1


def test_collection_is_searched_whatever_the_site_restricts(db, folder):
    SiteSettingsFactory(enabled=False, allowed_types=["Recipe"], max_results=1)
    assert told(folder)["languages"]["de"]["ndcg@10"] == 1


def test_the_sites_own_index_is_neither_searched_nor_touched(site, folder):
    save("p1", "Chain chain chain", "How do I oil a chain?")
    before = rows()
    assert told(folder)["documents"] == 3
    assert rows() == before
    assert "nlweb_eval" not in sources


def test_an_error_half_way_leaves_nothing_behind(site, folder, monkeypatch):
    save("p1", "Chain", "How do I oil a chain?")
    before, routers = rows(), list(router.routers)
    monkeypatch.setattr(refresh, "fit", _interrupted)
    assert measure(folder) == (130, "Stopped; nothing is left of it.\n")
    assert rows() == before
    assert router.routers == routers
    assert "nlweb_eval" not in sources
    assert not hasattr(connections._connections, "nlweb_ask_aside")


def _interrupted(*_args):
    raise KeyboardInterrupt


def test_a_run_that_is_killed_leaves_no_file_behind(tmp_path):
    folder, temporary = tmp_path / "collection", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    pages = [
        {"_id": f"p{number}", "title": "", "text": f"word{number} " * 300, "lang": "en"}
        for number in range(4000)
    ]
    (folder / "corpus.jsonl").write_text(lines(pages))
    (folder / "queries.jsonl").write_text(lines(QUERIES))
    (folder / "qrels.tsv").write_text("q1\tp1\t1\n")
    environment = {
        **os.environ,
        "SQLITE_PATH": str(tmp_path / "site.sqlite3"),
        "DATABASE": "sqlite",
        "TMPDIR": str(temporary),
        "SQLITE_TMPDIR": str(temporary),
    }
    manage = [sys.executable, "manage.py"]
    root = Path(__file__).parents[2]
    subprocess.run([*manage, "migrate", "-v0"], env=environment, check=True, cwd=root)
    site = (tmp_path / "site.sqlite3").read_bytes()
    with subprocess.Popen(
        [*manage, "nlweb_eval", str(folder)], env=environment, cwd=root
    ) as running:
        wait_for_a_temporary_database(running.pid, temporary)
        running.send_signal(signal.SIGKILL)
    assert running.returncode == -signal.SIGKILL
    assert list(temporary.iterdir()) == []
    assert (tmp_path / "site.sqlite3").read_bytes() == site


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        pytest.param("corpus.jsonl", None, "corpus.jsonl cannot be read", id="missing"),
        pytest.param("corpus.jsonl", "", "corpus.jsonl is empty", id="empty"),
        pytest.param("corpus.jsonl", "{}\n", "line 1: no “_id”", id="no-id"),
        pytest.param("corpus.jsonl", "{nope\n", "line 1: no JSON", id="no-json"),
        pytest.param("corpus.jsonl", "[1]\n", "line 1: no JSON object", id="list"),
        pytest.param(
            "corpus.jsonl", '{"_id": "a"}\n', "line 1: “text” is no text", id="no-text"
        ),
        pytest.param(
            "queries.jsonl",
            lines([QUERIES[0], QUERIES[0]]),
            "line 2: an “_id” that another line has",
            id="double-id",
        ),
        pytest.param("qrels.tsv", "q1 oil 1\n", "line 1: not three", id="spaces"),
        pytest.param(
            "qrels.tsv", "q1\toil\t1\nq1\toil\thigh\n", "line 2: the score", id="score"
        ),
        pytest.param("qrels.tsv", "q9\toil\t1\n", "No question", id="nothing-judged"),
        pytest.param("qrels.tsv", b"\xff\xfe", "is no UTF-8 text", id="encoding"),
        pytest.param(
            "corpus.jsonl",
            lines([{"_id": "x" * 300, "text": "words"}]),
            "Pages that cannot be indexed: 1",
            id="id-too-long",
        ),
        pytest.param(
            "corpus.jsonl",
            '{"_id": "a\\ud800", "text": "words"}',
            "line 1: half a character",
            id="half-a-character",
        ),
        pytest.param(
            "queries.jsonl",
            '{"_id": "q1", "text": "words", "lang": "\\uDC00"}',
            "line 1: half a character",
            id="half-a-character-of-a-language",
        ),
    ],
)
def test_a_bad_file_is_named_with_its_line(db, folder, name, text, message):
    path = folder / name
    path.unlink()
    if isinstance(text, str):
        path.write_text(text, encoding="utf-8")
    elif text is not None:
        path.write_bytes(text)
    code, printed = measure(folder)
    assert code == 2
    assert message in printed


def test_lines_that_count_for_nothing_are_warned_of(db, folder):
    with (folder / "qrels.tsv").open("a") as file:
        file.write("q1\tgone\t1\nq9\toil\t1\n")
    with (folder / "queries.jsonl").open("a") as file:
        file.write(lines([{"_id": "q4", "text": "unjudged", "lang": "en"}]))
    code, printed = measure(folder)
    assert code == 0
    for words in ("left out: 1", "not there, left out: 1", "never found: 1"):
        assert words in printed


@pytest.mark.parametrize(
    "args",
    [
        pytest.param([], id="nothing"),
        pytest.param(["DIR", "--golden", "FILE"], id="both"),
        pytest.param(["DIR", "--fail-under", "ndcg@5=.2"], id="unknown-measure"),
        pytest.param(["DIR", "--fail-under", "ndcg@10=72"], id="percent"),
        pytest.param(["DIR", "--retriever", "nobody"], id="unknown-retriever"),
        pytest.param(["DIR", "--profile", "nobody"], id="unknown-profile"),
        pytest.param(["DIR", "--site", "nowhere"], id="unknown-site"),
    ],
)
def test_what_cannot_be_meant_is_an_error(db, folder, args):
    assert measure(*(folder if arg == "DIR" else arg for arg in args))[0] == 2


def golden(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def shop(site):
    SiteSettingsFactory(base_url="https://shop.example")
    save("kettle", "Copper kettle", "A kettle of copper.")
    save("pan", "Iron pan", "A pan.")
    save("secret", "Copper secret", "copper", readers="staff")
    return site


CSV = (
    "question,url\n"
    "copper kettle,/pages/kettle/\n"
    '"pan, iron",https://shop.example/pages/pan/#handle\n'
)
JSONL = (
    '{"question": "copper kettle", "url": "/pages/kettle/"}\n'
    '{"question": "pan, iron", "url": ["/pages/pan/", "/pages/none/"]}\n'
)


@pytest.mark.parametrize(
    ("name", "text", "recall"), [("g.csv", CSV, 1), ("g.jsonl", JSONL, 0.75)]
)
def test_a_sites_own_questions_are_asked_of_its_own_index(
    shop, tmp_path, name, text, recall
):
    found = told("--golden", golden(tmp_path, name, text))
    assert (found["mrr@10"], found["recall@30"]) == (1, recall)
    assert (found["documents"], found["passages"]) == (3, 3)


def test_a_page_that_is_not_first_is_named_by_its_line(shop, tmp_path):
    text = CSV + "copper,/pages/secret/\nA pan of copper,/pages/pan/\n"
    code, printed = measure("--golden", golden(tmp_path, "g.csv", text))
    assert code == 0
    assert "line 4: https://shop.example/pages/secret/: not found" in printed
    assert "pan of copper" not in printed


def test_addresses_of_one_question_all_answer_it(shop, tmp_path):
    text = "question,url\npan,/pages/kettle/\npan,/pages/pan/\n"
    found = told("--golden", golden(tmp_path, "g.csv", text))
    assert (found["questions"], found["mrr@10"]) == (1, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "no", id="empty"),
        pytest.param("frage,url\na,/b/\n", "not named", id="columns"),
        pytest.param("question,url\n,/b/\n", "no “question”", id="no-question"),
        pytest.param("question,url\nwho?\n", "no “url”", id="no-url"),
        pytest.param("question,url\n", "holds no question", id="header-only"),
        pytest.param("question,url\nwho?,//[x\n", "line 2: a “url”", id="address"),
        pytest.param(
            "\nquestion,url\n\n\nwho?,/a/\n\nwho?\n", "line 7: no", id="blank-lines"
        ),
    ],
)
def test_a_bad_file_of_questions_is_refused(shop, tmp_path, text, message):
    code, printed = measure("--golden", golden(tmp_path, "g.csv", text))
    assert code == 2
    assert message in printed


def test_no_handler_hears_of_measured_questions(shop, tmp_path, settings):
    from nlweb_ask.plugins import handlers

    heard = []

    class Listening:
        name = "listening"

        def handle(self, question, outcome):
            heard.append(outcome)

    handlers.register(Listening)
    settings.NLWEB_ASK = {"HANDLERS": ["listening"]}
    try:
        told("--golden", golden(tmp_path, "g.csv", CSV))
    finally:
        handlers.unregister("listening")
    assert heard == []


def test_a_retriever_that_fails_is_an_error_and_no_bad_figure(db, folder):
    from nlweb_ask.plugins import retrievers

    class Broken:
        name = "broken"

        def retrieve(self, question, scope, *, limit):
            raise RuntimeError

    retrievers.register(Broken)
    try:
        code, _printed = measure(folder, "--retriever", "broken")
    finally:
        retrievers.unregister("broken")
    assert code == 2
