"""Eight threads that close pages and ask: what was closed is gone from the next question.

A page counts as closed from the moment its closing is committed until somebody begins to
open it again; a question that begins and ends within that time must not show it, whoever
closed it. `PROVE_REVOCATIONS=10000` closes so many.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.db import OperationalError, connections, transaction
from django.utils import timezone

from nlweb_ask.index.merge import merge
from tests.asking import ANONYMOUS, ask, make_scope
from tests.factories import GroupFactory, UserFactory
from tests.rights.sites import COMMON, bulletins_registered, publish
from tests.testapp.models import Bulletin

DATABASE = os.environ.get("DATABASE", "sqlite")
IN_CI = {"postgresql": "400"}.get(DATABASE, "80")
REVOCATIONS = int(os.environ.get("PROVE_REVOCATIONS", IN_CI))
THREADS = 8
PAGES = 3  # of each thread
DELETED_LOOKED_FOR = 20  # of each thread, those deleted last
SECONDS = 30 + REVOCATIONS
HIDDEN, SHOWN, UNDECIDED = "hidden", "shown", "undecided"

pytestmark = [
    pytest.mark.servers,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        DATABASE == "sqlite",
        reason="the threads of one process cannot share an SQLite database in memory",
    ),
]


@dataclass
class Board:
    """Which page is hidden from whom at this moment, and how often that has changed."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    states: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    judged: dict[str, int] = field(default_factory=lambda: {HIDDEN: 0, SHOWN: 0})
    errors: list[BaseException] = field(default_factory=list)

    def note(self, address: str, state: str, *people: str) -> None:
        with self.lock:
            for person in people:
                changes, _state = self.states.get((address, person), (0, ""))
                self.states[address, person] = changes + 1, state

    def forget(self, address: str) -> None:
        """Look for a page no more: each that is kept costs every question."""
        with self.lock:
            for person in [who for page, who in self.states if page == address]:
                del self.states[address, person]

    def of(self, person: str) -> dict[str, tuple[int, str]]:
        with self.lock:
            return {page: s for (page, who), s in self.states.items() if who == person}

    def judge(self, person: str, user: object) -> None:
        """Ask, and compare with what held from the beginning to the end of asking."""
        before = self.of(person)
        answer = ask(COMMON, user, SCOPE)
        after = self.of(person)
        assert answer.failure is None
        told = str(answer.items)
        for address, (changes, state) in before.items():
            if state == UNDECIDED or after.get(address) != (changes, state):
                continue
            with self.lock:
                self.judged[state] += 1
            assert (address in told) == (state == SHOWN), (person, address, state)


def scope_of_bulletins():
    scope = make_scope(max_results=100)
    profile = replace(scope.profiles[0], sources=("bulletins",))
    return replace(scope, profiles=(profile,))


SCOPE = scope_of_bulletins()
BOTH = ("anonymous", "reader")


@dataclass
class Editor:
    """One thread: its pages, and a reader who is in a group of their own."""

    number: int
    board: Board
    reader: User
    group: Group
    closed_parent: int
    pages: dict[str, int] = field(default_factory=dict)  # key by address
    deleted: list[str] = field(default_factory=list)  # and still looked for

    @property
    def person(self) -> str:
        return f"reader {self.number}"

    def people(self, named: tuple[str, ...]) -> list[str]:
        return [self.person if name == "reader" else name for name in named]

    def change(
        self, address: str, do: Callable[[], object], state: str, *named: str
    ) -> None:
        """Do something to a page that leaves it in this state for these people."""
        people = self.people(named)
        self.board.note(address, UNDECIDED, *people)
        _again_after_a_deadlock(do)
        self.board.note(address, state, *people)

    def ask(self) -> None:
        self.board.judge("anonymous", ANONYMOUS)
        self.board.judge(self.person, User.objects.get(pk=self.reader.pk))

    def row(self, address: str) -> Bulletin:
        return Bulletin.objects.get(pk=self.pages[address])


def _again_after_a_deadlock(do: Callable[[], object]) -> None:
    """Do it in one transaction; a database that picks it as a victim asks for this."""
    for _ in range(20):
        try:
            with transaction.atomic():
                do()
        except OperationalError:
            continue
        return
    pytest.fail("a deadlock, twenty times")


def opened(editor: Editor, address: str) -> None:
    def do() -> None:
        row = editor.row(address)
        row.status, row.members_only, row.parent_id = "published", False, None
        row.closes = None
        row.save()
        row.groups.clear()
        editor.reader.groups.add(editor.group)

    editor.change(address, do, SHOWN, *BOTH)


