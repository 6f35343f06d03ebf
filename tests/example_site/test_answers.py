from __future__ import annotations

import json

import pytest

from nlweb_ask.plugins import sources

EXPECTED = [
    ("How do I mend a puncture?", "How to mend a bicycle puncture"),
    ("soup with lentils for a crowd", "Red lentil soup"),
    ("What can I do with apples that fell from the tree?", "Windfall apple chutney"),
    ("cake for someone with a nut allergy", "Carrot cake without nuts"),
    ("Can I put bread in the compost?", "What goes in the compost bays"),
    ("my chair wobbles", "Regluing a wobbly chair"),
    (
        "Is there a ramp or a lift for a wheelchair?",
        "Step-free access and the hearing loop",
    ),
    ("borrow a ladder", "Borrowing from the tool library"),
    (
        "Why do you check appliances before they go home?",
        "Why we test every toaster before it goes home",
    ),
    ("How warm may the fridge be?", "Food safety in the kitchen"),
    ("printing labels: the printer is jammed", "The label printer"),
    ("How do I make a brew?", "Fresh mint tea by the urn"),
]


def names(client, question: str, **fields: str) -> list[str]:
    answer = client.get("/ask", {"query": question, "streaming": "false", **fields})
    assert answer.status_code == 200, answer.content
    return [found["name"] for found in json.loads(answer.content)["results"]]


@pytest.mark.parametrize(("question", "expected"), EXPECTED)
def test_page_that_answers_the_question_comes_first(client_of, question, expected):
    assert names(client_of("anonymous"), question)[0] == expected


HIDDEN = {
    "Where is the key box and its code?": (
        "Where the key box is, and how its code changes",
        {"member", "staff", "admin"},
    ),
    "What did the boiler inspection find?": (
        "Boiler inspection: what failed",
        {"staff", "admin"},
    ),
    "set the alarm when closing up": (
        "Closing up for the night",
        {"member", "staff", "admin"},
    ),
    "who signs invoices": ("Paying invoices", {"staff", "admin"}),
    "pumpkin doughnuts": ("Pumpkin doughnuts", set()),
}


@pytest.mark.parametrize("question", HIDDEN)
def test_page_is_found_by_those_who_may_read_it_and_by_nobody_else(client_of, question):
    page, audience = HIDDEN[question]
    finders = {
        name
        for name in ("anonymous", "member", "staff", "admin")
        if page in names(client_of(name), question)
    }
    assert finders == audience


def test_hidden_page_comes_first_for_those_who_may_read_it(client_of):
    question = "Where is the key box and its code?"
    assert names(client_of("member"), question)[0] == HIDDEN[question][0]


def test_words_of_a_staff_page_stand_in_no_answer_to_others(client_of):
    asked = {"query": "new oven energy budget", "streaming": "false"}
    for name in ("anonymous", "member"):
        assert b"grants" not in client_of(name).get("/ask", asked).content


def test_recipe_is_a_schema_org_recipe(client_of):
    answer = client_of("anonymous").post(
        "/ask",
        {"query": {"text": "red lentil soup"}},
        content_type="application/json",
    )
    recipe = answer.json()["results"][0]
    assert recipe["@type"] == "Recipe"
    assert recipe["cookTime"] == "PT30M"
    assert recipe["recipeYield"] == "6 bowls"
    assert "300 g red lentils" in recipe["recipeIngredient"]
    assert recipe["author"] == {"@type": "Person", "name": "Maren Oake"}
    assert recipe["datePublished"] == "2026-01-08"


def test_page_saved_in_the_admin_is_found_by_the_next_question(client_of):
    from example_site.models import Recipe

    staff = client_of("staff")
    page = Recipe.objects.get(slug="nettle-pesto")
    form = {
        field.name: getattr(page, field.name)
        for field in Recipe._meta.fields
        if field.name != "id"
    }
    form["title"] = "Quillwort relish"
    address = f"/admin/example_site/recipe/{page.pk}/change/"
    assert staff.post(address, form).status_code == 302
    assert names(client_of("anonymous"), "quillwort")[0] == "Quillwort relish"


def test_documentation_is_asked_by_name_and_stays_out_of_other_answers(client_of):
    client = client_of("anonymous")
    question = "Which middleware holds a stream back?"
    assert "Put it on a server" not in names(client, question)
    assert "Put it on a server" in names(client, question, site="manual")


def test_profile_kitchen_answers_with_recipes_only(client_of):
    client = client_of("anonymous")
    assert "How we label allergens" in names(client, "nut allergy")
    assert names(client, "nut allergy", site="kitchen") == ["Carrot cake without nuts"]


def test_site_offers_four_sources():
    assert {"recipes", "posts", "handbook", "manual"} <= set(sources.names())
