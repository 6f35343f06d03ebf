"""Proving on a site's own index that what is hidden does not show; and that it can fail."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import connection, connections, router

from nlweb_ask.index.merge import merge
from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.management.proving import duel
from nlweb_ask.management.proving.copies import copied
from nlweb_ask.management.proving.questions import made_questions
from nlweb_ask.models import (
    AccessGrant,
    Change,
    Document,
    Grantee,
    IndexState,
    Passage,
    Posting,
    Segment,
)
from nlweb_ask.plugins import (
    Candidate,
    IndexUnavailable,
    Question,
    handlers,
    processors,
    rankers,
    retrievers,
    sources,
)
from nlweb_ask.retrievers.keyword import KeywordRetriever
from tests.asking import ask
from tests.factories import (
    IndexProfileFactory,
    SiteSettingsFactory,
    StaffFactory,
    SuperuserFactory,
    UserFactory,
)
from tests.management.running import run_command
from tests.management.temporary import wait_for_a_temporary_database
from tests.site_in_memory import save

pytestmark = pytest.mark.servers

ROOT = Path(__file__).parents[2]
INDEX = (Document, Passage, Change, Segment, Posting, IndexState)
PRIVATE = ("gearwheel", "sextant", "Staff")


@pytest.fixture
def shop(site):
    """Eight public pages, one for members and three for staff."""
    SiteSettingsFactory(base_url="https://shop.example", max_results=4)
    # The row that a migration makes is gone after a test that empties the tables.
    AccessGrant.objects.get_or_create(profile=None, kind=Grantee.EVERYONE)
    for number in range(8):
        save(f"p{number}", f"Kettle {number}", "copper kettle " * (number + 1))
    save("m", "Members kettle", "sextant kettle", readers="members")
    for number in range(3):
        save(f"s{number}", f"Staff kettle {number}", "gearwheel " * 9, readers="staff")
    return site


def prove(*args: object) -> tuple[int, str]:
    return run_command("nlweb_prove", *args)


def told(*args: object) -> dict:
    """Run the command; return the object that it printed."""
    _code, printed = prove(*args, "--json")
    return json.loads(printed)


def causes(found: dict) -> list[list[str]]:
    return [
        [cause["object_id"] for cause in difference["causes"]]
        for difference in found["differences"]
    ]


def rows() -> list[list[dict]]:
    return [list(table.objects.order_by("pk").values()) for table in INDEX]


@contextmanager
def plugged_in(registry, plugin):
    registry.register(plugin)
    try:
        yield
    finally:
        registry.unregister(plugin.name)


class Leaking(KeywordRetriever):
    """Finds the right pages, with a score that tells more than it should."""

    name = "leaking"

    def leak(self, question: Question) -> float:
        raise NotImplementedError

    def retrieve(self, question, scope, *, limit):
        found = super().retrieve(question, scope, limit=limit)
        more = self.leak(question)
        return [
            Candidate(
                source=hit.source,
                object_id=hit.object_id,
                language=hit.language,
                passage=hit.passage,
                score=hit.score + more,
            )
            for hit in found
        ]


@pytest.fixture
def leaking(shop, settings):
    """Let a site search with a retriever that leaks what a function tells."""

    @contextmanager
    def leak(tells):
        class Leak(Leaking):
            def leak(self, question):
                return float(tells(question))

        settings.NLWEB_ASK = {"RETRIEVERS": ["leaking"]}
        with plugged_in(retrievers, Leak):
            yield

    return leak


@pytest.mark.parametrize(
    ("viewer", "hidden"), [("anonymous", 4), ("member", 3), ("boss", 0)]
)
def test_what_is_hidden_changes_no_answer_of_a_right_site(shop, viewer, hidden):
    UserFactory(username="member")
    StaffFactory(username="boss")
    found = told("--as", viewer, "--count", 40)
    assert (found["documents"], found["hidden_documents"]) == (12, hidden)
    assert found["questions"] == (40 if hidden else 0)
    assert found["answers"] == found["questions"] * 3
    assert (found["differing"], found["failed"]) == (0, 0)


def test_the_summary_says_what_was_asked_and_exit_code_is_zero(shop):
    merge(0)
    assert prove("--count", 8) == (
        0,
        (
            "As anonymous: 8 questions, 24 answers, 4 of 12 documents hidden, 0 answers "
            "differ.\n"
        ),
    )


def test_a_score_that_counts_all_documents_is_named(leaking):
    with leaking(lambda _question: Document.objects.count()):
        code, printed = prove("--count", 4)
        found = told("--count", 4)
    assert code == 1
    assert "results[1].score" in printed
    assert "because of memory m en" in printed
    assert found["differing"] > 0
    assert all(causes(found)[:10])


def test_the_one_document_that_shows_is_named(leaking):
    def longest(_question):
        texts = Passage.objects.filter(text__contains="gearwheel")
        return 7 if texts.filter(document__object_id="s1").exists() else 0

    with leaking(longest):
        found = told("--count", 4)
    assert {tuple(names) for names in causes(found)} == {("s1",)}
    first = found["differences"][0]
    assert first["causes"][0]["source"] == "memory"
    assert first["causes"][0]["language"] == "en"


def test_two_documents_that_only_show_together_are_both_named(leaking):
    def either(_question):
        return 7 * Document.objects.filter(object_id__in=["m", "s2"]).exists()

    with leaking(either):
        found = told("--count", 4)
    assert {tuple(sorted(names)) for names in causes(found)} == {("m", "s2")}


def test_an_order_that_tells_of_hidden_pages_is_found(shop, settings):
    class Telling:
        name = "telling"

        def rank(self, question, results):
            hidden = Document.objects.filter(public=False).exists()
            return list(reversed(results)) if hidden else results

    settings.NLWEB_ASK = {"RANKERS": ["telling"]}
    with plugged_in(rankers, Telling):
        code, printed = prove("--count", 4)
    assert code == 1
    assert "results[0], results[1]" in printed


def test_a_member_is_told_from_one_who_may_see_less(leaking):
    UserFactory(username="member")
    with leaking(lambda _question: Document.objects.count()):
        assert "m" not in {i for of in causes(told("--as", "member")) for i in of}


def test_a_page_that_the_index_takes_for_public_is_named_with_what_to_do(shop):
    shop.pages["p7"].readers = "staff"  # by a way that nobody watches
    code, printed = prove("--count", 16)
    assert code == 1
    assert "because of memory p7 en" in printed
    assert "nlweb_index" in printed
    refresh_objects("memory", ["p7"])
    assert prove("--count", 16)[0] == 0


def test_no_word_of_a_page_or_a_question_is_printed(leaking, tmp_path, caplog):
    with leaking(lambda _question: Document.objects.count()):
        printed = prove("--count", 24, "-v", 2)[1]
        printed += prove("--count", 24, "--json")[1]
        path = tmp_path / "questions.txt"
        path.write_text("gearwheel kettle\nWhere is the sextant?\n")
        printed += prove("--questions", path)[1]
    for word in (*PRIVATE, "kettle", "Kettle", "copper"):
        assert word not in printed + caplog.text


def test_questions_of_a_file_are_asked_and_named_by_their_line(leaking, tmp_path):
    path = tmp_path / "questions.txt"
    path.write_text('zeppelins\n\n{"query": {"text": "kettle"}}\nkettle\n')
    with leaking(lambda _question: Document.objects.count()):
        found = told("--questions", path)
    assert (found["questions"], found["answers"]) == (3, 9)
    assert {difference["question"] for difference in found["differences"]} == {3, 4}


def test_a_question_that_says_how_many_results_it_wants_is_asked_as_it_is(
    shop, tmp_path
):
    path = tmp_path / "questions.jsonl"
    path.write_text('{"query": {"text": "kettle", "num_results": 2}}\n')
    assert told("--questions", path)["answers"] == 1


def test_each_profile_is_asked_or_the_one_that_is_named(shop):
    IndexProfileFactory(name="one")
    IndexProfileFactory(name="two")
    whole_site_too = 3
    assert told("--count", 2)["answers"] == 2 * whole_site_too * 3
    assert told("--count", 2, "--profile", "two")["answers"] == 2 * 3


def test_another_seed_asks_other_questions(shop):
    asked = []

    class Listening:
        name = "listening"

        def process(self, question, viewer):
            asked[-1].append(question.text)
            return question

    with plugged_in(processors, Listening):
        from django.test import override_settings

        with override_settings(NLWEB_ASK={"PROCESSORS": ["listening"]}):
            for seed in (1, 1, 2):
                asked.append([])
                prove("--seed", seed, "--count", 8)
    assert asked[0] == asked[1] != asked[2]


def test_hidden_words_types_and_mistyped_words_are_asked_for(shop):
    shop.pages["s0"].type = "Recipe"
    refresh_objects("memory", ["s0"])
    hidden = list(Document.objects.filter(public=False).order_by("pk"))
    visible = list(Document.objects.filter(public=True).order_by("pk"))
    made = [one.question for one in made_questions(hidden, visible, number=80, seed=0)]
    texts = {question.text for question in made}
    assert {"gearwheel", "Staff kettle 0"} <= texts
    assert {question.item_type for question in made} == {None, "Article", "Recipe"}
    assert any(sorted(text) == sorted("gearwheel") for text in texts - {"gearwheel"})


def test_the_index_stays_as_it_is_and_nothing_is_left(leaking):
    merge(0)
    save("late", "Late kettle", "sextant", readers="staff")
    before, routers = rows(), list(router.routers)
    with leaking(lambda _question: Document.objects.count()):
        assert prove("--count", 4)[0] == 1
    assert rows() == before
    assert router.routers == routers
    assert not hasattr(connections._connections, "nlweb_ask_aside")


def test_no_handler_hears_of_it_and_no_flag_is_mended(shop, settings):
    heard = []

    class Hearing:
        name = "hearing"

        def handle(self, question, outcome):
            heard.append(outcome)

    shop.pages["p7"].readers = "staff"
    settings.NLWEB_ASK = {"HANDLERS": ["hearing"]}
    with plugged_in(handlers, Hearing):
        prove("--count", 4)
    assert heard == []
    assert Document.objects.get(object_id="p7").public


def test_pages_of_a_source_that_is_registered_no_more_are_hidden(shop):
    sources.unregister("memory")
    try:
        assert told("--count", 4)["hidden_documents"] == 12
    finally:
        sources.register(type(shop))


def test_nothing_hidden_is_nothing_to_prove(site):
    save("a", "Kettle", "copper")
    assert prove() == (
        0,
        "Nothing is hidden from anonymous: there is nothing to prove.\n",
    )


def test_of_a_superuser_is_hidden_what_the_sources_say(shop):
    SuperuserFactory(username="root")
    assert prove("--as", "root", "--count", 2)[0] == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param(["--as", "nobody"], "no user 'nobody'", id="unknown-user"),
        pytest.param(["--as", "gone"], "not active", id="inactive-user"),
        pytest.param(["--profile", "x"], "no profile 'x'", id="unknown-profile"),
        pytest.param(["--site", "x"], "no site 'x'", id="unknown-site"),
        pytest.param(["--count", 0], "from 1", id="count"),
        pytest.param(["--questions", "gone.txt"], "cannot be read", id="no-file"),
    ],
)
def test_what_cannot_be_meant_is_an_error(shop, args, message):
    UserFactory(username="gone", is_active=False)
    code, printed = prove(*args)
    assert code == 2
    assert message in printed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "holds no question", id="empty"),
        pytest.param('kettle\n{"query": \n', "line 2: ", id="no-json"),
        pytest.param("kettle\n" + "x" * 2000, "line 2: ", id="too-long"),
    ],
)
def test_a_bad_file_is_named_with_its_line(shop, tmp_path, text, message):
    path = tmp_path / "questions.txt"
    path.write_text(text)
    code, printed = prove("--questions", path)
    assert code == 2
    assert message in printed


def test_an_empty_index_says_what_to_run(db):
    code, printed = prove()
    assert code == 2
    assert "nlweb_index" in printed


def test_a_source_that_cannot_tell_is_named(shop, monkeypatch):
    def broken(viewer, object_ids):
        msg = "gearwheel"
        raise RuntimeError(msg)

    monkeypatch.setattr(sources.get("memory"), "visible_ids", broken)
    code, printed = prove()
    assert code == 2
    assert "'memory'" in printed
    assert "gearwheel" not in printed


def test_answers_that_fail_alike_prove_nothing(shop, settings):
    class Broken:
        name = "broken"

        def retrieve(self, question, scope, *, limit):
            raise RuntimeError

    settings.NLWEB_ASK = {"RETRIEVERS": ["keyword", "broken"]}
    with plugged_in(retrievers, Broken):
        code, printed = prove("--count", 4)
    assert code == 2
    assert "failed: 24" in printed


def test_an_answer_that_differs_once_only_is_told_as_such(leaking):
    told_of = iter(range(10**6))
    with leaking(lambda _question: next(told_of) if next(told_of) < 40 else 0):
        code, printed = prove("--count", 8)
    assert code == 1
    assert "did the site change meanwhile" in printed


def test_a_run_that_is_interrupted_says_so_and_leaves_nothing(shop, monkeypatch):
    def interrupted(*_args):
        raise KeyboardInterrupt

    before, routers = rows(), list(router.routers)
    monkeypatch.setattr(duel, "rehearsed", interrupted)
    assert prove() == (130, "Stopped; nothing is left of it.\n")
    assert rows() == before
    assert router.routers == routers


def write(_done: int, _expected: int) -> None:
    Change.objects.using("default").create(
        site_id=0, document_id=1, token=1, kind=Change.Kind.WITHDRAWN
    )


def test_an_index_that_changes_while_it_is_copied_is_copied_again(shop):
    writing = iter([write])
    with copied(0, lambda *rows: next(writing, lambda *_: None)(*rows)):
        assert Change.objects.count() == Change.objects.using("default").count() == 13


def test_an_index_that_never_stays_as_it_is_cannot_be_copied(shop):
    pages = Document.objects.count()

    def write_once_a_time(done: int, expected: int) -> None:
        if done == pages:
            write(done, expected)

    with (
        pytest.raises(IndexUnavailable, match="too often"),
        copied(0, write_once_a_time),
    ):
        pass


@pytest.mark.skipif(
    os.environ.get("DATABASE", "sqlite") == "sqlite",
    reason="threads cannot share an SQLite database in memory; processes do below",
)
@pytest.mark.django_db(transaction=True)
def test_a_question_in_another_thread_sees_nothing_of_it(shop, settings):
    answers, before = [], ask("kettle").items

    class Asking(Leaking):
        name = "asking"

        def leak(self, question):
            thread = threading.Thread(target=asked_elsewhere)
            thread.start()
            thread.join()
            return 0.0

    def asked_elsewhere():
        answers.append((ask("kettle").items, Document.objects.count()))
        connection.close()

    settings.NLWEB_ASK = {"RETRIEVERS": ["asking"]}
    with plugged_in(retrievers, Asking):
        code, output = run_command("nlweb_prove", "--count", 2)
    assert (code, "in a thread of its own" in output) == (2, True)
    assert len(answers) == 12
    assert all(answer == (before, 12) for answer in answers)


SITE = """
import django; django.setup()
from tests.factories import SiteSettingsFactory
from tests.testapp.models import Article
SiteSettingsFactory()
for number in range(300):
    Article(
        title=f"Kettle {number}", body=f"word{number} " * 200, members_only=number % 2
    ).save()
