from __future__ import annotations

import io
import json

import pytest
from django.core.management import CommandError, call_command

from nlweb_ask.management.commands.nlweb_ask import Command
from nlweb_ask.models import AccessGrant, Grantee, IndexProfile, SiteSettings
from nlweb_ask.plugins import (
    Elicitation,
    Ended,
    ModelUnavailable,
    Sentence,
    generators,
    processors,
    rankers,
)
from tests.factories import GroupFactory, SiteSettingsFactory, StaffFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _site():
    """A site that is switched on, with two pages of the example's models."""
    from example_site.models import BlogPosting

    SiteSettingsFactory(enabled=True)
    for slug, title, audience in [
        ("stone", "Sharpening on a stone", "public"),
        ("box", "The stone behind the key box", "staff"),
    ]:
        BlogPosting.objects.create(
            slug=slug,
            title=title,
            summary=f"{title}, in short.",
            body="<p>Soak the stone and hold the blade at fifteen degrees.</p>",
            author="Tobin Fell",
            published="2026-06-18",
            audience=audience,
        )


def ask(*args: str, **options) -> tuple[int, str]:
    """Run the command; return its exit code and what it printed."""
    out = io.StringIO()
    try:
        call_command("nlweb_ask", *args, stdout=out, stderr=out, **options)
    except SystemExit as exited:
        return int(exited.code or 0), out.getvalue()
    except CommandError as error:
        return error.returncode, str(error)
    return 0, out.getvalue()


def test_answer_names_each_page_with_address_score_and_words():
    code, printed = ask("How do I sharpen on a stone?")
    assert code == 0
    assert "Sharpening on a stone  (100)" in printed
    assert "/journal/stone/" in printed
    assert "Sharpening on a stone, in short." in printed
    assert "1 page." in printed


def test_exit_code_is_one_when_nothing_is_found():
    code, printed = ask("zeppelins")
    assert (code, printed) == (1, "0 pages.\n")


def test_anonymous_visitor_is_not_shown_what_a_user_is():
    StaffFactory(username="boss")
    assert "key box" not in ask("stone")[1]
    assert "key box" in ask("stone", "--user", "boss")[1]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param(["stone", "--user", "nobody"], "no user 'nobody'", id="user"),
        pytest.param(["stone", "--profile", "x"], "profile 'x'", id="profile"),
        pytest.param(["stone", "--site", "elsewhere"], "site 'elsewhere'", id="site"),
        pytest.param(["   "], "blank", id="blank-question"),
        pytest.param([""], "blank", id="empty-question"),
        pytest.param(["x" * 1001], "longer than", id="endless-question"),
        pytest.param(["\udcff"], "", id="question-that-is-not-text"),
    ],
)
def test_error_is_told_and_gives_exit_code_two(args, message):
    code, printed = ask(*args)
    assert message in printed
    assert code == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param(["stone", "--mode", "sing"], "invalid choice", id="mode"),
        pytest.param(["stone", "--json", "--stream"], "not allowed", id="two-forms"),
        pytest.param([], "required", id="no-question"),
    ],
)
def test_options_that_cannot_be_meant_give_exit_code_two(args, message, capsys):
    with pytest.raises(SystemExit) as exited:
        Command().run_from_argv(["manage.py", "nlweb_ask", *args])
    assert exited.value.code == 2
    assert message in capsys.readouterr().err


def test_switched_off_site_says_how_to_switch_it_on():
    SiteSettings.objects.update(enabled=False)
    code, printed = ask("stone")
    assert code == 2
    assert "Switched on" in printed
    assert "admin" in printed


def test_user_who_was_deactivated_is_refused():
    UserFactory(username="left", is_active=False)
    assert ask("stone", "--user", "left")[0] == 2


def test_grants_are_those_of_the_user():
    members = GroupFactory(name="members")
    UserFactory(username="ann", groups=[members])
    AccessGrant.objects.all().delete()
    AccessGrant.objects.create(kind=Grantee.GROUP, group=members)
    assert ask("stone")[0] == 2
    assert ask("stone", "--user", "ann")[0] == 0


def test_profile_that_the_user_may_not_ask_is_as_unknown_as_one_that_is_not_there():
    AccessGrant.objects.all().delete()
    open_one = IndexProfile.objects.create(name="open")
    IndexProfile.objects.create(name="secret")
    AccessGrant.objects.create(kind=Grantee.EVERYONE, profile=open_one)
    secret = ask("stone", "--profile", "secret")
    missing = ask("stone", "--profile", "missing")
    assert secret[0] == missing[0] == 2
    assert secret[1].replace("secret", "missing") == missing[1]


def test_profile_says_where_to_look():
    IndexProfile.objects.create(name="all")
    IndexProfile.objects.create(name="kitchen", sources=["recipes"])
    assert ask("stone", "--profile", "kitchen")[0] == 1


def test_json_is_the_document_of_version_0_55():
    code, printed = ask("stone", "--json")
    document = json.loads(printed)
    assert code == 0
    assert document["_meta"]["version"] == "0.55"
    assert document["_meta"]["response_type"] == "answer"
    assert [found["name"] for found in document["results"]] == ["Sharpening on a stone"]


def test_json_of_an_empty_answer_has_exit_code_one():
    code, printed = ask("zeppelins", "--json")
    assert code == 1
    assert json.loads(printed)["results"] == []


def test_stream_prints_events_that_end_with_the_terminal():
    code, printed = ask("stone", "--stream")
    events = [line for line in printed.splitlines() if line.startswith("event: ")]
    assert code == 0
    assert events[0] == "event: start"
    assert events[-2:] == ["event: complete", "event: end"]
    assert "event: result" in events


