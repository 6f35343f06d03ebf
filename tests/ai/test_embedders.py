"""What makes vectors: the packaged model, a class of the site's own, a hosted model."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured

from nlweb_ask.ai.budget import Payer
from nlweb_ask.ai.embedders import WordLlama, embedder, paid_by, unit
from nlweb_ask.index.embedding import bring_up_to_date
from nlweb_ask.index.vector_sets import LEAST_PAGES
from nlweb_ask.models import ModelLease, PageVectors, SiteSettings, VectorSet
from nlweb_ask.plugins import ModelUnavailable, sources
from tests.asking import MEMBER, ask, make_scope
from tests.factories import SiteSettingsFactory
from tests.index.toy_embedder import ToyEmbedder, vector_settings
from tests.site_in_memory import SiteInMemory, save

OFFLINE = """
import socket, sys

def refuse(*args, **kwargs):
    raise AssertionError("something was to be fetched")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
import django
django.setup()
from nlweb_ask.ai.embedders import WordLlama
vectors = WordLlama().embed(["High water at noon."])
assert vectors.shape == (1, 256) and vectors.any()
assert not {"wordllama", "requests", "huggingface_hub"} & set(sys.modules), "imported"
"""


def test_packaged_model_fetches_nothing_and_imports_no_client_of_a_hub():
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE],
        env={"DJANGO_SETTINGS_MODULE": "tests.vector_settings", "PYTHONPATH": "."},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


def test_packaged_model_says_that_words_alike_are_alike():
    told = unit(WordLlama().embed(["a small boat", "a little ship", "income tax"]))
    assert told[0] @ told[1] > told[0] @ told[2] + 0.2


def test_a_vector_depends_on_its_own_text_alone():
    model = WordLlama()
    texts = ["boat", "", "a longer text about the harbour and its tide", "ship"]
    together = model.embed(texts)
    for text, vector in zip(texts, together, strict=True):
        assert np.array_equal(model.embed([text])[0], vector)
    assert not together[1].any()


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param([3.0, 4.0], [0.6, 0.8], id="plain"),
        pytest.param([0.0, 0.0], [0.0, 0.0], id="zero"),
        pytest.param([np.nan, 1.0], [0.0, 0.0], id="nan"),
        pytest.param([np.inf, 1.0], [0.0, 0.0], id="infinite"),
        pytest.param([3e-200, 4e-200], [0.6, 0.8], id="tiny"),
        pytest.param([3e200, 4e200], [0.6, 0.8], id="huge"),
    ],
)
def test_vectors_are_brought_to_length_one_or_are_zero(row, expected):
    assert unit(np.array([row]))[0].tolist() == pytest.approx(expected)


def test_the_first_embedder_is_used_when_none_is_named(settings):
    settings.NLWEB_ASK = {
        "EMBEDDERS": {
            "one": {"class": "tests.index.toy_embedder.ToyEmbedder", "name": "1"},
            "two": {"class": "tests.index.toy_embedder.ToyEmbedder", "name": "2"},
        }
    }
    assert embedder().name == "1"
    assert embedder("two").name == "2"
    assert embedder("three") is None
    settings.NLWEB_ASK = {}
    assert embedder() is None


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param({"class": "tests.nowhere.Embedder"}, id="no-module"),
        pytest.param({"class": "builtins.dict"}, id="no-name"),
        pytest.param(
            {"class": "tests.index.toy_embedder.ToyEmbedder", "widht": 3}, id="option"
        ),
        pytest.param(
            {"class": "tests.index.toy_embedder.ToyEmbedder", "width": 0}, id="width"
        ),
    ],
)
def test_an_embedder_that_cannot_be_made_is_reported(settings, entry):
    settings.NLWEB_ASK = {"EMBEDDERS": {"broken": entry}}
    with pytest.raises(ImproperlyConfigured, match="EMBEDDERS"):
        embedder()


@pytest.mark.parametrize("kind", ["Misshapen", "Broken"])
def test_what_an_embedder_raises_is_told_as_a_fault_alone(settings, kind):
    settings.NLWEB_ASK = vector_settings(kind)
    with pytest.raises(ModelUnavailable) as raised:
        embedder().embed(["secret words"], site_id=0)
    assert raised.value.reason == "fault"
    assert "secret" not in str(raised.value)


def test_no_texts_ask_no_model(settings):
    settings.NLWEB_ASK = vector_settings("Broken")
    assert embedder().embed([], site_id=0).shape == (0, 16)


@pytest.fixture
def hosted(site, settings, model_server):
    """A site whose vectors a hosted model makes of what its words mean."""
    toy = ToyEmbedder()
    model_server.embeds(lambda texts: toy.embed(texts).tolist())
    settings.NLWEB_ASK = {
        "RETRIEVERS": ["keyword", "vector"],
        "EMBEDDERS": model_server.embedders(timeout=90),
        "PROCESSORS": [],
        "HANDLERS": [],
    }
    SiteSettingsFactory()
    return model_server


def sent_texts(server) -> list[str]:
    return [text for request in server.requests for text in request.texts]


def pretend_tested() -> None:
    """Let pages be found that have no word of the question."""
    VectorSet.objects.update(tested_pages=LEAST_PAGES)


BOTH = make_scope("keyword", "vector")


def test_a_hosted_model_finds_pages_by_what_they_mean(hosted):
    save("a", "Samovar", "Fill the samovar.")
    bring_up_to_date(0)
    pretend_tested()
    assert ask("teapot", scope=BOTH).names == ["Samovar"]


def test_a_question_asks_a_hosted_model_once(hosted):
    save("a", "Samovar", "Fill the samovar.")
    bring_up_to_date(0)
    before = hosted.calls
    ask("teapot", scope=BOTH)
    assert hosted.calls == before + 1
    ask(" ", scope=BOTH)
    assert hosted.calls == before + 1


def test_restricted_pages_are_not_sent_to_a_hosted_model(hosted):
    save("a", "Samovar", "Fill the samovar.")
    save("b", "Wages", "What the millers earn.", readers="members")
    bring_up_to_date(0)
    assert "millers" not in " ".join(sent_texts(hosted))
    assert PageVectors.objects.count() == 1


def test_restricted_pages_are_sent_where_their_source_says_so(hosted, monkeypatch):
    source = sources.get(SiteInMemory.name)
    monkeypatch.setattr(source, "restricted_pages_to_models", True, raising=False)
    save("b", "Wages", "What the millers earn.", readers="members")
    bring_up_to_date(0)
    assert "Wages\nWhat the millers earn." in sent_texts(hosted)


def test_a_page_that_is_opened_is_embedded_then(hosted):
    save("a", "Samovar", "Fill the samovar.", readers="members")
    bring_up_to_date(0)
    save("a", "Samovar", "Fill the samovar.")
    bring_up_to_date(0)
    pretend_tested()
    assert ask("teapot", scope=BOTH).names == ["Samovar"]


@pytest.mark.parametrize(
    "cap", [{"models_enabled": False}, {"model_calls_per_day": 1}], ids=["off", "cap"]
)
def test_at_a_cap_pages_are_found_by_their_words(hosted, cap):
    save("a", "Samovar", "Fill the samovar.")
    bring_up_to_date(0)
    SiteSettings.objects.update(**cap)
    before = hosted.calls
    answer = ask("samovar", scope=BOTH)
    assert answer.names == ["Samovar"]
    assert answer.failure is None
    assert hosted.calls == before


@pytest.mark.parametrize("fault", ["500", "401", "html", "invalid json"])
def test_a_hosted_model_that_fails_leaves_the_answer_to_words(hosted, fault):
    save("a", "Samovar", "Fill the samovar.")
    bring_up_to_date(0)
    hosted.behaves(fault)
    answer = ask("samovar", scope=BOTH)
    assert answer.names == ["Samovar"]
    assert answer.failure is None


def test_a_question_asks_a_hosted_model_that_fails_once(hosted):
    save("a", "Samovar", "Fill the samovar.")
    bring_up_to_date(0)
    hosted.behaves("401")
    before = hosted.calls
    answer = ask("samovar", MEMBER, scope=BOTH, item_type="Recipe")
    assert answer.names == ["Samovar"]
    assert hosted.calls == before + 1


def test_a_hosted_model_that_gives_another_width_is_not_mixed_in(hosted):
    save("a", "Samovar", "Fill the samovar.")
    bring_up_to_date(0)
    pretend_tested()
    wide = ToyEmbedder(width=24)
    hosted.embeds(lambda texts: wide.embed(texts).tolist())
    assert ask("teapot", scope=BOTH).names == []
    save("b", "Kettle", "Boils.")
    bring_up_to_date(0)
    pretend_tested()
    assert sorted(ask("teapot", scope=BOTH).names) == ["Kettle", "Samovar"]


def test_a_question_that_may_cost_nothing_asks_no_hosted_model(hosted):
    save("a", "Samovar", "Fill the samovar.")
    bring_up_to_date(0)
    before = hosted.calls
    with paid_by(None):
        assert ask("samovar", scope=BOTH).names == ["Samovar"]
    assert hosted.calls == before


def test_a_question_is_paid_out_of_the_share_of_its_visitor(hosted):
    save("a", "Samovar", "Fill the samovar.")
    bring_up_to_date(0)
    SiteSettings.objects.update(model_calls_per_day=100, model_visitor_share=10)
    before = hosted.calls
    with paid_by(Payer(site_id=0, visitor="somebody")):
        for _ in range(15):
            assert ask("samovar", scope=BOTH).names == ["Samovar"]
    assert hosted.calls == before + 10


def leases():
    return list(ModelLease.objects.values_list("settled", "calls", "micros"))


@pytest.mark.parametrize("fault", ["500", "html", "invalid json", "401", "hang"])
def test_a_call_that_fails_is_settled_at_its_worst(hosted, settings, fault):
    # Without one, the next call would wait for the second try of this one.
    settings.NLWEB_ASK["EMBEDDERS"] = hosted.embedders(timeout=2)
    hosted.behaves(fault)
    with pytest.raises(ModelUnavailable):
        embedder().embed(["a kettle"], site_id=0)
    assert leases() == [(True, 1, len("a kettle"))]


def test_a_call_whose_cost_is_not_told_is_settled_at_its_worst(hosted):
    hosted.tells_usage = False
    embedder().embed(["a kettle"], site_id=0)
    assert leases() == [(True, 1, len("a kettle"))]


def test_a_call_can_be_settled_after_its_whole_time(hosted, settings):
    settings.NLWEB_ASK["EMBEDDERS"] = hosted.embedders(timeout=20)
    begun = time.time()
    embedder().embed(["a kettle"], site_id=0)
    # When its time is up it is told, and settled, a moment later.
    assert ModelLease.objects.get().ends > begun + 20 + 5


def failed_by(caplog, *texts):
    """Embed in vain; return what is told to whoever asked, and what is logged."""
    with pytest.raises(ModelUnavailable) as raised:
        embedder().embed(texts or ["secret words"], site_id=0)
    lines = [r.getMessage() for r in caplog.records if r.name == "nlweb_ask.ai"]
    assert len(lines) == 1
    return raised.value.detail, lines[0]


@pytest.mark.parametrize("debug", [False, True])
def test_what_a_class_raises_is_logged_by_kind_and_place(settings, caplog, debug):
    settings.NLWEB_ASK = vector_settings("Broken")
    settings.DEBUG = debug
    detail, line = failed_by(caplog)
    assert detail == "RuntimeError"
    assert line.startswith("embedder=toy failed: error=RuntimeError at=")
    assert "toy_embedder.py" in line
    assert ("secret" in line) == debug


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("Misshapen", "17 numbers a vector, width is 16"),
        ("OneShort", "1 vectors for 2 texts"),
        ("Flat", "an array of shape (2,) for 2 texts, not one row a text"),
        ("Ragged", "what it gives is no table of numbers"),
    ],
)
def test_a_wrong_shape_is_told_in_numbers(settings, caplog, kind, said):
    settings.NLWEB_ASK = vector_settings(kind)
    detail, line = failed_by(caplog, "a", "b")
    assert detail == said
    assert line == f"embedder=toy is of no use: {said}"


def test_a_hosted_model_that_ignores_its_width_is_told(hosted, settings, caplog):
    settings.NLWEB_ASK["EMBEDDERS"] = hosted.embedders(width=64, timeout=90)
    detail, _line = failed_by(caplog)
    assert detail == "16 numbers a vector, width is 64"


def test_vectors_that_are_no_numbers_are_counted_in_the_log(settings, caplog):
    settings.NLWEB_ASK = vector_settings("NotANumber")
    assert not embedder().embed(["kettle", "tide"], site_id=0).any()
    assert "embedder=toy: 2 of 2 vectors are no finite numbers" in caplog.text


def test_a_failed_call_tells_its_kind_and_status(hosted):
    hosted.behaves("401")
    with pytest.raises(ModelUnavailable) as raised:
        embedder().embed(["a kettle"], site_id=0)
    assert raised.value.detail == "AuthenticationError, HTTP 401"


def test_a_width_that_is_stored_is_not_asked_for_again(hosted):
    save("a", "Samovar", "Fill the samovar.")
    bring_up_to_date(0)
    assert sent_texts(hosted).count(".") == 1
    save("b", "Kettle", "Boils.")
    bring_up_to_date(0)
    bring_up_to_date(0)
    assert sent_texts(hosted) == [
        ".",
        "Samovar\nFill the samovar.",
        "Kettle\nBoils.",
    ]


def test_a_width_that_has_changed_is_asked_for_and_told(hosted, caplog):
    save("a", "Samovar", "Fill the samovar.")
    bring_up_to_date(0)
    wide = ToyEmbedder(width=24)
    hosted.embeds(lambda texts: wide.embed(texts).tolist())
    ask("teapot", scope=BOTH)
    assert "vectors not searched site=0: embedder=stub makes 24 numbers" in caplog.text
    save("b", "Kettle", "Boils.")
    bring_up_to_date(0)
    assert list(VectorSet.objects.values_list("width", flat=True)) == [24]
    assert PageVectors.objects.count() == 2


def test_a_class_that_changes_its_width_by_itself_is_a_fault(settings, site):
    settings.NLWEB_ASK = vector_settings("Misshapen")
    save("a", "Samovar", "Fill the samovar.")
    with pytest.raises(ModelUnavailable, match="fault"):
        bring_up_to_date(0)
