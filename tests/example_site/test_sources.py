from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from example_site.house_words import HouseWords
from nlweb_ask.plugins import Question, Viewer, sources
from nlweb_ask.testing import check_processor, check_source


@pytest.mark.parametrize("name", ["recipes", "posts", "handbook", "manual"])
def test_source_keeps_the_promises_of_a_source(example, db, name):
    people = User.objects.filter(username__in=["member", "staff"])
    check_source(sources.get(name), [Viewer(user=person) for person in people])


@pytest.mark.parametrize("text", ["a brew in the snug", "tea"])
def test_house_words_keep_the_promises_of_a_processor(text):
    check_processor(HouseWords(), Question(text=text))


def test_no_page_of_the_folders_is_left_out(example):
    problems = [
        problem
        for name in ("handbook", "manual")
        for problem in sources.get(name).iter_problems()
    ]
    assert problems == []
