"""`make test` says what ran, and can be told to leave nothing out."""

from __future__ import annotations

import importlib.util
import socket
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REPORT = """<testsuites><testsuite>
<testcase classname="tests.a" name="test_ran"/>
<testcase classname="tests.a" name="test_broken"><failure message="no"/></testcase>
<testcase classname="tests.a" name="test_left"><skipped type="pytest.skip" message="no lamp"/></testcase>
<testcase classname="tests.a" name="test_known"><skipped type="pytest.xfail" message="known"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture(scope="module")
def matrix():
    spec = importlib.util.spec_from_file_location(
        "test_matrix", ROOT / ".ci" / "test_matrix.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["test_matrix"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["test_matrix"]


def test_report_tells_what_ran_what_failed_and_what_was_skipped(matrix, tmp_path):
    report = tmp_path / "report.xml"
    report.write_text(REPORT, encoding="utf-8")
    ran, failed, skipped = matrix.read_report(report)
    assert ran == {"tests.a::test_ran", "tests.a::test_known", "tests.a::test_broken"}
    assert failed == {"tests.a::test_broken"}
    assert skipped == {"tests.a::test_left": "no lamp"}


def test_summary_counts_what_passed_was_skipped_and_failed(matrix):
    part = matrix.Verdict(
        part="SQLite",
        word="FAILED",
        seconds=9,
        ran=frozenset("abc"),
        failed=frozenset("c"),
        skipped={"d": "no lamp"},
    )
    [line] = [row for row in matrix.summary([part]).splitlines() if "SQLite" in row]
    assert line.split()[2:] == "9 s 2 passed 1 skipped 1 failed".split()


def test_skipped_test_that_ran_elsewhere_is_no_complaint(matrix):
    verdicts = [
        matrix.Verdict(part="SQLite", word="passed", skipped={"a": "no threads"}),
        matrix.Verdict(part="PostgreSQL", word="passed", ran=frozenset("a")),
    ]
    assert matrix.complaints(verdicts, strict=True) == []


@pytest.mark.parametrize(
    ("word", "skipped", "strict", "complaints"),
    [
        pytest.param("passed", {}, True, [], id="passed-is-no-complaint"),
        pytest.param("FAILED", {}, False, ["Redis failed"], id="failed-always-is"),
        pytest.param("not run", {}, False, [], id="missing-server-is-allowed"),
        pytest.param(
            "not run",
            {},
            True,
            ["Redis did not run"],
            id="missing-server-when-required",
        ),
        pytest.param("passed", {"a": "why"}, False, [], id="skipped-test-is-allowed"),
        pytest.param(
            "passed",
            {"a": "why"},
            True,
            ["1 skipped everywhere"],
            id="skipped-test-when-required",
        ),
    ],
)
def test_complaints(matrix, word, skipped, strict, complaints):
    verdict = matrix.Verdict(part="Redis", word=word, skipped=skipped)
    assert matrix.complaints([verdict], strict=strict) == complaints


def test_port_that_nobody_listens_on_does_not_answer(matrix):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert not matrix.answers(taken.getsockname()[1])
        taken.listen()
        assert matrix.answers(taken.getsockname()[1])


@pytest.mark.parametrize("jobs", [1, 2])
def test_parts_at_a_time_give_the_verdicts_in_their_order(
    matrix, monkeypatch, capfd, jobs
):
    parts = [
        matrix.Part(name="first", arguments=["--version"]),
        matrix.Part(name="absent", arguments=[], lacks=lambda: "no lamp"),
        matrix.Part(name="broken", arguments=["--no-such-option"]),
    ]
    monkeypatch.setattr(matrix, "parts", lambda: parts)
    monkeypatch.setattr(sys, "argv", ["test_matrix.py"])
    verdicts = matrix.run_all(jobs)
    assert [(verdict.part, verdict.word) for verdict in verdicts] == [
        ("first", "passed"),
        ("absent", "not run"),
        ("broken", "FAILED"),
    ]
    [line] = [row for row in matrix.summary(verdicts).splitlines() if "absent" in row]
    assert line.startswith("not run")
    assert line.endswith("no lamp")
    said = capfd.readouterr()
    assert "=== first ===" in said.out
    assert "--no-such-option" in said.out + said.err
