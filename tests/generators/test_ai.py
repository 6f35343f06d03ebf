"""Answers that a language model writes, as they reach whoever asked."""

from __future__ import annotations

import json
import re
import threading
import time

import pytest
from django.utils import translation

from nlweb_ask.generators.ai import MAX_SENTENCES, AiGenerator
from nlweb_ask.plugins import Deadline, ModelUnavailable, Question
from nlweb_ask.protocol.events import Content
from nlweb_ask.protocol.writers import encode, writer_for
from nlweb_ask.testing import check_generator
from tests.asking import MEMBER, ask
from tests.generators.pages import page
from tests.site_in_memory import save

BOILS = "A kettle boils water in three minutes."
MOORED = "A barge is moored at the quay all winter."


class Says:
    """A model that gives these pieces, and notes what it was told and how it ended."""

    def __init__(self, *pieces, then=None):
        self.pieces, self.then = pieces, then
        self.prompts, self.closed = [], 0

    def __call__(self, step):
        assert step == "write"
        return self

    def complete(self, prompt, *, max_tokens):
        pytest.fail("it is asked to stream")

    def stream(self, prompt, *, max_tokens):
        self.prompts.append(prompt)
        try:
            yield from self.pieces
            if self.then is not None:
                raise self.then
        finally:
            self.closed += 1


def line(text, *quotes):
    cited = [{"id": number, "quote": quote} for number, quote in quotes]
    return json.dumps({"text": text, "quotes": cited}) + "\n"


@pytest.fixture
def pages(site, settings):
    settings.NLWEB_ASK = {"GENERATORS": ["ai", "extractive"], "PROCESSORS": []}
    save("kettle", "Kettles", f"{BOILS} Never boil an empty kettle.")
    save("barge", "Barges", f"{MOORED} It has a kettle.")
    save("galley", "Galley", "The galley kettle sings zanzibar.", readers="members")


def written(model, text="kettle", mode="generate", **more):
    return ask(text, models=model, mode=mode, **more)


def contents(answered):
    return [event for event in answered.events if isinstance(event, Content)]


def said(answered):
    return "".join(content.text for content in contents(answered))


def number_of(page_name, model_text="kettle"):
    """Return the number under which a page is shown for the question."""
    model = Says('{"answered": false}')
    written(model, model_text)
    shown = re.findall(r'id="(\d+)">\s*title: (\w+)', model.prompts[0].user)
    return {name: int(number) for number, name in shown}[page_name]


def test_the_words_of_the_model_come_with_the_words_of_the_page(pages):
    number = number_of("Kettles")
    answered = written(Says(line("It takes three minutes.", (number, BOILS))))
    [content] = contents(answered)
    [receipt] = content.citations
    assert content.text == "It takes three minutes."
    assert (receipt.start, receipt.end) == (0, len(content.text))
    assert receipt.url.startswith("https://site.example/pages/kettle/")
    assert receipt.quote == BOILS
    assert content.marks == ()
    assert answered.complete.generator == "ai"
    assert answered.complete.completeness == "complete"
    assert answered.complete.notice is None


@pytest.mark.parametrize("mode", ["summarize", "generate"])
def test_each_sentence_is_told_when_its_line_is_whole(pages, mode):
    first, second = line("It boils.", (1, BOILS)), line("It is moored.", (2, MOORED))
    model = Says(first, second[:9], second[9:])
    answered = written(model, mode=mode)
    assert [content.text for content in contents(answered)] == [
        "It boils.",
        " It is moored.",
    ]
    if mode == "summarize":
        assert answered.complete.summary == "It boils. It is moored."


def test_a_sentence_is_out_before_the_model_says_the_next_one():
    def pieces():
        yield line("It boils.", (1, BOILS))
        time.sleep(60)

    class Slow(Says):
        def stream(self, prompt, *, max_tokens):
            return pieces()

    sentences = _generate(Slow())
    assert next(sentences).text == "It boils."


def test_no_space_stands_between_sentences_of_languages_that_have_none(pages):
    answered = written(Says(line("湯が沸く。"), line("船は港にいる。")))
    assert said(answered) == "湯が沸く。船は港にいる。"


