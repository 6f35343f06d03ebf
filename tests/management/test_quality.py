"""Search quality on a part of the smallest collection; `make quality` measures all."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import call_command

from tests.quality import COLLECTIONS

SMALLEST = COLLECTIONS / "stackfaq"
EVERY = 8


@pytest.fixture
def part(tmp_path):
    """All pages, and every eighth question."""
    questions = (SMALLEST / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "queries.jsonl").write_text(
        "\n".join(questions[::EVERY]), encoding="utf-8"
    )
    for name in ("corpus.jsonl", "qrels.tsv"):
        (tmp_path / name).write_bytes((SMALLEST / name).read_bytes())
    return tmp_path


def test_paraphrased_questions_find_their_pages(db, part):
    out = io.StringIO()
    call_command("nlweb_eval", str(part), "--json", stdout=out, stderr=io.StringIO())
    told = json.loads(out.getvalue())
    assert (told["documents"], told["questions"]) == (125, 157)
    assert told["ndcg@10"] >= 0.86
    assert told["recall@30"] >= 0.96
