"""One collection: index it, ask its questions, and ask again without their pages.

Prints what it measured as JSON.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from nlweb_ask.conf import (  # noqa: E402
    ProfileConf,
    RetrieverChoice,
    SiteConf,
    site_conf,
)
from nlweb_ask.generators.extractive import ExtractiveGenerator  # noqa: E402
from nlweb_ask.index.aside import index_aside  # noqa: E402
from nlweb_ask.index.merge import merge  # noqa: E402
from nlweb_ask.index.reading import one_moment  # noqa: E402
from nlweb_ask.index.refresh import refresh_objects  # noqa: E402
from nlweb_ask.index.spelling import with_corrections  # noqa: E402
from nlweb_ask.management.measuring.collection import (  # noqa: E402
    SOURCE_NAME,
    Asked,
    Page,
    read_collection,
    source_of,
)
from nlweb_ask.pipeline.ask import AskScope, search  # noqa: E402
from nlweb_ask.pipeline.receipts import grounded  # noqa: E402
from nlweb_ask.pipeline.scope import search_scopes  # noqa: E402
from nlweb_ask.plugins import (  # noqa: E402
    Deadline,
    Question,
    Result,
    Sentence,
    sources,
)
from nlweb_ask.retrievers.keyword import KeywordRetriever  # noqa: E402
from nlweb_ask.sources.viewers import anonymous_viewer  # noqa: E402
from tests.answers.receipt_checker import receipts_that_fail  # noqa: E402

SITE = 0
AT_ONCE = 100
REMOVED = 200
FIRST = 5
WARM = 30
NOT_ANSWERED = "The site does not seem to answer this."


@dataclass(frozen=True)
class Told:
    """What a question was answered with."""

    is_answered: bool
    is_among_first: bool  # a judged page among the first five results
    is_cited: bool
    sentences: int
    receipts: int
    failing: int  # receipts whose words do not stand where they are said to
    marked: int
    search_cpu: float  # seconds; without rights and texts
    whole_cpu: float  # with them
    generate_cpu: float


class Asker:
    """Asks as an anonymous visitor does, and looks at the clock of the processor."""

    def __init__(self, conf: SiteConf, profile: ProfileConf) -> None:
        self.scope = AskScope(conf=conf, profiles=(profile,))
        self.viewer = anonymous_viewer(SITE)
        self.generator = ExtractiveGenerator()
        self.retriever = KeywordRetriever()

    def __call__(self, asked: Asked) -> Told:
        question = Question(text=asked.text, mode="generate")
        began = time.process_time()
        question = self.searched(question)
        found = time.process_time()
        results, _trace = search(question, self.viewer, self.scope)
        loaded = time.process_time()
        written = self.written(question, results)
        ended = time.process_time()
        contents = [grounded(sentence, results, SITE) for sentence in written]
        receipts, failing = receipts_that_fail(contents)
        cited = {cited.url for sentence in written for cited in sentence.citations}
        judged = [r for r in results if r.reference.object_id in asked.judged]
        text = "".join(sentence.text for sentence in written)
        return Told(
            is_answered=bool(written) and not text.startswith(NOT_ANSWERED),
            is_among_first=any(result in judged for result in results[:FIRST]),
            is_cited=any(result.url in cited for result in judged),
            sentences=len(written),
            receipts=receipts,
            failing=failing,
            marked=sum(bool(content.marks) for content in contents),
            search_cpu=found - began,
            whole_cpu=loaded - found,
            generate_cpu=ended - loaded,
        )

    def searched(self, question: Question) -> Question:
        """Take the search step, without rights and texts; return what was asked."""
        with one_moment():
            scopes = search_scopes(question, self.viewer, self.scope)
            question = with_corrections(question, scopes[0])
            self.retriever.retrieve(question, scopes[0], limit=10)
        return question

    def written(
        self, question: Question, results: Sequence[Result]
    ) -> Sequence[Sentence]:
        deadline = Deadline(at=time.monotonic() + 60, stop=threading.Event())
        return list(self.generator.generate(question, results, deadline))


def main(folder: Path) -> dict[str, Any]:
    call_command("migrate", verbosity=0)
    collection = read_collection(folder)
    pages = dict(collection.pages)
    with offered(pages), index_aside():
        names = list(pages)
        for begin in range(0, len(names), AT_ONCE):
            refresh_objects(SOURCE_NAME, names[begin : begin + AT_ONCE])
        merge(SITE)
        # What indexing left is cleared away at the cost of no question.
        gc.collect()
        asker = made_asker()
        for asked in collection.questions[:WARM]:
            asker(asked)
        there = [asker(asked) for asked in collection.questions]
        gone = list(asked_without_pages(asker, collection.questions, pages))
    return figures(there, gone)


def made_asker() -> Asker:
    conf = replace(site_conf(SITE), allowed_types=(), base_url="https://site.example")
    profile = ProfileConf(
        name="measured",
        sources=(SOURCE_NAME,),
        retrievers=(RetrieverChoice(name="keyword"),),
        fusion="weighted",
    )
    return Asker(conf, profile)


@contextmanager
def offered(pages: dict[str, Page]) -> Iterator[None]:
    sources.register(source_of(pages))
    try:
        yield
    finally:
        sources.unregister(SOURCE_NAME)


def asked_without_pages(
    asker: Asker, questions: Sequence[Asked], pages: dict[str, Page]
) -> Iterator[Told]:
    """Ask some of the questions, each while its own pages are not there."""
    chosen = list(questions)
    random.Random(7).shuffle(chosen)
    for asked in chosen[:REMOVED]:
        gone = {name: pages.pop(name) for name in asked.judged if name in pages}
        refresh_objects(SOURCE_NAME, list(gone))
        yield asker(asked)
        pages.update(gone)
        refresh_objects(SOURCE_NAME, list(gone))


def figures(there: Sequence[Told], gone: Sequence[Told]) -> dict[str, Any]:
    first = [told for told in there if told.is_among_first]
    answered = [told for told in there if told.is_answered]
    return {
        "questions": len(there),
        "in first five": len(first),
        "without page": len(gone),
        "cited": mean(told.is_cited for told in first),
        "cited in an answer": mean(
            told.is_cited and told.is_answered for told in first
        ),
        "refused": mean(not told.is_answered for told in there),
        "refused of first five": mean(not told.is_answered for told in first),
        "refused without page": mean(not told.is_answered for told in gone),
        "sentences": mean(told.sentences for told in answered),
        "receipts": sum(told.receipts for told in (*there, *gone)),
        "receipts that fail": sum(told.failing for told in (*there, *gone)),
        "marked of all sentences": sum(told.marked for told in answered)
        / sum(told.sentences for told in answered),
        "search_ms": 1000 * mean(told.search_cpu for told in there),
        "search with texts_ms": 1000 * mean(told.whole_cpu for told in there),
        "generate_ms": 1000 * mean(told.generate_cpu for told in there),
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))  # noqa: T201