def republished(editor: Editor) -> str:
    address = ""

    def do() -> None:
        nonlocal address
        page = publish()
        address = page.address
        editor.pages[address] = page.pk

    _again_after_a_deadlock(do)
    editor.board.note(address, SHOWN, *editor.people(BOTH))
    return address


# Ways to close a page to everybody.


def drafted(editor: Editor, address: str) -> None:
    row = editor.row(address)
    row.status = "draft"
    row.save()


def drafted_unseen(editor: Editor, address: str) -> None:
    Bulletin.objects.filter(pk=editor.pages[address]).update(status="draft")


def expired_unseen(editor: Editor, address: str) -> None:
    over = timezone.now() - timedelta(days=1)
    Bulletin.objects.filter(pk=editor.pages[address]).update(closes=over)


def deleted(editor: Editor, address: str) -> None:
    editor.row(address).delete()


def deleted_unseen(editor: Editor, address: str) -> None:
    rows = Bulletin.objects.filter(pk=editor.pages[address])
    rows._raw_delete(rows.db)


# Ways to close it to whoever is not signed in.


def kept_for_members(editor: Editor, address: str) -> None:
    row = editor.row(address)
    row.members_only = True
    row.save()


def kept_for_members_unseen(editor: Editor, address: str) -> None:
    Bulletin.objects.filter(pk=editor.pages[address]).update(members_only=True)


def kept_for_a_group(editor: Editor, address: str) -> None:
    editor.row(address).groups.set([editor.group])


def put_below_a_closed_page(editor: Editor, address: str) -> None:
    row = editor.row(address)
    row.parent_id = editor.closed_parent
    row.save()


# And one to close it to a member: they leave the group it is kept for.


def left_the_group(editor: Editor, _address: str) -> None:
    editor.reader.groups.remove(editor.group)


FOR_ALL = (drafted, drafted_unseen, expired_unseen, deleted, deleted_unseen)
FOR_VISITORS = (
    kept_for_members,
    kept_for_members_unseen,
    kept_for_a_group,
    put_below_a_closed_page,
)


def close_one(editor: Editor, chance: random.Random) -> None:
    address = chance.choice(sorted(editor.pages))
    way = chance.choice(FOR_ALL + FOR_VISITORS)
    people = BOTH if way in FOR_ALL else ("anonymous",)
    editor.change(address, lambda: way(editor, address), HIDDEN, *people)
    editor.ask()
    if way is kept_for_a_group:
        editor.change(
            address, lambda: left_the_group(editor, address), HIDDEN, "reader"
        )
        editor.ask()
    if way in (deleted, deleted_unseen):
        del editor.pages[address]
        editor.deleted.append(address)
        if len(editor.deleted) > DELETED_LOOKED_FOR:
            editor.board.forget(editor.deleted.pop(0))
        republished(editor)
    else:
        opened(editor, address)
    editor.ask()


def edit(editor: Editor, revocations: int) -> None:
    chance = random.Random(editor.number)
    try:
        for number in range(revocations):
            if editor.board.errors:
                return
            close_one(editor, chance)
            if editor.number == 0 and number % 10 == 9:
                merge(0)
    except BaseException as error:  # noqa: BLE001 - shown by the test
        editor.board.errors.append(error)
    finally:
        connections.close_all()


@pytest.fixture
def bulletins():
    with bulletins_registered():
        yield


def make_editor(number: int, board: Board) -> Editor:
    group = GroupFactory(name=f"group {number}")
    reader = UserFactory(username=f"reader{number}", groups=[group])
    parent = publish(members_only=True)
    editor = Editor(number, board, reader, group, parent.pk)
    for _ in range(PAGES):
        republished(editor)
    return editor


def test_what_was_closed_is_gone_from_the_next_question(bulletins, tally):
    board = Board()
    each = -(-REVOCATIONS // THREADS)
    editors = [make_editor(number, board) for number in range(THREADS)]
    threads = [threading.Thread(target=edit, args=(e, each)) for e in editors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert board.errors == []
    assert not any(thread.is_alive() for thread in threads)
    # Every closing is judged by its own thread at least, and most of all by others.
    assert board.judged[HIDDEN] >= each * THREADS
    assert board.judged[SHOWN] >= each * THREADS
    tally["revocations"] += each * THREADS
    tally["pages looked for after they were closed"] += board.judged[HIDDEN]


def test_a_page_that_is_still_shown_is_noticed(bulletins):
    board = Board()
    editor = make_editor(0, board)
    editor.ask()
    board.note(next(iter(editor.pages)), HIDDEN, "anonymous")
    with pytest.raises(AssertionError):
        editor.ask()
