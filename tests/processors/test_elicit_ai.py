"""A language model asks back, and what may be chosen comes from public pages."""

from __future__ import annotations

import pytest

from nlweb_ask.pipeline.ask import search
from nlweb_ask.plugins import Elicitation, Ended, ModelUnavailable, Question, Viewer
from nlweb_ask.processors.elicit_ai import ElicitByModel
from nlweb_ask.testing import check_processor
from tests.ai.models import SaidModels
from tests.asking import ANONYMOUS, MEMBER, make_scope
from tests.site_in_memory import save

pytestmark = pytest.mark.django_db
DEFAULT = "What are you looking for?"


def said(*options, text="A course or an event?", ask=True):
    return {"ask": ask, "text": text, "options": list(options)}


@pytest.fixture
def dancing(site):
    save("a", "Dancing course", type="Course")
    save("b", "Dancing evening", type="Event")
    save("c", "Dancing shoes", type="Product")
    save("d", "Dancing secretly", type="Secret", readers="members")


def processed(answer, text="dancing", user=ANONYMOUS, **question):
    models, viewer = SaidModels(answer), Viewer(user=user)
    processor = ElicitByModel(models)
    try:
        asked = processor.process(Question(text=text, **question), viewer)
        found, _trace = search(asked, viewer, make_scope())
        processor.look(asked, viewer, found)
    except Ended as ended:
        return ended.event, models
    return None, models


def asked_back(answer, **question):
    return processed(answer, **question)[0]


def test_a_question_that_is_too_open_is_asked_back(dancing):
    assert asked_back(said("Course", "event", "Course")) == Elicitation(
        text="A course or an event?",
        questions=(
            {
                "id": "type",
                "text": "A course or an event?",
                "type": "single_select",
                "options": ["Course", "Event"],
            },
        ),
    )


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({"ask": False}, id="clear-enough"),
        pytest.param(said("Course"), id="one-option"),
        pytest.param(said("Course", "Secret", "Recipe"), id="options-of-its-own"),
        pytest.param(said(), id="no-options"),
        pytest.param({"ask": True}, id="nothing-to-choose"),
        pytest.param({"ask": True, "options": "Course"}, id="options-are-no-list"),
        pytest.param(said(3, None, ["Course"], "Course"), id="options-are-no-texts"),
    ],
)
def test_a_question_goes_through(dancing, answer):
    assert asked_back(answer) is None


@pytest.mark.parametrize(
    "answer", [None, "", "yes", "[]", {"ask": "yes"}, {"ask": None}, '{"ask": tr']
)
def test_what_is_neither_yes_nor_no_is_a_fault(dancing, answer):
    with pytest.raises(ModelUnavailable):
        asked_back(answer)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("See https://evil.example/x ?", id="link"),
        pytest.param("Look at evil.example?", id="host"),
        pytest.param("The museum is closed.", id="a-claim"),
        pytest.param("x" * 201 + "?", id="too-long"),
        pytest.param("Wh\u202eich?", id="unseen"),
        pytest.param("<b>Which?</b>", id="markup"),
        pytest.param(None, id="nothing"),
    ],
)
def test_a_text_that_is_no_plain_question_is_asked_in_our_words(dancing, text):
    assert asked_back(said("Course", "Event", text=text)).text == DEFAULT


@pytest.mark.parametrize(
    "question",
    [
        pytest.param({"prev": ("Hello?",)}, id="a-later-question"),
        pytest.param({"item_type": "Course"}, id="a-type-is-asked-for"),
        pytest.param({"decontextualized_query": "dancing"}, id="completed"),
        pytest.param({"text": "dancing " * 9}, id="many-words"),
        pytest.param({"text": "swimming"}, id="nothing-found"),
        pytest.param({"text": "shoes"}, id="one-type-found"),
    ],
)
def test_no_model_is_asked_where_nothing_may_be_asked_back(dancing, question):
    event, models = processed(said("Course", "Event"), **question)
    assert event is None
    assert models.prompts == []


@pytest.mark.parametrize("user", [ANONYMOUS, MEMBER], ids=["visitor", "member"])
def test_types_of_hidden_pages_are_not_told_to_the_model(dancing, user):
    _event, models = processed({"ask": False}, user=user)
    [prompt] = models.prompts
    assert "Course" in prompt.user
    assert "Secret" not in prompt.user
    assert "secretly" not in prompt.user


def test_the_type_that_was_picked_completes_the_question_before(dancing):
    models = SaidModels(said("Course", "Event"))
    question = Question(text="Course", prev=("dancing",))
    picked = ElicitByModel(models).process(question, Viewer(user=ANONYMOUS))
    assert picked.decontextualized_query == "dancing"
    assert picked.item_type == "Course"
    assert models.prompts == []


def test_the_processor_keeps_its_contract(dancing):
    models = SaidModels({"ask": False})
    check_processor(
        ElicitByModel(models), Question(text="shoes"), Viewer(user=ANONYMOUS)
    )
