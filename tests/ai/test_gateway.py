from __future__ import annotations

import gc
import threading
from contextlib import suppress

import numpy as np
import pytest

from nlweb_ask.ai import gateway, providers
from nlweb_ask.ai.failures import Failure
from nlweb_ask.plugins.errors import ModelUnavailable
from nlweb_ask.plugins.types import Prompt
from tests.ai.asking import (
    PROMPT,
    begin,
    complete,
    embed,
    embedder_at,
    make_deadline,
    model_at,
    stream,
)

pytestmark = pytest.mark.first_leg


def test_a_model_answers_in_pieces(model_server):
    model_server.answers("Patch the tube.")
    pieces = stream(model_server)
    assert "".join(pieces) == "Patch the tube."
    assert len(pieces) > 1


def test_a_model_is_sent_the_prompt_its_limits_and_the_key(model_server):
    list(begin(model_at(model_server, extra={"temperature": 0}), max_tokens=7))
    (request,) = model_server.requests
    assert (request.system, request.user) == (PROMPT.system, PROMPT.user)
    assert request.body["max_tokens"] == 7
    assert request.body["temperature"] == 0
    assert request.headers["authorization"] == "Bearer sk-test-9f3aZZ"


def test_a_parameter_that_litellm_does_not_know_of_a_model_is_sent(model_server):
    list(begin(model_at(model_server, extra={"reasoning_effort": "low", "top_k": 3})))
    assert model_server.requests[0].body["reasoning_effort"] == "low"
    assert model_server.requests[0].body["top_k"] == 3


def test_an_answer_is_never_longer_than_the_model_is_allowed_to_write(model_server):
    list(begin(model_at(model_server, max_tokens=5), max_tokens=100))
    assert model_server.requests[0].body["max_tokens"] == 5


def test_a_prompt_without_system_words_is_sent_without_a_system_message(model_server):
    deadline = make_deadline()
    prompt = Prompt(system="", user="?")
    model = model_at(model_server)
    list(gateway.stream(model, prompt, max_tokens=5, deadline=deadline))
    assert [m["role"] for m in model_server.requests[0].body["messages"]] == ["user"]


def test_json_is_asked_for_where_a_plug_in_wants_it(model_server):
    complete(model_server)
    assert model_server.requests[0].body["response_format"] == {"type": "json_object"}


def test_what_an_answer_used_is_known_at_its_end(model_server):
    model_server.answers("Patch the tube.")
    with begin(model_at(model_server)) as completion:
        assert completion.usage is None
        list(completion)
    assert completion.usage == gateway.Usage(8, 3, 14)  # at 1 and 2 a million


def test_usage_is_counted_where_the_provider_does_not_tell_it(model_server):
    model_server.tells_usage = False
    model_server.answers("Patch the tube. " * 20)
    with begin(model_at(model_server)) as completion:
        assert list(completion)
    assert 60 <= completion.usage.output_tokens <= 320


def test_usage_is_unknown_where_the_answer_broke_off(model_server):
    model_server.behaves("cut")
    with begin(model_at(model_server)) as completion, suppress(ModelUnavailable):
        list(completion)
    assert completion.usage is None


def test_cost_is_unknown_without_prices(model_server):
    with begin(model_at(model_server, input_price=None)) as completion:
        list(completion)
    assert completion.usage.cost_micros is None


def test_an_answer_says_that_it_was_cut_at_its_limit(model_server):
    model_server.behaves("length")
    with begin(model_at(model_server)) as completion:
        assert not completion.was_cut
        list(completion)
    assert completion.was_cut


def test_an_iterator_may_outlive_the_name_of_its_completion(model_server):
    model_server.answers("word " * 50)
    pieces = iter(begin(model_at(model_server)))
    next(pieces)
    gc.collect()
    assert len("".join(pieces)) > 200


