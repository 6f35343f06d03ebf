"""What a process keeps stays within its bytes, and what is asked for most stays."""

from __future__ import annotations

import pytest

from nlweb_ask.index.room import MAX_ASKED, Room


@pytest.fixture
def room():
    return Room[int, str](8000)


def put(room, name, size=1000, owner="site"):
    room.put(owner, name, size, lambda: f"{owner} {name}")


def test_what_is_kept_never_takes_more_than_its_bytes(room):
    for name in range(100):
        put(room, name, size=100 + 7 * name)
        assert room.used <= 8000


def test_what_was_asked_for_often_outlives_what_was_asked_for_once(room):
    for name in range(8):
        room.get("site", [name])
        put(room, name)
    for _ in range(5):
        room.get("site", [3])
    for name in range(100, 120):
        room.get("site", [name])
        put(room, name)
    assert room.get("site", [3]) == {3: "site 3"}


def test_what_was_asked_for_often_goes_once_nobody_asks_any_more(room):
    for _ in range(3):
        room.get("site", [3])
    put(room, 3)
    for name in range(1000, 1400):
        for _ in range(2):
            room.get("site", [name])
            put(room, name)
    assert room.get("site", [3]) == {}


def test_what_is_asked_for_in_turn_does_not_push_itself_out(room):
    kept = []
    for _ in range(20):
        found = {}
        for name in range(12):
            found |= room.get("site", [name])
            put(room, name)
        kept.append(len(found))
    assert kept[1:] == [8] * 19


def test_what_comes_is_not_made_small_only_to_be_left_out(room):
    for name in range(8):
        put(room, name)
    room.get("site", [9])
    room.put("site", 9, 1000, lambda: pytest.fail("it is left out"))


def test_an_owner_that_is_gone_leaves_its_room_to_others(room):
    for name in range(4):
        put(room, name, owner="before a merge")
        put(room, name, owner="another site")
    room.forget("before a merge")
    assert room.used == 4000
    for name in range(4):
        put(room, name, owner="after it")
    assert len(room.get("after it", range(4))) == 4
    assert len(room.get("another site", range(4))) == 4


def test_what_would_take_more_than_an_eighth_is_not_kept(room):
    put(room, 1, size=1001)
    assert room.get("site", [1]) == {}
    assert room.used == 0


def test_one_owner_is_not_given_what_another_keeps(room):
    put(room, 1, owner="before a merge")
    assert room.get("after it", [1]) == {}


def test_how_often_names_were_asked_for_is_forgotten_in_the_end(room):
    for name in range(3 * MAX_ASKED):
        room.get("site", [name])
    assert len(room._asked) <= MAX_ASKED
