"""No prompt, key, address or word of a provider is logged, printed or shown."""

from __future__ import annotations

import logging
import traceback

import pytest
from django.views.debug import ExceptionReporter

from nlweb_ask.ai import gateway
from nlweb_ask.plugins.errors import ModelUnavailable
from nlweb_ask.plugins.types import Prompt
from tests.ai.asking import PROMPT, begin, embedder_at, make_deadline, model_at
from tests.model_server import KEY

pytestmark = pytest.mark.first_leg

SECRETS = {
    "the key": KEY,
    "the provider's address": "provider.example",
    "the system prompt": "be-as-kind-as-canary-1",
    "the user's words": "canary-2-of-a-visitor",
    "the answer": "canary-3-of-the-model",
    "a text to embed": "canary-4-of-a-page",
    "the server's address": "127.0.0.1",
}
BEHAVIOURS = [
    *("normal", "401", "429", "500", "html", "cut", "invalid json", "empty"),
    *("invalid utf-8", "redirect", "endless"),
]


@pytest.fixture
def everything_is_logged(caplog):
    """Let every logger there is, and each that is to come, log at DEBUG."""
    names = [name for name in logging.root.manager.loggerDict if "django" not in name]
    loggers = [logging.getLogger(name) for name in ["root", *names]]
    levels = [(one, one.level, one.disabled, one.propagate) for one in loggers]
    for one in loggers:
        one.disabled, one.propagate = False, True
        one.setLevel(logging.DEBUG)
    caplog.set_level(logging.DEBUG)
    yield caplog
    for one, level, disabled, propagate in levels:
        one.setLevel(level)
        one.disabled, one.propagate = disabled, propagate


def ask_both_ways(server):
    """Ask for an answer and for vectors; return what is raised."""
    raised = []
    prompt = Prompt(
        system=SECRETS["the system prompt"], user=SECRETS["the user's words"]
    )
    server.answers(SECRETS["the answer"])
    texts = [SECRETS["a text to embed"]]
    for ask in (
        lambda: list(
            gateway.stream(
                model_at(server), prompt, max_tokens=50, deadline=make_deadline()
            )
        ),
        lambda: gateway.embed(embedder_at(server), texts, deadline=make_deadline()),
    ):
        try:
            ask()
        except ModelUnavailable as error:
            raised.append(error)
    return raised


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_nothing_of_a_call_is_logged_or_printed(
    model_server, everything_is_logged, capfd, behaviour
):
    model_server.behaves(behaviour)
    raised = ask_both_ways(model_server)
    model_server.wait_until_idle(within=5)
    logged = "\n".join(
        f"{record.name} {record.getMessage()} {record.__dict__}"
        for record in everything_is_logged.records
    )
    printed = "".join(capfd.readouterr())
    shown = "".join("".join(traceback.format_exception(error)) for error in raised)
    for what, secret in SECRETS.items():
        assert secret not in logged, what
        assert secret not in printed, what
        assert secret not in shown, what


def test_libraries_log_as_ever_outside_of_a_call(model_server, everything_is_logged):
    ask_both_ways(model_server)
    logging.getLogger("httpx").info("a request of the site itself")
    assert "a request of the site itself" in everything_is_logged.text


def test_what_is_raised_has_neither_cause_nor_context(model_server):
    model_server.behaves("401")
    (error, _) = ask_both_ways(model_server)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert str(error) == "fault"


def test_a_failure_is_logged_by_label_reason_kind_and_status(model_server, caplog):
    model_server.behaves("401")
    ask_both_ways(model_server)
    said = "model=stub not to be had: reason=fault kind=AuthenticationError status=401"
    assert [record.getMessage() for record in caplog.records] == [said, said]


def test_an_error_report_does_not_show_what_was_asked(
    model_server, settings, monkeypatch
):
    settings.DEBUG = False
    monkeypatch.delenv("MODEL_SERVER_KEY")
    with pytest.raises(ModelUnavailable) as raised:
        begin(model_at(model_server))
    error = (raised.type, raised.value, raised.tb)
    shown = ExceptionReporter(None, *error).get_traceback_html()
    assert "gateway.py" in shown
    assert PROMPT.user not in shown
    assert PROMPT.system not in shown


@pytest.mark.parametrize(
    "name",
    ["callbacks", "input_callback", "success_callback", "_async_failure_callback"],
)
def test_nothing_is_asked_while_callbacks_of_the_site_would_be_told(
    model_server, monkeypatch, caplog, name
):
    import litellm

    told = []
    monkeypatch.setattr(litellm, name, [lambda *args: told.append(args)])
    raised = ask_both_ways(model_server)
    assert [error.reason for error in raised] == ["fault", "fault"]
    assert model_server.calls == 0
    assert not told
    assert "kind=Overheard" in caplog.text


@pytest.fixture
def cache_of_the_site():
    import litellm

    names = ("input_callback", "success_callback", "_async_success_callback")
    before = [(name, list(getattr(litellm, name))) for name in names]
    litellm.cache = litellm.Cache()
    yield litellm.cache.cache
    litellm.cache = None
    for name, callbacks in before:
        setattr(litellm, name, callbacks)


def test_a_cache_of_the_site_keeps_nothing(model_server, cache_of_the_site):
    assert not ask_both_ways(model_server)
    assert not ask_both_ways(model_server)
    assert model_server.calls == 4
    assert not cache_of_the_site.cache_dict
