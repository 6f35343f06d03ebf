"""E015, E016, W025 to W027 and W033: models can be reached, and no key is shown by that.

That an entry holds only what it may is a matter of E001. No message here tells a value
that might be a key.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, register

from nlweb_ask.checks.table import TAG, report
from nlweb_ask.conf.providers import CLASS_KEY, KINDS, faults

VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
# Some providers' keys are capitals and digits, and so could be a variable's name.
LEAST_OF_A_KEY: Final = 16
# Names that no public address ends with.
LOCAL_ENDINGS: Final = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
# Providers that run on the same machine, or are shown something else than a key.
WITHOUT_KEY: Final = frozenset(
    {
        *("ollama", "ollama_chat", "lm_studio", "llamafile", "hosted_vllm", "vllm"),
        *("bedrock", "sagemaker", "sagemaker_chat", "vertex_ai"),
    }
)
PRICES: Final = {
    "MODELS": ("input_price", "output_price"),
    "EMBEDDERS": ("input_price",),
}


@dataclass(frozen=True, slots=True)
class _Entry:
    setting: str
    label: str
    written: Mapping[str, Any]

    @property
    def where(self) -> str:
        return f"NLWEB_ASK[{self.setting!r}][{self.label!r}]"

    @property
    def variable(self) -> str:
        return str(self.written.get("key_variable", ""))

    @property
    def provider(self) -> str:
        return str(self.written["model"]).partition("/")[0]

    @property
    def host(self) -> str:
        """The host of `base_url`; empty where the provider's own is meant."""
        return urlsplit(self.written.get("base_url", "")).hostname or ""


@register(TAG)
def check_models(**_kwargs: Any) -> list[CheckMessage]:
    entries = list(_entries())
    return [
        *_without_library(entries),
        *(
            message
            for entry in entries
            for look in (_key, _unnamed_key, _address, _prices)
            for message in look(entry)
        ),
    ]


def _entries() -> Iterator[_Entry]:
    """Yield what is reached over a network, and can be read at all."""
    written = getattr(settings, "NLWEB_ASK", {})
    if not isinstance(written, Mapping):
        return
    for setting in KINDS:
        models = written.get(setting, {})
        if next(faults(setting, models), None) is None:
            for label, entry in models.items():
                if CLASS_KEY not in entry:
                    yield _Entry(setting, label, entry)


def _without_library(entries: list[_Entry]) -> Iterator[CheckMessage]:
    if entries and find_spec("litellm") is None:
        yield report(
            "E016",
            f"{entries[0].where} is set, and litellm is not installed: no model answers.",
            hint='Run: python -m pip install "nlweb-ask[ai]"',
        )


def _key(entry: _Entry) -> Iterator[CheckMessage]:
    if not entry.variable or os.environ.get(entry.variable):
        return
    if _may_be_a_key(entry.variable):
        yield report(
            "E015",
            f"{entry.where} has a key_variable that is no name of a variable. If it is"
            " the key itself, replace the key: whoever reads the settings has it.",
            hint='Set a variable of the environment and write its name: "OPENAI_API_KEY".',
        )
    else:
        yield report(
            "W025",
            f"{entry.where} takes its key from {entry.variable}, which is not set: the"
            " model is not asked.",
            hint=f"Set {entry.variable} in the environment of the site's processes.",
        )


def _unnamed_key(entry: _Entry) -> Iterator[CheckMessage]:
    if entry.variable or entry.host or entry.provider in WITHOUT_KEY:
        return
    yield report(
        "W033",
        f"{entry.where} has neither key_variable nor base_url: it is asked with a key"
        " that litellm happens to find in the environment, or with none.",
        hint='Name the variable that holds the key: "key_variable": "OPENAI_API_KEY".',
    )


def _may_be_a_key(written: str) -> bool:
    if not VARIABLE.fullmatch(written):
        return True
    has_digit = any(character.isdigit() for character in written)
    return has_digit and "_" not in written and len(written) >= LEAST_OF_A_KEY


def _address(entry: _Entry) -> Iterator[CheckMessage]:
    is_plain = urlsplit(entry.written.get("base_url", "")).scheme == "http"
    if is_plain and not _is_local(entry.host):
        yield report(
            "W026",
            f"{entry.where} is reached by http:// at {entry.host}: others on the way can"
            " read questions, pages and the key.",
            hint="Write https://, or reach it by an address of the site's own network.",
        )


def _prices(entry: _Entry) -> Iterator[CheckMessage]:
    if _is_local(entry.host):
        return
    missing = [key for key in PRICES[entry.setting] if key not in entry.written]
    if missing:
        yield report(
            "W027",
            f"{entry.where} has no {' and no '.join(missing)}: its cost cannot be counted"
            " before a call, so it is not asked where cost has a cap.",
            hint='Write what a million tokens cost, such as "input_price": 0.25.',
        )


def _is_local(host: str) -> bool:
    if not host:
        return False
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        # A name without a dot is one of the site's own network.
        return "." not in host or host.endswith(LOCAL_ENDINGS)
    return address.is_private or address.is_loopback
