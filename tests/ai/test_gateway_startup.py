"""litellm is imported when a model is first asked, and not before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.first_leg

ROOT = Path(__file__).parent.parent.parent
SET_UP = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
os.environ["OPENAI_API_KEY"] = "sk-test"
import django
from django.conf import settings
settings.NLWEB_ASK = {**getattr(settings, "NLWEB_ASK", {}), "ENABLED": True, "MODELS": {
    "small": {"model": "openai/gpt-5-mini", "key_variable": "OPENAI_API_KEY"}}}
django.setup()
HEAVY = {"litellm", "openai", "httpx", "aiohttp", "tiktoken"}
def imported():
    return HEAVY & sys.modules.keys()
"""
LIST_QUESTION = """
from django.test.runner import DiscoverRunner
from django.test import Client
DiscoverRunner(verbosity=0).setup_databases()
from tests.site_in_memory import save, site_in_memory
with site_in_memory():
    save("1", "How to mend a puncture", "Patch the tube.")
    answer = Client().post("/ask", {"query": {"text": "puncture"}}, "application/json")
assert answer.status_code == 200, answer.content
"""


def run(*parts, timeout=300):
    return subprocess.run(
        [sys.executable, "-c", "\n".join(parts)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def test_litellm_is_not_imported_at_start_up():
    done = run(SET_UP, "print(imported())")
    assert done.stdout == "set()\n", done.stderr


def test_litellm_is_not_imported_by_a_list_question():
    done = run(SET_UP, LIST_QUESTION, "print(imported())")
    assert done.stdout == "set()\n", done.stderr


def test_litellm_is_not_imported_by_the_system_checks():
    checks = "from django.core.management import call_command; call_command('check')"
    done = run(SET_UP, checks, "print(imported())")
    assert done.stdout.endswith("set()\n"), done.stderr


FIRST_QUESTION = """
import threading, time
from nlweb_ask.ai import gateway, providers
from nlweb_ask.plugins.contracts import Deadline
from nlweb_ask.plugins.errors import ModelUnavailable
from nlweb_ask.plugins.types import Prompt
from tests.model_server import model_server
def ask(server, seconds, timeout):
    model = providers.LanguageModel(
        label="stub", model="openai/stub", base_url=server.url, timeout=timeout)
    deadline = Deadline(time.monotonic() + seconds, threading.Event())
    prompt = Prompt(system="", user="?")
    return "".join(
        gateway.stream(model, prompt, max_tokens=9, deadline=deadline))
"""


def test_the_import_is_not_counted_against_the_model():
    # Its own 2 seconds are fewer than the import takes anywhere.
    asked = "with model_server() as server: print(ask(server, 250, 2.0))"
    done = run(SET_UP, FIRST_QUESTION, asked)
    assert done.stdout == "A stub wrote this.\n", done.stderr


def test_questions_that_end_during_the_import_send_nothing_and_count_for_nothing():
    asked = """
told = []
def ask_in_vain(server):
    try:
        ask(server, 0.3, 20.0)
    except ModelUnavailable as error:
        told.append(str(error))
with model_server() as server:
    # More than the failures after which a model is left alone, at once: the import takes
    # longer than one question, and no more is sure.
    askers = [threading.Thread(target=ask_in_vain, args=[server]) for _ in range(6)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    print(*told)
    gateway.warm_up().result()
    time.sleep(0.5)
    print(server.calls, ask(server, 60, 20.0))
"""
    done = run(SET_UP, FIRST_QUESTION, asked)
    said = "time time time time time time\n0 A stub wrote this.\n"
    assert done.stdout == said, done.stderr


def test_without_litellm_no_model_is_to_be_had():
    asked = """
sys.modules["litellm"] = None
with model_server() as server:
    try:
        ask(server, 20, 20.0)
    except ModelUnavailable as error:
        print(error)
"""
    done = run(SET_UP, FIRST_QUESTION, asked)
    assert done.stdout == "fault\n", done.stderr


def test_a_process_that_was_forked_asks_with_a_room_of_its_own():
    asked = """
with model_server() as server:
    print(ask(server, 250, 20.0), flush=True)
    child = os.fork()
    if not child:
        print(ask(server, 60, 20.0), flush=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    print(status)
"""
    done = run(
        "import warnings; warnings.simplefilter('ignore')",
        SET_UP,
        FIRST_QUESTION,
        asked,
    )
    assert done.stdout == "A stub wrote this.\nA stub wrote this.\n0\n", done.stderr


def test_a_process_ends_quietly_while_a_model_hangs():
    # That the server ends first may be seen in time, and is told then.
    asked = """
import logging; logging.getLogger("nlweb_ask").setLevel(logging.CRITICAL)
with model_server() as server:
    ask(server, 250, 20.0)
    server.behaves("hang")
    model = providers.LanguageModel(label="stub", model="openai/stub", base_url=server.url)
    deadline = Deadline(time.monotonic() + 60, threading.Event())
    kept = gateway.stream(
        model, Prompt(system="", user="?"), max_tokens=9, deadline=deadline)
    server.wait_for_calls(2, within=10)
print("done")
"""
    done = run(
        "import warnings; warnings.simplefilter('ignore')",
        SET_UP,
        FIRST_QUESTION,
        asked,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


def test_no_thread_of_models_is_in_the_midst_of_anything_when_a_process_ends():
    # What is registered first is called last.
    told = """
import atexit, threading
@atexit.register
def tell():
    print([each.name for each in threading.enumerate() if "nlweb" in each.name])
"""
    asked = """
with model_server() as server:
    ask(server, 250, 20.0)
"""
    done = run(told, SET_UP, FIRST_QUESTION, asked)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr


EMBED = """
from tests.factories import SiteSettingsFactory
from django.test.runner import DiscoverRunner
DiscoverRunner(verbosity=0).setup_databases()
SiteSettingsFactory()
from nlweb_ask.ai.embedders import embedder
from nlweb_ask.models import ModelLease
def embed(base_url, timeout):
    settings.NLWEB_ASK = {**settings.NLWEB_ASK, "EMBEDDERS": {"srv": {
        "model": "openai/stub-e", "base_url": base_url, "timeout": timeout}}}
    return embedder().embed(["a kettle"], site_id=0).shape
def counted():
    return list(ModelLease.objects.values_list("settled", "calls"))
"""


def test_the_import_is_not_counted_against_an_embedder():
    # Its own 2 seconds are fewer than the import takes anywhere.
    asked = "with model_server() as server: print(embed(server.url, 2.0), server.calls)"
    done = run(SET_UP, FIRST_QUESTION, EMBED, asked, "print(counted())")
    assert done.stdout == "(1, 8) 1\n[(True, 1)]\n", done.stderr


def test_a_text_whose_import_takes_too_long_is_not_sent_and_counts_for_nothing():
    asked = """
from nlweb_ask.ai import embedders
embedders.IMPORT_SECONDS = 0.5
with model_server() as server:
    try:
        embed(server.url, 0.3)
    except ModelUnavailable as error:
        print(error, counted())
    gateway.warm_up().result()
    time.sleep(0.5)
    print(server.calls)
"""
    done = run(SET_UP, FIRST_QUESTION, EMBED, asked)
    assert done.stdout == "time [(True, 0)]\n0\n", done.stderr
