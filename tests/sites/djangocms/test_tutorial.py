"""The tutorial leads from nothing to an answer."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from contextlib import contextmanager
from urllib.request import urlopen

from tests.sites.steps import Reader

REGISTERED = "from nlweb_ask.plugins import sources; print(sources.classes())"

START_SECONDS = 120


@contextmanager
def serving(reader):
    """Run the project's own server on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    words = ["python", "manage.py", "runserver", "--noreload", address]
    server = subprocess.Popen(
        words,
        cwd=reader.folder,
        env=reader.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://{address}"
    finally:
        server.terminate()
        server.wait()


def get(url):
    """Get a page of a server that may still be starting."""
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            with urlopen(url, timeout=START_SECONDS) as answer:
                return answer.read().decode()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def test_the_tutorial_ends_with_an_answer_and_a_source_of_ones_own(tmp_path):
    reader = Reader(tmp_path)
    said = reader.follow("tutorial-djangocms.md")
    assert "Opening hours" in said[-1]
    assert "https://example.com/en/opening-hours/" in said[-1]
    with serving(reader) as site:
        assert "<h1>Opening hours</h1>" in get(f"{site}/en/opening-hours/")
        answer = json.loads(get(f"{site}/ask?query=opening&streaming=false"))
        assert [item["name"] for item in answer["results"]] == ["Opening hours"]
    assert "OurPages" in reader.run("python", "manage.py", "shell", "-c", REGISTERED)
