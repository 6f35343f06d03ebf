"""Cases taken from reports of other systems, held against this one over HTTP.

A case says in words what is right; `RIGHT` says it once more for each of its actions.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

from nlweb_ask.index.refresh import refresh_objects, sweep
from nlweb_ask.models import Document, Passage, SiteSettings
from nlweb_ask.pipeline.fusion import Ranking, fold, reciprocal_rank_fusion
from nlweb_ask.plugins import Candidate
from tests.trials.conftest import case
from tests.trials.trial_site import TrialSite, lighthouses, page_of

pytestmark = pytest.mark.servers


@dataclass(frozen=True, kw_only=True)
class Right:
    """What must hold for the response to one action."""

    status: int = 200
    response_type: str | None = "answer"  # the oldest dialect has none
    first: str | None = None  # the address of the first result
    only: tuple[str, ...] | None = None  # the addresses of all results, in order
    listed: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()  # nowhere in the response, in any case


NOTHING = Right(only=())
REFUSED = Right(status=400)
# The action needs a language model.
LATER = None


def firsts(*addresses: str) -> list[Right]:
    return [Right(first=address) for address in addresses]


SQL = ("fts5", "sqlite", "syntax", "select")
DUCKS = Right(first="/park/ducks/", unsaid=SQL)
NO_DUCKS = Right(only=(), unsaid=SQL)
CHASE = Right(first="/harbour/chase/")

RIGHT: dict[str, list[Right | None]] = {
    "O01": firsts("/workshop/kiln-firing/", "/workshop/kiln-firing/"),
    "O02": [DUCKS, DUCKS, NO_DUCKS, DUCKS, NO_DUCKS],
    "O03": [
        Right(),
        Right(first="/electronics/gates/"),
        Right(listed=("/garden/gates/",)),
        Right(),
    ],
    "O04": [Right(only=("/workshop/kiln-firing/",)), REFUSED],
    "O05": [
        *[CHASE, CHASE, Right(first="/harbour/"), CHASE],
        *[Right(), CHASE, CHASE, NOTHING],
    ],
    "O06": [Right(first="/pumps/hx-42/", listed=("/pumps/hx-7/",))] * 3,
    "O07": firsts(
        "/lang/cpp/", "/lang/csharp/", "/lang/c/", "/lang/dotnet/", "/lang/node/"
    ),
    "O08": [*firsts("/dept/it/", "/about/who/", "/office/lost/"), Right()],
    "O09": firsts("/eat/creperie/", "/eat/creperie/", "/eat/luna/"),
    "O10": firsts("/towns/zurich/", "/towns/zurich/"),
    "O11": firsts(
        *("/tr/izmir/", "/tr/izmir/", "/tr/igdir/", "/tr/igdir/", "/en/insurance/")
    ),
    "O12": firsts("/ja/aquarium/", "/ja/aquarium/"),
    "O13": [Right(only=("/kids/",), unsaid=("&auml;", "&amp;", "<p"))],
    "O14": [Right(only=("/pier/",))],
    "O15": [NOTHING, LATER, LATER],
    "O20": [Right(absent=("/old/",)), LATER],
    "O21": [
        Right(only=("/quarry/",), unsaid=("minutes", "sold", "May")),
        LATER,
        Right(only=("/minutes/", "/quarry/")),
    ],
    "O22": [
        Right(absent=("/tutorials/",)),
        Right(unsaid=("cancelled",)),
        Right(absent=("/fr/fair/",)),
    ],
    "O23": [
        Right(only=("/gems/", "/gems/rings/"), unsaid=("sap/",)),
        Right(listed=("/gems/", *(f"/sap/{number}/" for number in range(1, 6)))),
    ],
    "O24": [Right(only=("/p5/", "/p6/", "/p7/")), Right(only=("/p8/", "/p9/"))],
    "O42": [REFUSED] * 6 + [Right(listed=("/tide/",), response_type=None)],
    "O47": [
        Right(only=("/fr/parking/",)),
        Right(listed=("/en/parking/",), absent=("/fr/parking/",)),
        LATER,
        LATER,
    ],
    "O51": [Right(only=("/docs/3/moor/",)), Right(listed=("/docs/2/moor/",))],
}


def addresses(response: Any) -> list[str]:
    return [urlsplit(found["url"]).path for found in response.json()["results"]]


def hold(response: Any, right: Right) -> None:
    assert response.status_code == right.status
    assert response["Content-Type"] == "application/json"
    said = response.content.decode().casefold()
    assert not [word for word in right.unsaid if word.casefold() in said]
    if right.status != 200:
        assert response.json()["error"]["code"]
        return
    meta = response.json().get("_meta", {})
    assert meta.get("response_type") == right.response_type
    found = addresses(response)
    assert right.first is None or found[:1] == [right.first]
    assert right.only is None or tuple(found) == right.only
    assert set(right.listed) <= set(found)
    assert not set(right.absent) & set(found)


def offer(trial: str) -> None:
    """Put the pages of a case on the site and index them."""
    setup = case(trial)["setup"]
    if trial == "O24":
        TrialSite.pages = lighthouses()
        SiteSettings.objects.update(max_results=3)
    elif isinstance(setup, dict):
        pages = [page_of(item) for item in setup["items"] if _was_live(item)]
        TrialSite.pages = {page.url: page for page in pages}
    if trial == "O13":
        SiteSettings.objects.update(snippet_length=31)  # thirty and an ellipsis
    sweep(TrialSite.name)


def _was_live(item: dict[str, Any]) -> bool:
    return item.get("state") != "translation never published"


def change(trial: str) -> None:
    """Do what a case does between the run of the index and the question."""
    if trial == "O20":
        del TrialSite.pages["/old/"]
        refresh_objects(TrialSite.name, ["/old/"])
    elif trial == "O22":
        # Unpublished, and the index has not heard of it.
        del TrialSite.pages["/tutorials/"]


CHECKED = [
    pytest.param(trial, number, right, id=f"{trial}-{number + 1}")
    for trial, rights in RIGHT.items()
    for number, right in enumerate(rights)
    if right is not LATER
]


@pytest.mark.parametrize(("trial", "number", "right"), CHECKED)
def test_trial(trial_site, asking, trial, number, right):
    offer(trial)
    change(trial)
    hold(asking(case(trial)["action"][number]), right)


@pytest.mark.parametrize("trial", RIGHT)
def test_every_action_of_a_case_has_its_right(trial):
    assert len(RIGHT[trial]) == len(case(trial)["action"])


def test_o04_a_nul_is_a_space(trial_site, asking):
    offer("O04")
    action = case("O04")["action"][0]
    spaced = {**action, "body": action["body"].replace("\\u0000", " ")}
    assert addresses(asking(action)) == addresses(asking(spaced)) != []


def test_o08_a_common_word_is_answered_within_two_seconds(trial_site, asking):
    offer("O08")
    began = time.thread_time()
    hold(asking(case("O08")["action"][3]), Right())
    assert time.thread_time() - began < 2


def test_o10_both_forms_give_the_same_scores(trial_site, asking):
    offer("O10")
    first, second = (asking(action).json() for action in case("O10")["action"])
    assert first["results"] == second["results"] != []


def test_o13_name_and_description_are_plain_text(trial_site, asking):
    offer("O13")
    [found] = asking(case("O13")["action"][0]).json()["results"]
    text = (
        "Alle Kindergärten & Horte der Stadt <Mitte> auf einen Blick, "
        "mit Öffnungszeiten."
    )
    assert found["name"] == "Kindergärten & Horte"
    assert found["description"].strip("…") in text
    assert len(found["description"]) <= 31


def test_o14_the_score_is_above_zero(trial_site, asking):
    offer("O14")
    [found] = asking(case("O14")["action"][0]).json()["results"]
    assert found["score"] > 0


@pytest.mark.parametrize(
    ("trial", "lists", "scores"),
    [
        (
            "O16",
            ("keyword list", "vector list"),
            {
                "/yard/": 0.031746,
                "/barn/": 0.016393,
                "/lido/": 0.016393,
                "/attic/": 0.016129,
                "/cove/": 0.016129,
            },
        ),
        (
            "O17",
            ("keyword list", "vector list of passages"),
            {"/quay/": 0.032522, "/port/": 0.032266, "/ramp/": 0.016129},
        ),
    ],
)
def test_fused_lists_have_the_scores_of_the_case(trial, lists, scores):
    setup = case(trial)["setup"]
    fused = reciprocal_rank_fusion([ranking(setup[name]) for name in lists])
    found = {candidate.object_id: candidate.score for candidate in fused}
    assert list(found) == list(scores)
    assert found == pytest.approx(scores, abs=1e-6)


def ranking(listed: list[str]) -> Ranking:
    """Rank pages, or passages of pages; a page stands where its best passage does."""
    return Ranking(fold([candidate_of(*place) for place in enumerate(listed)]))


def candidate_of(rank: int, listed: str) -> Candidate:
    page, _sign, passage = listed.partition("#")
    return Candidate(
        source="trial",
        object_id=page,
        language="",
        score=1.0 / (1 + rank),
        passage=int(passage) if passage else None,
    )


def test_o17_a_passage_of_a_page_stays_known_whoever_found_the_page_first():
    setup = case("O17")["setup"]
    names = ("keyword list", "vector list of passages")
    fused = reciprocal_rank_fusion([ranking(setup[name]) for name in names])
    passages = {candidate.object_id: candidate.passage for candidate in fused}
    assert passages == {"/quay/": 1, "/port/": 1, "/ramp/": None}


def test_o16_equal_scores_come_in_one_order_whoever_found_them_first():
    setup = case("O16")["setup"]
    lists = [ranking(setup[name]) for name in ("keyword list", "vector list")]
    orders = {
        tuple(candidate.object_id for candidate in reciprocal_rank_fusion(ordered))
        for ordered in itertools.permutations(lists)
    }
    assert len(orders) == 1


def test_o20_nothing_is_left_of_a_deleted_page(trial_site, asking):
    offer("O20")
    asking(case("O20")["action"][0])
    change("O20")
    assert not Document.objects.filter(object_id="/old/").exists()
    assert not Passage.objects.filter(text__contains="quokka").exists()


def test_o23_no_number_of_an_answer_counts_hidden_pages(trial_site, asking):
    offer("O23")
    visible = asking(case("O23")["action"][0])
    TrialSite.pages = {
        url: page for url, page in TrialSite.pages.items() if page.readers == "everyone"
    }
    sweep(TrialSite.name)
    never_there = asking(case("O23")["action"][0])
    assert lasting(visible.json()) == lasting(never_there.json())


def lasting(document: dict[str, Any]) -> dict[str, Any]:
    """What two answers to one question share: all but ids and the clock."""
    return {
        key: lasting(value) if isinstance(value, dict) else value
        for key, value in document.items()
        if key not in {"query_id", "conversation_id", "processing_time_ms"}
    }


@pytest.mark.parametrize("number", [0, 1])
def test_o26_no_shared_cache_may_keep_an_answer(trial_site, asking, number):
    response = asking(case("O26")["action"][number])
    assert "no-store" in response["Cache-Control"]
    streamed = number == 1
    kind = "text/event-stream" if streamed else "application/json"
    assert response["Content-Type"].startswith(kind)


@pytest.mark.parametrize(
    ("number", "kept"),
    [(0, True), (1, True), (2, False)],
    ids=["prose", "code", "import"],
)
def test_o40_code_stays_and_component_noise_goes(folder, asking, number, kept):
    folder(o40_file())
    found = addresses(asking(case("O40")["action"][number]))
    assert bool(found) is kept


def test_o40_the_text_of_the_page_is_kept_to_the_sign(folder):
    folder(o40_file())
    text = "\n".join(Passage.objects.values_list("text", flat=True))
    assert "# Mooring\nimport quay\nexport = quay.load()" in text
    assert "quay:v{TAG}" in text
    assert "<TOKEN>" in text
    assert not Passage.objects.filter(heading="Mooring").exists()
    for noise in ("import Aside", "export const level", "<Aside"):
        assert noise not in text


def o40_file() -> dict[str, str]:
    name, _colon, text = case("O40")["setup"]["file"].partition(":\n")
    return {name: text}


@pytest.mark.parametrize(("number", "page"), [(0, "a"), (1, "a"), (2, "a"), (3, "b")])
def test_o41_untidy_front_matter_loses_no_page(folder, asking, number, page):
    folder(case("O41")["setup"]["files"])
    assert addresses(asking(case("O41")["action"][number])) == [f"/docs/{page}/"]


def test_o41_the_title_is_read_and_the_file_is_named(folder):
    source = folder(case("O41")["setup"]["files"])
    assert Document.objects.get(object_id="a.md").name == "ADR 7: Where boats sleep"
    assert "a.md" in {problem.name for problem in source.iter_problems()}


@pytest.mark.parametrize(
    ("number", "status", "kind"),
    [
        (0, 200, "text/event-stream"),
        (1, 400, "application/json"),
        (2, 200, "application/json"),
    ],
)
def test_o43_a_stream_is_a_stream_also_for_mistakes(
    trial_site, asking, number, status, kind
):
    response = asking(case("O43")["action"][number])
    assert response.status_code == status
    assert response["Content-Type"].startswith(kind)


@pytest.mark.parametrize("number", [0, 1], ids=["own-host", "foreign-host"])
def test_o50_addresses_are_the_sites_own(trial_site, asking, settings, number):
    settings.ALLOWED_HOSTS = ["*"]
    SiteSettings.objects.update(base_url="https://site.example")
    TrialSite.pages = {"/notes": page_of({"url": "/notes", "title": "Notes"})}
    sweep(TrialSite.name)
    response = asking(case("O50")["action"][number])
    assert b"evil.example" not in response.content
    if response.status_code == 200:
        found = [result["url"] for result in response.json()["results"]]
        assert found == ["https://site.example/notes"]


def test_o51_the_version_of_an_old_page_can_be_read(trial_site, asking):
    offer("O51")
    found = asking(case("O51")["action"][1]).json()["results"]
    versions = {urlsplit(page["url"]).path: page["version"] for page in found}
    assert versions["/docs/2/moor/"] == "2"
