"""A visitor who is not signed in may hold what opens a page, such as a password typed."""

from __future__ import annotations

import threading

import pytest

from nlweb_ask.models import Document
from nlweb_ask.pipeline.ask import answer
from nlweb_ask.plugins import Question, Viewer
from nlweb_ask.protocol.events import ResultFound
from tests.asking import ANONYMOUS, make_scope
from tests.site_in_memory import SiteInMemory, save

pytestmark = pytest.mark.servers


@pytest.fixture
def gated(site, monkeypatch):
    """Pages for members are shown to whoever has typed the password, too."""

    def visible_ids(self, viewer, object_ids):
        passed = viewer.session_marks.get("passed") == "yes"
        pages = {key: self.pages[key] for key in object_ids if key in self.pages}
        return {k for k, page in pages.items() if passed or page.readers == "everyone"}

    monkeypatch.setattr(SiteInMemory, "visible_ids", visible_ids)
    monkeypatch.setattr(SiteInMemory, "opening_marks", ("passed",), raising=False)
    save("a", "Open kettle")
    save("b", "Members' kettle", readers="members")
    return site


def found(**marks: str) -> list[str]:
    viewer = Viewer(user=ANONYMOUS, session_marks=marks)
    events = answer(Question(text="kettle"), viewer, make_scope(), threading.Event())
    return sorted(e.item["name"] for e in events if isinstance(e, ResultFound))


def test_what_opens_a_page_is_looked_for_among_closed_pages_too(gated):
    assert found(passed="yes") == ["Members' kettle", "Open kettle"]


@pytest.mark.parametrize("marks", [{}, {"passed": "no"}, {"basket": "full"}])
def test_any_other_entry_of_a_session_opens_nothing(gated, marks):
    assert found(**marks) == ["Open kettle"]


def test_a_closed_page_refused_to_a_password_does_not_count_as_outdated(gated):
    found(passed="no")
    rows = Document.objects.order_by("object_id").values_list("object_id", "public")
    assert list(rows) == [("a", True), ("b", False)]
