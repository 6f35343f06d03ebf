"""Words of a question that no public page has are put right by one letter."""
# Letters of many scripts are what is tested here.
# ruff: noqa: RUF001

from __future__ import annotations

import threading

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from nlweb_ask.conf import ProfileConf, RetrieverChoice, SiteConf
from nlweb_ask.index.merge import merge
from nlweb_ask.index.spelling import MAX_CORRECTED, with_corrections
from nlweb_ask.pipeline.ask import AskScope, answer
from nlweb_ask.plugins import Question, Scope
from nlweb_ask.protocol.events import Complete, ResultFound
from nlweb_ask.sources.viewers import anonymous_viewer
from tests.site_in_memory import delete, save
from tests.typos import mistyped, words_in

pytestmark = pytest.mark.servers


@pytest.fixture
def shop(site):
    save("kettle", "Kettles", "A kettle that whistles in the kitchen.")
    save("settle", "Settlement", "The settlement on the hill.")
    save("cafe", "Café Zürich", "Crêpes and coffee.", language="fr")
    save("haus", "Häuser", "Alle Häuser der Stadt.", language="de")
    save("dom", "Собор", "Старый собор у реки.", language="ru")
    return site


def right(text: str) -> str | None:
    return with_corrections(Question(text=text), Scope(site_id=0)).corrected_text


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        pytest.param("kettel", "kettle", id="swapped"),
        pytest.param("ketle", "kettle", id="lost"),
        pytest.param("ketttle", "kettle", id="gained"),
        pytest.param("kettke", "kettle", id="changed"),
        pytest.param("mettle", "kettle", id="first-letter"),
        pytest.param("whistels", "whistles", id="in-the-ending"),
        pytest.param("settlemnet", "settlement", id="in-what-stemming-cuts"),
        pytest.param("The KETTEL, please?", "The KETTLE, please?", id="capitals"),
        pytest.param("Kettel", "Kettle", id="capital"),
        pytest.param("zurihc", "zurich", id="without-accents"),
        pytest.param("crèpse", "crepes", id="other-accents"),
        pytest.param("Hauser Stadtt", "Hauser Stadt", id="german"),
        pytest.param("сабор", "собор", id="cyrillic"),
        pytest.param("hil", "hill", id="three-letters-of-four"),
        pytest.param("tin-kettel", "tin-kettle", id="part-of-a-compound"),
    ],
)
def test_an_unknown_word_is_the_known_one_a_letter_away(shop, typed, meant):
    assert right(typed) == meant


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("kettle", id="known"),
        pytest.param("whistling", id="known-by-its-stem"),
        pytest.param("ktle", id="two-letters-away"),
        pytest.param("hix", id="three-letters-of-which-none-is-lost"),
        pytest.param("HIL", id="acronym"),
        pytest.param("zeppelin", id="like-nothing"),
        pytest.param("about", id="stop-word"),
        pytest.param("k3ttle", id="number"),
        pytest.param("水族館", id="no-letters"),
        pytest.param("", id="empty"),
        pytest.param("x" * 1000, id="endless"),
    ],
)
def test_other_words_stay_as_they_are(shop, text):
    assert right(text) is None


def test_the_word_that_most_pages_have_is_taken(site):
    save("a", "mint")
    save("b", "mind")
    assert right("minx") == "mind"  # equally many: the first by its letters
    save("c", "mint tea")
    assert right("minx") == "mint"


def test_hidden_pages_neither_offer_a_word_nor_make_one_known(site):
    save("a", "Kettle")
    save("b", "Kettel", readers="staff")
    save("c", "Kettels", readers="staff")
    assert right("kettel") == "kettle"
    delete("a")
    assert right("kettel") is None


def test_a_page_that_is_closed_takes_its_words_with_it(site):
    from nlweb_ask.index.refresh import refresh_objects

    save("a", "Kettle")
    merge(0)
    assert right("kettel") == "kettle"
    site.pages["a"].readers = "staff"
    refresh_objects("memory", ["a"])
    assert right("kettel") is None


def test_a_word_costs_one_look_until_the_index_changes(shop):
    assert right("kettel") == "kettle"
    with CaptureQueriesContext(connection) as asked:
        assert right("kettel") == "kettle"
        assert right("kettle") is None
    known = len(asked)
    with CaptureQueriesContext(connection) as asked:
        assert right("ketlte") == "kettle"
    assert len(asked) > known / 2
    save("new", "Kettel")
    assert right("kettel") is None


def test_only_so_many_words_of_a_question_are_put_right(shop):
    typed = ["kettel", "whistels", "kitchn", "settlemnet", "hilll"]
    assert right(" ".join(typed)).split()[MAX_CORRECTED:] == typed[MAX_CORRECTED:]
    assert right(typed[-1]) == "hill"


def asked_of_the_site(text: str) -> tuple[list[str], Complete]:
    profile = ProfileConf(name="", retrievers=(RetrieverChoice(name="keyword"),))
    scope = AskScope(conf=SiteConf(site_id=0), profiles=(profile,))
    events = list(
        answer(Question(text=text), anonymous_viewer(), scope, threading.Event())
    )
    found = [event.item["name"] for event in events if isinstance(event, ResultFound)]
    assert isinstance(events[-1], Complete)
    return found, events[-1]


def test_an_answer_is_of_the_word_put_right_and_says_so(shop):
    found, complete = asked_of_the_site("whistling kettel")
    assert found == ["Kettles"]
    assert complete.corrected_query == "whistling kettle"


def test_an_answer_to_known_words_says_nothing_of_spelling(shop):
    assert asked_of_the_site("kettle")[1].corrected_query is None


def test_the_typed_word_counts_beside_the_one_put_right(shop):
    save("kettel", "Kettel & Sons", readers="staff")
    question = with_corrections(Question(text="kettel"), Scope(site_id=0))
    from nlweb_ask.retrievers.keyword import KeywordRetriever

    scope = Scope(site_id=0, partition="restricted")
    [hit] = KeywordRetriever().retrieve(question, scope, limit=9)
    assert hit.object_id == "kettel"


def test_the_same_seed_makes_the_same_mistake_and_no_other_word():
    text = "How do I mend the puncture of a bicycle tyre?"
    known = words_in([text, "cycle tyres"])
    made = {mistyped(text, f"seed {n}", "en", known) for n in range(200)}
    assert len(made) > 50
    assert mistyped(text, "seed 1", "en", known) in made
    for wrong in made:
        [word] = set(wrong.split()) - set(text.split())
        assert word.strip("?") not in known
        assert len(set(text.split()) - set(wrong.split())) == 1