@pytest.mark.parametrize("mode", ["summarize", "generate"])
def test_only_pages_and_the_question_are_told_and_each_page_once(pages, mode):
    model = Says('{"answered": false}')
    written(model, "Which kettle?", mode=mode)
    [prompt] = model.prompts
    assert BOILS in prompt.user
    assert MOORED in prompt.user
    assert prompt.user.count("Which kettle?") == 1
    assert "zanzibar" not in prompt.user + prompt.system
    assert "site.example" not in prompt.user + prompt.system


def test_pages_that_only_some_may_see_are_in_no_prompt_even_for_them(pages):
    model = Says('{"answered": false}')
    answered = written(model, user=MEMBER)
    assert "Galley" in answered.names
    assert "zanzibar" not in model.prompts[0].user


def test_that_nothing_answers_is_said_in_words_of_the_site(pages):
    with translation.override("en"):
        answered = written(Says('{"answered": false}\n', line("But buy this.")))
    [content] = contents(answered)
    assert content.text == "The site does not seem to answer this."
    assert content.marks == ()
    assert answered.complete.generator == "ai"


def test_that_nothing_answers_ends_what_was_said_before(pages):
    model = Says(line("It boils.", (1, BOILS)), '{"answered": false}\n', line("More."))
    assert said(written(model)) == "It boils."


def test_what_the_model_says_is_never_a_remark_of_the_site(pages):
    forged = {"text": "Trust me.", "is_remark": True, "marks": [], "quotes": []}
    [content] = contents(written(Says(json.dumps(forged))))
    assert [mark.doubt for mark in content.marks] == ["uncited"]


@pytest.mark.parametrize(
    "pieces",
    [
        (),
        ("",),
        ("I cannot help with that.",),
        ("<html>502</html>",),
        ('{"text": "cut',),
    ],
    ids=["nothing", "empty", "prose", "html", "cut-off"],
)
def test_the_next_generator_writes_where_no_line_can_be_read(pages, pieces):
    plain = ask("kettle", mode="generate")
    answered = written(Says(*pieces))
    assert said(answered)
    assert answered.complete.generator == "extractive"
    assert answered.complete.completeness == "reduced"
    assert answered.complete.notice.code == "MODEL_UNAVAILABLE"
    assert answered.items == plain.items


def test_a_break_before_the_first_line_is_whole_leaves_the_writing_to_the_next(pages):
    model = Says('{"text": "It bo', then=ModelUnavailable(reason="time"))
    answered = written(model)
    assert answered.complete.generator == "extractive"
    assert answered.complete.notice.code == "MODEL_TIMEOUT"


def test_a_break_behind_the_first_line_leaves_a_failure_behind_it(pages):
    model = Says(line("It boils.", (1, BOILS)), then=ModelUnavailable(reason="time"))
    answered = written(model)
    assert said(answered) == "It boils."
    assert answered.failure is not None
    assert model.closed == 1


def test_a_page_without_words_leaves_the_writing_to_the_next(site, settings):
    settings.NLWEB_ASK = {"GENERATORS": ["ai", "extractive"]}
    save("kettle", "Kettle")
    model = Says(line("It boils."))
    answered = written(model)
    assert answered.complete.generator == "extractive"
    assert answered.complete.notice.code == "NO_WORDS"
    assert model.prompts == []


def test_a_sentence_is_not_said_twice(pages):
    answered = written(Says(*[line("It boils.", (1, BOILS))] * 50))
    assert said(answered) == "It boils."


def test_an_answer_ends_when_it_has_enough_sentences(pages):
    def endless():
        number = 0
        while True:
            number += 1
            yield line(f"Kettle {'x' * number}.")

    model = Says()
    model.pieces = endless()
    assert len(contents(written(model))) == MAX_SENTENCES
    assert model.closed == 1


FORGED = [
    'Done.\n\nevent: complete\ndata: {"_meta": {}}\n\n',
    "Done.\r\rid: 7\revent: failure\rdata: {}\r\r",
    "Done.\u2028event: end\u2028data: {}",
    "Done.\x85\x85event: result\x85data: {}",
    '"}\n\ndata: {"message_type": "complete"}\n\n',
    ": keepalive\n\nretry: 1\n\n",
]
DIALECTS = [
    {},
    {"version": "0.54"},
    {"version": "0.5"},
    {"version": "0.1"},
    {"version": "0.1", "legacy_stream": True},
    {"ask_family": True},
]


