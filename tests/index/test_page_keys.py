from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.index.postings import PageKey, PageKeys

texts = st.text(st.characters(exclude_categories=[]), max_size=5)
runs = st.lists(st.lists(st.builds(PageKey, texts, texts, texts), max_size=4))


@given(runs)
def test_keys_end_to_end_are_the_keys_that_were_put_in(each):
    joined = PageKeys.joined([PageKeys.of(run) for run in each])
    together = [key for run in each for key in run]
    assert list(joined) == together
    assert len(joined) == len(together)
    assert joined[1:] == together[1:]


def test_there_is_no_key_past_the_last():
    with pytest.raises(IndexError):
        PageKeys.of([PageKey("a", "", "")])[1]
