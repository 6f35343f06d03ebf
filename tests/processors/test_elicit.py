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
from nlweb_ask.plugins import (
    Elicitation,
    Ended,
    Question,
    Viewer,
    processors,
)
from nlweb_ask.processors.elicit import Elicit
from nlweb_ask.processors.elicit_rules import faults, rule_of
from nlweb_ask.protocol.question import Limits
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


def rule(*words, options=()):
    return {
        "when": "word",
        "words": list(words),
        "text": "Which?",
        "questions": [{"text": "Which?", "options": list(options)}],
    }


@pytest.mark.parametrize(
    ("word", "text"),
    [
        pytest.param("café", "Is there a cafe?", id="accents-left-out"),
        pytest.param("cafe", "Is there a café?", id="accents-put-in"),
        pytest.param(
            "open on Sundays",
            "Please tell me which of all your many shops in the town are open on Sundays",
            id="stop-word-in-a-long-question",
        ),
        pytest.param("IT", "Where is the IT desk?", id="capitals"),
        pytest.param(
            "水族館", "休みの日に家族と水族館へ行きたい" * 4, id="many-ideograms"
        ),
        pytest.param(
            "猫", "休みの日に家族と猫のいる店へ行きたい" * 4, id="one-ideogram"
        ),
        pytest.param("🍕", "A 🍕 please", id="picture"),
    ],
)
def test_a_word_asks_back_in_whatever_form(rules, word, text):
    rules(rule(word))
    assert asked_back(text) is not None


@pytest.mark.parametrize("word", ["?!", "🍕", "…"])
def test_a_word_of_signs_alone_is_not_in_every_question(rules, word):
    rules(rule(word))
    assert asked_back("Are there flats in Bonn") is None


def test_options_of_signs_alone_settle_only_what_names_them(rules):
    rules(rule("flat", options=["€", "€€"]))
    assert asked_back("Are there flats in Bonn?") is not None
    assert asked_back("Are there flats for €€ in Bonn?") is None


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


def asked_of(text, user=ANONYMOUS, **question):
    """Ask the site; return what it asks back."""
    events = ask(text, user, **question).events
    return next((event for event in events if isinstance(event, Elicitation)), None)


@pytest.mark.django_db
@pytest.mark.parametrize("user", [ANONYMOUS, MEMBER], ids=["visitor", "member"])
def test_nothing_found_asks_back(site, rules, user):
    rules(NOTHING)
    save("a", "Kettle", "The kettle boils.")
    assert asked_of("zebra crossing", user).text == NOTHING["text"]
    assert asked_of("kettle", user) is None


@pytest.mark.django_db
def test_what_rankers_left_out_was_not_found(site, rules, settings):
    rules(NOTHING)
    settings.NLWEB_ASK = {
        **settings.NLWEB_ASK,
        "RANKERS": ["words"],
        "WORDS_MIN_PROBABILITY": 0.9,
    }
    save("a", "Kettle", "The kettle boils.")
    assert asked_of("kettle on a purple submarine").text == NOTHING["text"]


@pytest.mark.django_db
def test_a_mistyped_word_is_put_right_before_nothing_is_found(site, rules):
    rules(NOTHING)
    save("a", "Kettle", "The kettle boils.")
    assert asked_of("ketle") is None


@pytest.mark.django_db
@pytest.mark.parametrize("user", [ANONYMOUS, MEMBER], ids=["visitor", "member"])
def test_too_many_types_ask_back_with_the_types_found(site, rules, user):
    rules(TYPES)
    for name in ("Recipe", "Event"):
        save(name, "Pesto", "Pesto", type=name)
    assert asked_of("pesto", user) is None
    save("Article", "Pesto", "Pesto", type="Article")
    asked = asked_of("pesto", user)
    assert sorted(asked.questions[0]["options"]) == ["Article", "Event", "Recipe"]
    assert not ask("pesto", user).items


@pytest.mark.django_db
def test_a_type_of_hidden_pages_alone_is_offered_to_nobody(site, rules):
    rules(TYPES)
    for name in ("Recipe", "Event"):
        save(name, "Pesto", "Pesto", type=name)
    save("hidden", "Pesto", "Pesto", type="Movie", readers="members")
    assert asked_of("pesto", MEMBER) is None
    assert len(ask("pesto", MEMBER).items) == 3
    save("Article", "Pesto", "Pesto", type="Article")
    assert "Movie" not in asked_of("pesto", MEMBER).questions[0]["options"]


@pytest.mark.django_db
@pytest.mark.parametrize("rule", [NOTHING, TYPES], ids=["no-result", "many-types"])
@pytest.mark.parametrize("user", [ANONYMOUS, MEMBER], ids=["visitor", "member"])
def test_hidden_pages_change_nothing_of_what_is_asked_back(site, rules, rule, user):
    rules(rule)
    save("a", "Pesto", "Pesto", type="Recipe")
    save("b", "Pesto", "Pesto", type="Event")
    without = [asked_of(text, user) for text in ("zebra", "pesto")]
    for number, name in enumerate(("Article", "Book", "Movie")):
        save(f"h{number}", "Zebra pesto", "Zebra", type=name, readers="staff")
    assert [asked_of(text, user) for text in ("zebra", "pesto")] == without


@pytest.mark.django_db
def test_hidden_pages_cost_a_visitor_no_query(site, rules):
    rules(TYPES)
    save("a", "Pesto", "Pesto", type="Recipe")
    without = queries_of("pesto")
    for number, name in enumerate(("Article", "Book", "Movie")):
        save(f"h{number}", "Zebra pesto", "Zebra", type=name, readers="staff")
    assert queries_of("pesto") == without


def queries_of(text):
    ask(text)  # reads what other questions have not read of the index yet
    with CaptureQueriesContext(connection) as queries:
        ask(text)
    return len(queries)


@pytest.mark.django_db
def test_nothing_is_asked_back_on_a_later_page_or_in_a_conversation(site, rules):
    rules(NOTHING)
    assert asked_of("zebra", prev=("Before?",)) is None
    assert asked_of("zebra", limits=Limits(offset=10)) is None


@pytest.mark.django_db
def test_a_page_closed_unseen_is_as_none(site, rules):
    rules(NOTHING)
    save("a", "Kettle", "The kettle boils.")
    site.pages["a"].readers = "staff"  # the index still has it for public
    assert asked_of("kettle").text == NOTHING["text"]


@pytest.mark.django_db
def test_a_processor_that_fails_at_the_results_is_skipped(site, settings):
    class Clumsy:
        name = "clumsy"

        def process(self, question, viewer):
            return question

        def look(self, question, viewer, results):
            raise ValueError

    processors.register(Clumsy)
    settings.NLWEB_ASK = {"HANDLERS": [], "PROCESSORS": ["clumsy"]}
    save("a", "Kettle", "The kettle boils.")
    names = ask("kettle").names
    processors.unregister("clumsy")
    assert names == ["Kettle"]


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
            {**FLATS, "questions": [{"text": "?", "options": ["a", "\ud800"]}]},
            "options",
            id="half-a-character",
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
