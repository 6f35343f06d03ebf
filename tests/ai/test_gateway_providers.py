"""A provider that litellm reaches in another way is bound by the same rules: Anthropic."""

from __future__ import annotations

import pytest

from tests.ai.asking import PROMPT, begin, make_deadline, model_at, reason_of

pytestmark = pytest.mark.first_leg


@pytest.fixture
def asked(model_server):
    """Return a function that begins an answer of this provider's."""

    def ask(**changed):
        deadline = changed.pop("deadline", None)
        model = model_at(
            model_server,
            model="anthropic/stub",
            base_url=model_server.origin,
            **changed,
        )
        return begin(model, deadline=deadline)

    return ask


def test_it_answers_in_pieces(model_server, asked):
    model_server.answers("Patch the tube.")
    with asked() as completion:
        pieces = list(completion)
    assert "".join(pieces) == "Patch the tube."
    assert len(pieces) > 1
    assert completion.usage.output_tokens == 3
    (request,) = model_server.requests
    assert (request.system, request.user) == (PROMPT.system, PROMPT.user)
    assert request.wire == "anthropic"


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [("401", "fault"), ("500", "fault"), ("429", "busy"), ("cut", "fault")],
)
def test_a_fault_is_told_by_its_reason(model_server, asked, behaviour, reason):
    model_server.behaves(behaviour)
    assert reason_of(lambda: list(asked()))[0] == reason
    assert model_server.calls == (2 if behaviour in {"429", "500"} else 1)


def test_a_redirect_is_not_followed(model_server, asked):
    model_server.behaves("redirect")
    assert reason_of(lambda: list(asked()))[0] == "fault"
    assert model_server.calls == 1


@pytest.mark.parametrize("behaviour", ["hang", "stall", "drip"])
def test_its_connection_is_closed_when_the_client_goes(model_server, asked, behaviour):
    model_server.behaves(behaviour)
    deadline = make_deadline()
    completion = asked(deadline=deadline)
    assert model_server.wait_for_calls(1, within=20)
    deadline.stop.set()
    assert model_server.wait_until_left(within=5)
    completion.close()


def test_a_drip_ends_with_the_time_out(model_server, asked):
    model_server.behaves("drip")
    reason, seconds = reason_of(lambda: list(asked(timeout=1.0)))
    assert reason == "time"
    assert seconds < 8