def test_texts_are_embedded_in_their_order_in_one_call(model_server):
    model_server.embeds(lambda texts: [[float(len(text)), 0.5] for text in texts])
    embedded = gateway.embed(
        embedder_at(model_server), ["a", "bbb", "cc"], deadline=make_deadline()
    )
    assert embedded.vectors.dtype == np.float32
    assert embedded.vectors.tolist() == [[1, 0.5], [3, 0.5], [2, 0.5]]
    assert embedded.usage.cost_micros == embedded.usage.input_tokens
    assert model_server.calls == 1


def test_a_width_is_asked_for_where_the_settings_say_one(model_server):
    embed(model_server, width=8)
    assert model_server.requests[0].body["dimensions"] == 8


def test_no_texts_are_embedded_without_a_call(model_server):
    model = embedder_at(model_server, width=3)
    embedded = gateway.embed(model, [], deadline=make_deadline())
    assert embedded.vectors.shape == (0, 3)
    assert model_server.calls == 0


@pytest.mark.parametrize(
    "vectors",
    [
        pytest.param([[1.0, 2.0]], id="one-is-missing"),
        pytest.param([[1.0], [1.0, 2.0]], id="widths-differ"),
        pytest.param([[], []], id="no-numbers"),
        pytest.param([[1.0], [float("inf")]], id="infinite"),
        pytest.param([[1.0], [1e300]], id="too-large-for-a-float32"),
        pytest.param([[1.0], [float("nan")]], id="not-a-number"),
        pytest.param([["high"], [1.0]], id="words"),
    ],
)
def test_vectors_that_cannot_be_used_are_a_fault(model_server, vectors):
    model_server.embeds(lambda _: vectors)
    with pytest.raises(ModelUnavailable, match="fault"):
        embed(model_server)


def test_a_model_without_its_key_is_not_asked(model_server, monkeypatch, caplog):
    monkeypatch.delenv("MODEL_SERVER_KEY")
    with pytest.raises(ModelUnavailable, match="fault"):
        stream(model_server)
    assert model_server.calls == 0
    said = "model=stub not asked: no key, MODEL_SERVER_KEY is not set"
    assert caplog.messages == [said]


def test_a_local_server_is_not_sent_the_key_of_another_provider(
    model_server, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    stream(model_server, key_variable="")
    assert model_server.requests[0].headers["authorization"] == "Bearer none"


def test_nobody_is_asked_when_the_client_has_gone(model_server):
    deadline = make_deadline()
    deadline.stop.set()
    with pytest.raises(ModelUnavailable, match="stopped"):
        begin(model_at(model_server), deadline=deadline)
    assert model_server.calls == 0


def test_nobody_is_asked_when_hardly_any_time_is_left(model_server):
    with pytest.raises(ModelUnavailable, match="time"):
        begin(model_at(model_server), deadline=make_deadline(0.1))
    assert model_server.calls == 0


def test_many_threads_may_ask_at_once(model_server):
    model_server.answers(lambda request: request.body["temperature"] * "so ")
    said = {}

    def ask(number):
        model = model_at(model_server, extra={"temperature": number})
        said[number] = "".join(begin(model)).count("so")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(1, 17)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert said == {number: number for number in range(1, 17)}


def test_input_tokens_are_never_underestimated():
    # The worst a tokenizer does is a token for each byte.
    prompt = Prompt(system="é" * 10, user="自転車")
    assert gateway.input_tokens_at_most(prompt) >= 20 + 9


def test_a_cost_without_prices_is_the_one_that_litellm_knows(model_server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.url)
    model = model_at(
        model_server, model="openai/gpt-4o-mini", base_url="", input_price=None
    )
    model_server.answers("word " * 1000)
    with begin(model, max_tokens=2000) as completion:
        list(completion)
    assert 100 < completion.usage.cost_micros < 10_000


def test_a_key_goes_to_no_provider_but_its_own():
    perplexity = providers.LanguageModel(label="", model="perplexity/sonar")
    assert gateway._address(perplexity) == "https://api.perplexity.ai"
    for name in gateway.OPENAI_CLIENT - {"openai"}:
        model = providers.LanguageModel(label="", model=f"{name}/stub")
        try:
            address = gateway._address(model)
        except Failure:
            continue
        assert "openai.com" not in address
