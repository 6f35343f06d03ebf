"""A process takes in what was written since, and has what a new process would read."""

from __future__ import annotations

import random
import threading

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from nlweb_ask.index import reading
from nlweb_ask.index.merge import merge
from nlweb_ask.index.snapshot import SPARE
from nlweb_ask.models import Change
from tests.index import ranked
from tests.site_in_memory import delete, save, site_in_memory

# What a transaction has written itself is kept for it alone.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.servers]


@pytest.fixture
def site():
    with site_in_memory():
        for number in range(12):
            save(f"p{number}", f"Kettle {number}", "A kettle whistles." * number)
        merge(0)
        reading.current(0)
        yield


def fresh():
    reading.forget()
    return reading.current(0)


def told(snapshot):
    """Return what questions are answered by, apart from where it stands."""
    keys = [snapshot.keys.names(number) for number in range(snapshot.size[0])]
    live = {
        key: (bool(public), lengths, snapshot.every_label[label])
        for key, alive, public, lengths, label in zip(
            keys,
            snapshot.alive.tolist(),
            snapshot.public.tolist(),
            snapshot.page_lengths.tolist(),
            snapshot.labels.tolist(),
            strict=True,
        )
        if alive
    }
    labels = sorted(snapshot.public_labels)
    return snapshot.marker, live, snapshot.field_statistics, labels


def test_each_change_that_is_taken_in_gives_what_a_new_process_reads(site):
    chance = random.Random("moved on")
    for _ in range(40):
        page = f"p{chance.randrange(15)}"
        if chance.random() < 0.2:
            delete(page)
        elif chance.random() < 0.3:
            save(page, "Kettle", readers=chance.choice(["members", "everyone"]))
        else:
            language = chance.choice(["en", "de"])
            save(page, "Kettle", ranked.text(chance, 20), language=language)
        moved = reading.current(0)
        kept = dict(reading._snapshots)
        assert told(moved) == told(fresh())
        reading._snapshots.update(kept)  # go on from what was moved on


def test_a_change_is_taken_in_by_the_statement_that_notices_it(site):
    before = reading.current(0)
    save("p3", "Barge", "A barge on the river.")
    with CaptureQueriesContext(
        connection,
    ) as seen:
        after = reading.current(0)
    assert len(seen) == 1
    assert after.base is before.base
    assert after.marker != before.marker


def test_more_changes_than_there_is_spare_room_for_are_taken_in(site):
    reading.current(0)
    for number in range(SPARE + 5):
        save(f"p{number % 7}", "Kettle", f"It whistles {number} times.")
        if number % 50 == 0:
            reading.current(0)
    moved = reading.current(0)
    assert told(moved) == told(fresh())


def test_an_earlier_picture_is_not_changed_by_what_is_taken_in(site):
    before = reading.current(0)
    was = told(before)
    save("p3", "Barge", "A barge on the river.", readers="members")
    delete("p4")
    reading.current(0)
    assert told(before) == was


def test_two_pictures_that_follow_the_same_one_have_their_own_pages(site):
    before = reading.current(0)
    with transaction.atomic():
        save("p3", "Barge", "Nobody ever reads this.")
        undone = reading.current(0)
        transaction.set_rollback(True)
    assert undone.size > before.size
    save("p3", "Lantern", "A lantern, and quite a long text about it.")
    after = reading.current(0)
    assert undone.page_lengths[-1].tolist() != after.page_lengths[-1].tolist()
    assert told(after) == told(fresh())


def test_a_change_that_is_committed_after_a_later_one_is_taken_in(site):
    save("p1", "Ferry", "A ferry crosses.")
    late = Change.objects.latest("pk")
    save("p2", "Mortar", "Mortar dries.")
    Change.objects.filter(pk=late.pk).delete()  # as if not committed yet
    reading.current(0)
    late.save(force_insert=True)
    assert told(reading.current(0)) == told(fresh())


def test_threads_that_take_in_the_same_change_have_the_same_pages(site):
    before = reading.current(0)
    save("p3", "Barge", "A barge on the river.")
    marker, _rows, changes = reading._select("default", 0, (), before.marker.newest)
    made = []

    def follow():
        made.append(reading.moved_on(before, marker, changes))

    threads = [threading.Thread(target=follow) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({str(told(snapshot)) for snapshot in made}) == 1
    assert len(made) == len(threads)