@pytest.mark.parametrize("dialect", DIALECTS, ids=str)
@pytest.mark.parametrize("text", FORGED)
def test_no_event_is_forged_by_what_a_model_says(pages, dialect, text):
    def frames(words):
        asked = Question(text="kettle", query_id="q", conversation_id="c", **dialect)
        answered = written(Says(json.dumps({"text": words})), **dialect)
        messages = [*map(encode, writer_for(asked).messages(answered.events))]
        whole = b"".join(messages)
        assert b"\r" not in whole
        assert not {"\u2028", "\u2029", "\x85"} & set(whole.decode())
        assert whole.count(b"\n\n") == len(messages)
        return [re.sub(rb"data: .*", b"", message) for message in messages]

    assert frames(text) == frames("Done.")


STEPPED_DOWN = ("extractive", "reduced", "BUDGET")
WHO_WROTE = [
    ({"pieces": [line("It boils.", (1, BOILS))]}, ("ai", None, None)),
    ({"then": ModelUnavailable(reason="budget")}, STEPPED_DOWN),
]


@pytest.mark.parametrize("mode", ["summarize", "generate"])
@pytest.mark.parametrize("dialect", DIALECTS, ids=str)
@pytest.mark.parametrize(("model", "told"), WHO_WROTE, ids=["ai", "stepped-down"])
def test_who_wrote_and_why_is_told_in_every_dialect(pages, mode, dialect, model, told):
    asked = Question(text="kettle", query_id="q", conversation_id="c", **dialect)
    says = Says(*model.get("pieces", ()), then=model.get("then"))
    answered = written(says, mode=mode, **dialect)
    writer = writer_for(asked)
    [complete] = [
        data["_meta"]
        for kind, data in _kinds(writer.messages(answered.events))
        if kind == "complete"
    ]
    metas = [complete]
    if dialect.get("version") != "0.1":  # where a document has no place for it
        metas.append(writer.document(answered.events)[1]["_meta"])
    for meta in metas:
        notice = meta.get("notice")
        assert told == (
            meta["generator"],
            meta.get("completeness"),
            notice and notice["code"],
        )
        assert notice is None or "budget" in notice["text"]


def _kinds(messages):
    return [(message.kind, message.data) for message in messages]


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\u200b", "\ufeff", "\u00ad"])
def test_signs_that_are_not_seen_are_not_told(pages, sign):
    assert said(written(Says(line(f"Click{sign} here{sign}.")))) == "Click here."


def _generate(model, deadline=None):
    deadline = deadline or Deadline(time.monotonic() + 60, threading.Event())
    generator = AiGenerator().with_models(model)
    results = [page("kettle", BOILS), page("barge", MOORED)]
    return generator.generate(Question(text="kettle"), results, deadline)


def test_nothing_more_is_taken_of_a_model_once_nobody_waits():
    stop = threading.Event()
    taken = []

    def pieces():
        for number in range(100):
            taken.append(number)
            yield line(f"Kettle {'x' * number}.")

    model = Says()
    model.pieces = pieces()
    sentences = _generate(model, Deadline(time.monotonic() + 60, stop))
    next(sentences)
    stop.set()
    assert list(sentences) == []
    assert len(taken) == 2
    assert model.closed == 1


def test_the_model_is_stopped_when_the_generator_is_closed():
    model = Says(line("It boils."), line("It is moored."))
    sentences = _generate(model)
    next(sentences)
    assert model.closed == 0
    sentences.close()
    assert model.closed == 1


def test_a_model_that_talks_past_the_deadline_is_out_of_time():
    model = Says(line("It boils."), line("It is moored."))
    sentences = _generate(model, Deadline(time.monotonic() + 0.2, threading.Event()))
    next(sentences)
    time.sleep(0.3)
    with pytest.raises(ModelUnavailable) as raised:
        next(sentences)
    assert raised.value.reason == "time"
    assert model.closed == 1


def test_without_a_model_it_is_off():
    with pytest.raises(ModelUnavailable) as raised:
        next(
            AiGenerator().generate(
                Question(text="kettle"),
                [page("kettle", BOILS)],
                Deadline(time.monotonic() + 60, threading.Event()),
            )
        )
    assert raised.value.reason == "off"


def test_it_keeps_the_promises_of_a_generator():
    model = Says(line("It boils.", (1, BOILS)), line("It is moored.", (2, MOORED)))
    results = [page("kettle", BOILS), page("barge", MOORED)]
    check_generator(AiGenerator().with_models(model), Question(text="kettle"), results)
