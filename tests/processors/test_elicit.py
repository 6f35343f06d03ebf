"""Asking back by the owner's rules, and never by what somebody may not see."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.conf import deployment
from nlweb_ask.plugins import Elicitation, Ended, Question, Viewer
from nlweb_ask.processors.elicit import Elicit
from nlweb_ask.processors.elicit_rules import faults, rule_of
from nlweb_ask.testing import check_processor
from tests.asking import ANONYMOUS, MEMBER, ask
from tests.site_in_memory import save

FLATS = {
    "when": "word",
    "words": ["flat", "two rooms"],
    "text": "To rent or to buy?",
    "questions": [{"id": "deal", "text": "Which?", "options": ["rent", "buy"]}],
}
NOTHING = {"when": "no_result", "text": "Nothing fits. What are you looking for?"}
TYPES = {
    "when": "many_types",
    "types": 2,
    "text": "There is much on this.",
    "questions": [{"text": "What kind?", "options": "types"}],
}


@pytest.fixture
def rules(settings):
    def choose(*rows):
        settings.NLWEB_ASK = {
            "HANDLERS": [],
            "PROCESSORS": ["elicit"],
            "ELICIT": list(rows),
        }

    return choose


def asked_back(text, user=ANONYMOUS, **question):
    viewer = Viewer(user=user, session_marks=question.pop("marks", {}))
    try:
        Elicit().process(Question(text=text, **question), viewer)
    except Ended as ended:
        return ended.event
    return None


def test_a_word_in_the_question_asks_back(rules):
    rules(FLATS)
    assert asked_back("Are there flats in Bonn?") == Elicitation(
        text="To rent or to buy?",
        questions=(
            {
                "id": "deal",
                "text": "Which?",
                "type": "single_select",
                "options": ["rent", "buy"],
            },
        ),
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Are there houses?", id="another-word"),
        pytest.param("two houses", id="half-of-a-phrase"),
        pytest.param("a flat to rent", id="settled-by-an-option"),
    ],
)
def test_what_needs_no_answer_is_not_asked_back(rules, text):
    rules(FLATS)
    assert asked_back(text) is None


def test_nothing_is_asked_back_twice(rules):
    rules(FLATS)
    assert asked_back("a flat with a garden", prev=("flat in Bonn",)) is None


def test_an_option_that_was_picked_completes_the_question_before(rules):
    rules(FLATS)
    question = Question(text="Rent", prev=("flat in Bonn",))
    done = Elicit().process(question, Viewer(user=ANONYMOUS))
    assert done.decontextualized_query == "flat in Bonn Rent"


@pytest.mark.django_db
def test_a_type_that_was_picked_is_asked_for(site, rules):
    rules(TYPES)
    save("a", "Pesto", type="Recipe")
    question = Question(text="Recipe", prev=("pesto",))
    done = Elicit().process(question, Viewer(user=ANONYMOUS))
    assert (done.search_text, done.item_type) == ("pesto", "Recipe")


@pytest.mark.django_db
@pytest.mark.parametrize("said", ["Python", "Event"], ids=["no-type", "hidden-type"])
def test_a_word_that_is_no_public_type_is_a_question_of_its_own(site, rules, said):
    rules(TYPES)
    save("a", "Party", type="Event", readers="staff")
    question = Question(text=said, prev=("pesto",))
    assert Elicit().process(question, Viewer(user=ANONYMOUS)) == question


def test_the_answer_is_an_elicitation(rules):
    rules(FLATS)
    assert ask("flat").complete.response_type == "elicitation"


def test_the_first_rule_that_fits_asks(rules):
    rules({**FLATS, "text": "first"}, {**FLATS, "text": "second"})
    assert asked_back("flat").text == "first"


def test_a_rule_with_a_fault_is_left_out(rules):
    rules({"when": "never"}, FLATS)
    assert asked_back("flat").text == "To rent or to buy?"


def test_the_processor_keeps_its_contract(rules):
    rules(FLATS)
    check_processor(Elicit(), Question(text="flat"))
    check_processor(Elicit(), Question(text="house"))


@pytest.mark.django_db
def test_nothing_found_asks_back(site, rules):
    rules(NOTHING)
    save("a", "Kettle", "The kettle boils.")
    assert asked_back("zebra crossing").text == NOTHING["text"]
    assert asked_back("kettle") is None


@pytest.mark.django_db
def test_a_mistyped_word_is_put_right_before_nothing_is_found(site, rules):
    rules(NOTHING)
    save("a", "Kettle", "The kettle boils.")
    assert asked_back("ketle") is None


@pytest.mark.django_db
def test_too_many_types_ask_back_with_the_types_found(site, rules):
    rules(TYPES)
    for name in ("Recipe", "Event"):
        save(name, "Pesto", "Pesto", type=name)
    assert asked_back("pesto") is None
    save("Article", "Pesto", "Pesto", type="Article")
    asked = asked_back("pesto")
    assert sorted(asked.questions[0]["options"]) == ["Article", "Event", "Recipe"]


@pytest.mark.django_db
@pytest.mark.parametrize("rule", [NOTHING, TYPES], ids=["no-result", "many-types"])
def test_hidden_pages_change_nothing_of_what_is_asked_back(site, rules, rule):
    rules(rule)
    save("a", "Pesto", "Pesto", type="Recipe")
    save("b", "Pesto", "Pesto", type="Event")
    without = [asked_and_queries(text) for text in ("zebra", "pesto")]
    for number, name in enumerate(("Article", "Book", "Movie")):
        save(f"h{number}", "Zebra pesto", "Zebra", type=name, readers="staff")
    assert [asked_and_queries(text) for text in ("zebra", "pesto")] == without


def asked_and_queries(text):
    asked_back(text)  # reads what other questions have not read of the index yet
    with CaptureQueriesContext(connection) as queries:
        event = asked_back(text)
    return event, len(queries)


@pytest.mark.django_db
def test_of_a_profile_that_is_named_nothing_is_told(site, rules):
    rules(NOTHING)
    assert asked_back("zebra", site=("handbook",)) is None
    assert asked_back("zebra").text == NOTHING["text"]


@pytest.mark.django_db
def test_a_page_closed_unseen_is_as_none(site, rules):
    rules(NOTHING)
    save("a", "Kettle", "The kettle boils.")
    site.pages["a"].readers = "staff"  # the index still has it for public
    assert asked_back("kettle").text == NOTHING["text"]


@pytest.mark.django_db
@pytest.mark.parametrize("rule", [NOTHING, TYPES], ids=["no-result", "many-types"])
def test_a_member_is_not_asked_back_by_what_was_found(site, rules, rule):
    rules(rule)
    for name in ("Recipe", "Event", "Article"):
        save(name, "Pesto", "Pesto", type=name)
    assert asked_back("zebra", MEMBER) is None
    assert asked_back("pesto", MEMBER) is None


@pytest.mark.django_db
def test_who_opened_pages_in_a_session_is_not_asked_back_by_what_was_found(site, rules):
    rules(NOTHING)
    site.opening_marks = ("passed",)
    assert asked_back("zebra", marks={"passed": [1]}) is None
    assert asked_back("zebra").text == NOTHING["text"]


@pytest.mark.django_db
def test_a_rule_about_words_costs_no_query(rules, django_assert_num_queries):
    rules(FLATS)
    with django_assert_num_queries(0):
        asked_back("flat")
        asked_back("house")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        pytest.param({**FLATS, "when": "ever"}, "ever", id="when"),
        pytest.param({**FLATS, "words": "flat"}, "words", id="words-as-a-text"),
        pytest.param({**FLATS, "words": []}, "words", id="no-words"),
        pytest.param({**NOTHING, "words": ["a"]}, "words", id="words-in-vain"),
        pytest.param({**FLATS, "text": " "}, "text", id="no-text"),
        pytest.param({**FLATS, "word": []}, "word", id="unknown-key"),
        pytest.param({**TYPES, "types": 0}, "types", id="no-types"),
        pytest.param({**FLATS, "questions": "?"}, "list", id="questions-as-a-text"),
        pytest.param({**FLATS, "questions": ["?"]}, "'?'", id="question-as-a-text"),
        pytest.param({**FLATS, "questions": [{}]}, "text", id="nothing-asked"),
        pytest.param(
            {**FLATS, "questions": [{"text": "?", "options": "types"}]},
            "types",
            id="types-of-no-pages",
        ),
        pytest.param(
            {**FLATS, "questions": [{"text": "?", "type": "radio"}]},
            "radio",
            id="kind-of-question",
        ),
    ],
)
def test_a_fault_in_a_rule_is_named(row, said):
    [fault] = faults(row)
    assert said in fault.message
    assert rule_of(row) is None


def test_rules_that_are_no_dictionaries_are_refused(settings):
    settings.NLWEB_ASK = {"ELICIT": ["flat"]}
    with pytest.raises(ImproperlyConfigured, match="list of dictionaries"):
        deployment()


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*FLATS, "id", "options"]), inner, max_size=4)
    ),
)


@given(st.dictionaries(st.sampled_from([*FLATS, "types", "x"]), anything))
def test_any_row_is_a_rule_or_has_a_fault(row):
    assert (rule_of(row) is None) == bool(list(faults(row)))


@given(st.text(), st.lists(st.text(), max_size=3))
def test_any_text_is_asked_back_or_goes_on(text, earlier):
    with override_settings(NLWEB_ASK={"ELICIT": [FLATS]}):
        event = asked_back(text, prev=tuple(earlier))
    assert event is None or event.text == FLATS["text"]