def test_mode_that_the_site_has_not_gives_its_pages_and_says_so(settings):
    settings.NLWEB_ASK = {**settings.NLWEB_ASK, "GENERATORS": []}
    code, printed = ask("stone", "--mode", "generate")
    assert code == 0
    assert "Sharpening on a stone" in printed
    assert "nothing that could write" in printed


def test_why_an_answer_is_less_than_it_could_be_is_told(settings):
    generators.register(Exhausted)
    try:
        settings.NLWEB_ASK = {"GENERATORS": ["exhausted", "extractive"]}
        code, printed = ask("How to sharpen on a stone?", "--mode", "generate")
    finally:
        generators.unregister("exhausted")
    assert code == 0
    assert "The budget for language models is used up" in printed


@pytest.mark.parametrize("mode", ["list", "summarize", "generate"])
def test_plug_ins_that_ask_models_are_left_out_where_none_is_set_up(settings, mode):
    settings.NLWEB_ASK = {
        "PROCESSORS": ["rewrite", "elicit_ai"],
        "RANKERS": ["relevance", "decide"],
        "GENERATORS": ["ai", "extractive"],
    }
    _code, printed = ask("stone", "--mode", mode, "--json")
    meta = json.loads(printed)["_meta"]
    assert "notice" not in meta
    assert "completeness" not in meta
    assert meta.get("generator") == (None if mode == "list" else "extractive")


def test_that_nothing_can_write_is_told_where_no_model_is_set_up(settings):
    settings.NLWEB_ASK = {"GENERATORS": ["ai"]}
    _code, printed = ask("stone", "--mode", "generate")
    assert "No text could be written; these are the pages." in printed
    assert "switched off" not in printed


def test_model_that_was_picked_and_is_gone_is_not_called_switched_off(settings):
    settings.NLWEB_ASK = {
        "MODELS": {"small": {"model": "openai/m", "base_url": "http://localhost:9/v1"}},
        "RANKERS": ["relevance"],
    }
    SiteSettings.objects.update(language_model="gone")
    _code, printed = ask("stone")
    assert "The language model that this site is set to ask is missing." in printed
    assert "The pages were not put in order by a model." in printed


def test_who_wrote_is_told_and_the_count_stands_apart_from_the_text():
    _code, printed = ask("How to sharpen on a stone?", "--mode", "generate")
    assert printed.endswith("\n\nWritten by the generator “extractive”.\n1 page.\n")
    assert "Written by" not in ask("stone")[1]


@pytest.mark.parametrize("mode", ["list", "generate"])
def test_that_a_ranker_left_no_page_is_told_once(settings, mode):
    class DropsAll:
        name = "drops_all"

        def rank(self, question, results):
            return []

    rankers.register(DropsAll)
    try:
        settings.NLWEB_ASK = {"RANKERS": ["drops_all"]}
        code, printed = ask("stone", "--mode", mode)
    finally:
        rankers.unregister("drops_all")
    assert code == 1
    assert printed.count("The site does not seem to answer this.") == 1


def test_what_is_asked_back_is_told_once_with_its_options_in_words(settings):
    class AsksBack:
        name = "asks_back"

        def process(self, question, viewer):
            options = ["NewsArticle", "Event", "other"]
            asked = {"text": "Which?", "options": options}
            raise Ended(Elicitation(text="Which?", questions=(asked,)))

    processors.register(AsksBack)
    try:
        settings.NLWEB_ASK = {"PROCESSORS": ["asks_back"]}
        _code, printed = ask("stone")
    finally:
        processors.unregister("asks_back")
    assert printed.startswith("Which?\nNews (NewsArticle), Event, other\n")


class Exhausted:
    """Stands for a generator whose model may be asked no more today."""

    name = "exhausted"

    def generate(self, question, results, deadline):
        raise ModelUnavailable(reason="budget")


def test_short_question_is_completed_by_the_one_before(settings):
    settings.NLWEB_ASK = {"PROCESSORS": ["follow_up"]}
    code, printed = ask(
        "And on a box?", "--prev", "zeppelins", "--prev", "How do I sharpen on a stone?"
    )
    assert code == 0
    assert "Understood as: How do I sharpen on a box?" in printed
    assert "Understood as" not in ask("How do I sharpen on a stone?")[1]


def test_what_is_in_doubt_is_told_behind_the_sentence(settings):
    class Teller:
        name = "teller"

        def generate(self, question, results, deadline):
            yield Sentence(text="It is so. ")
            yield Sentence(text="It is not.")

    generators.register(Teller)
    settings.NLWEB_ASK = {"GENERATORS": ["teller"]}
    _code, printed = ask("stone", "--mode", "generate")
    generators.unregister("teller")
    doubt = "(no page is quoted for this)"
    assert f"It is so. {doubt} It is not. {doubt}" in " ".join(printed.split())


def test_page_cannot_steer_the_terminal():
    from example_site.models import BlogPosting

    page = BlogPosting.objects.get(slug="stone")
    page.title = "Sharpening \x1b[2J stone"
    page.save()
    assert "\x1b[2J" not in ask("stone")[1]


def test_site_is_picked_by_its_id():
    assert ask("stone", "--site", "0")[0] == 0


def test_reader_of_a_pipe_may_leave_early(tmp_path):
    class ClosedPipe(io.TextIOWrapper):
        def write(self, text):
            raise BrokenPipeError

    with (tmp_path / "pipe").open("wb") as target, ClosedPipe(target) as out:
        call_command("nlweb_ask", "stone", stdout=out)
