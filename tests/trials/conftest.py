from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from nlweb_ask.index.refresh import sweep
from nlweb_ask.plugins import sources
from nlweb_ask.sources import MarkdownFolderSource
from tests.factories import SiteSettingsFactory, StaffFactory, UserFactory
from tests.trials.trial_site import TrialSite

CASES = Path(__file__).parent / "cases"


def case(trial: str) -> dict[str, Any]:
    [path] = CASES.glob(f"{trial}-*.yaml")
    return yaml.safe_load(path.read_text())


@pytest.fixture
def trial_site(db):
    """A site that is switched on and has no page yet."""
    SiteSettingsFactory()
    sources.register(TrialSite)
    TrialSite.pages = {}
    yield TrialSite
    sources.unregister(TrialSite.name)


@pytest.fixture
def folder(db, tmp_path):
    """Write the files of a case, and have them indexed as a folder of documentation."""
    SiteSettingsFactory()

    class TrialFolder(MarkdownFolderSource):
        name = "trial-folder"
        path = tmp_path
        default_access = "public"

    def write(files: dict[str, str]) -> MarkdownFolderSource:
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        sources.register(TrialFolder)
        sweep(TrialFolder.name)
        return sources.get(TrialFolder.name)

    yield write
    sources.unregister(TrialFolder.name)


@pytest.fixture
def asking(client):
    """Send an action of a case as the one it names."""
    people = {"member": UserFactory, "staff": StaffFactory}

    def send(action: dict[str, Any]) -> Any:
        client.logout()
        if action["as"] != "anonymous":
            client.force_login(people[action["as"]]())
        headers = {
            name: value
            for name, value in action.get("headers", {}).items()
            if name != "Content-Type"
        }
        if action["method"] == "GET":
            return client.get(action["path"], headers=headers)
        body = action["body"]
        if body.startswith("(bytes) "):
            body = bytes.fromhex(body.removeprefix("(bytes) "))
        return client.post(
            action["path"], body, content_type="application/json", headers=headers
        )

    return send