"""
SAVE = """
import django; django.setup()
from tests.testapp.models import Article
Article.objects.first().save()
"""


def test_a_run_that_is_killed_leaves_nothing_and_keeps_no_save_waiting(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    path = tmp_path / "site.sqlite3"
    environment = {
        **os.environ,
        "SQLITE_PATH": str(path),
        "DATABASE": "sqlite",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(temporary),
        "SQLITE_TMPDIR": str(temporary),
    }

    def run(*arguments: str) -> None:
        whole = [sys.executable, *arguments]
        subprocess.run(whole, env=environment, check=True, cwd=ROOT)

    run("manage.py", "migrate", "--run-syncdb", "-v0")
    run("-c", SITE)
    proving = [sys.executable, "manage.py", "nlweb_prove", "--count", "1000"]
    with subprocess.Popen(proving, env=environment, cwd=ROOT) as running:
        try:
            wait_for_a_temporary_database(running.pid, temporary)
            running.send_signal(signal.SIGSTOP)
            run("-c", SAVE)
            before = dump(path)
        finally:
            running.send_signal(signal.SIGKILL)
    assert running.returncode == -signal.SIGKILL
    assert list(temporary.iterdir()) == []
    assert dump(path) == before


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as rows:
        return list(rows.iterdump())


def test_the_anonymous_viewer_is_no_user_of_that_name(shop):
    UserFactory(username="anonymous")
    assert told("--as", "anonymous", "--count", 2)["hidden_documents"] == 4


class CountsInAThread:
    """Lets what is hidden into its answers, and reads the index where no copy is seen."""

    name = "counting"

    def process(self, question, viewer):
        with ThreadPoolExecutor(1) as pool:
            number = pool.submit(self._count).result()
        return replace(question, decontextualized_query=f"{question.text} {number}")

    def _count(self):
        try:
            return Document.objects.count()
        finally:
            connections.close_all()


@pytest.mark.skipif(
    os.environ.get("DATABASE", "sqlite") == "sqlite",
    reason="threads cannot share an SQLite database in memory; servers have it",
)
@pytest.mark.django_db(transaction=True)
def test_a_plug_in_that_reads_the_index_in_a_thread_is_not_proved_to_be_tight(
    shop, settings
):
    processors.register(CountsInAThread)
    try:
        settings.NLWEB_ASK = {**settings.NLWEB_ASK, "PROCESSORS": ["counting"]}
        code, output = run_command("nlweb_prove", "--count", 3)
    finally:
        processors.unregister("counting")
    assert code == 2
    assert "in a thread of its own" in output


def test_an_empty_name_of_a_file_is_no_reason_to_make_questions_up(shop):
    code, output = run_command("nlweb_prove", "--questions", "")
    assert code == 2
    assert "differ" not in output


@pytest.mark.parametrize(
    "command", [("nlweb_prove", "--as"), ("nlweb_ask", "kettle", "--user")]
)
def test_a_name_that_is_no_text_is_nobody(shop, command):
    code, output = run_command(*command, "\udcff")
    assert code == 2
    assert "no user" in output
