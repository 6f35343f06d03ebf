"""The built wheel in an empty project, by the steps of the tutorial."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import httpx
import pytest

from tests.project.tutorial_steps import RunCommand, WriteFile, steps

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.md"
START_SECONDS = 30
PASSWORD = "a long password for a short test"
TITLE = "Opening hours of the workshop"
BODY = "The workshop is open on Tuesday and Thursday evenings from six to nine."

# What a reader does in the admin: open the form, change what the page says, save.
SAVE_IN_ADMIN = """
import json, os
from django.test import Client
from django.test.utils import setup_test_environment
setup_test_environment()
path, changed = json.loads(os.environ["FORM"])
client = Client()
admin, password = "admin", os.environ["DJANGO_SUPERUSER_PASSWORD"]
assert client.login(username=admin, password=password)
form = client.get(path).context["adminform"].form
shown = {field.html_name: field.value() for field in form}
filled = {name: value for name, value in {**shown, **changed}.items()
          if value is not None and value is not False}
answer = client.post(path, filled)
assert answer.status_code == 302, answer.content.decode()
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
    built = subprocess.run(
        [*command, "--outdir", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return next(folder.glob("*.whl"))


class Reader:
    """Does in an empty folder what the tutorial says; its `python` is this one.

    Dependencies are those of this environment; the package itself is only the wheel.
    """

    def __init__(self, folder, wheel):
        self.site = folder / "site"
        self.packages = folder / "packages"
        self.site.mkdir()
        self.wheel = wheel
        self.port = free_port()
        self.server = None
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(self.packages), str(self.site)]),
            "PYTHONUNBUFFERED": "1",
            "DJANGO_SUPERUSER_USERNAME": "admin",
            "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
            "DJANGO_SUPERUSER_EMAIL": "admin@example.org",
        }
        self.environment.pop("DJANGO_SETTINGS_MODULE", None)

    def follow(self, step):
        if isinstance(step, WriteFile):
            self.write(step)
            return ""
        return self.run(step)

    def write(self, step):
        path = self.site / step.file
        before = path.read_text(encoding="utf-8") if step.append else ""
        path.write_text(f"{before}\n{step.text}", encoding="utf-8")

    def run(self, step):
        match step.words:
            case ("python", "-m", "pip", "install", "django"):
                return ""
            case ("python", "-m", "pip", "install", "../nlweb_ask"):
                return self.unpack_wheel()
            case ("django-admin", *words):
                return self.call("-m", "django", *words)
            case ("python", "manage.py", "createsuperuser"):
                return self.call("manage.py", "createsuperuser", "--noinput")
            case ("python", "manage.py", "runserver"):
                return self.serve()
            case ("python", *words):
                return self.call(*words)
            case ("curl", *words):
                return self.curl(words)
        pytest.fail(f"The tutorial has a command this test does not know: {step.words}")

    def unpack_wheel(self):
        """Install as pip would, which is not in every environment that runs tests."""
        zipfile.ZipFile(self.wheel).extractall(self.packages)
        return ""

    def call(self, *words):
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.site,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def save_in_admin(self, path, **changed):
        self.environment["FORM"] = json.dumps([path, changed])
        self.call("manage.py", "shell", "--command", SAVE_IN_ADMIN)

    def serve(self):
        address = f"127.0.0.1:{self.port}"
        self.server = subprocess.Popen(
            [sys.executable, "manage.py", "runserver", "--noreload", address],
            cwd=self.site,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        give_up = time.monotonic() + START_SECONDS
        while time.monotonic() < give_up:
            try:
                return httpx.get(f"http://{address}/admin/login/")
            except httpx.TransportError:
                time.sleep(0.1)
        pytest.fail("The site did not start.")

    def curl(self, words):
        options = dict(zip(words[1::2], words[2::2], strict=True))
        address = words[0].replace(":8000", f":{self.port}")
        header = options.get("-H", "Accept: */*").split(": ", 1)
        headers = dict([header])
        if "-d" in options:
            return httpx.post(address, content=options["-d"], headers=headers).text
        return httpx.get(address, headers=headers).text

    def status(self, path):
        return httpx.get(f"http://127.0.0.1:{self.port}{path}").status_code

    def stop(self):
        if self.server:
            self.server.terminate()
            self.server.wait()


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def until(found, *last_words):
    """Split the steps behind the first command that ends in `last_words`."""
    for number, step in enumerate(found):
        if (
            isinstance(step, RunCommand)
            and step.words[-len(last_words) :] == last_words
        ):
            return found[: number + 1], found[number + 1 :]
    pytest.fail(f"The tutorial has no {' '.join(last_words)}.")


@pytest.fixture
def reader(tmp_path, wheel):
    reader = Reader(tmp_path, wheel)
    yield reader
    reader.stop()


@pytest.fixture(scope="module")
def tutorial():
    return TUTORIAL.read_text(encoding="utf-8")


def test_tutorial_leads_from_the_wheel_to_a_first_answer(reader, tutorial):
    installing, asking = until(steps(tutorial), "runserver")
    for step in installing:
        reader.follow(step)
    where = reader.call("-c", "import nlweb_ask; print(nlweb_ask.__file__)")
    assert Path(where.strip()).is_relative_to(reader.packages)
    assert reader.status("/ask?query=workshop") == 404

    reader.save_in_admin("/admin/nlweb_ask/sitesettings/add/", enabled="on")
    reader.save_in_admin("/admin/news/article/add/", title=TITLE, body=BODY)
    document, stream, newest, printed, as_admin = [
        reader.follow(step) for step in asking
    ]

    assert TITLE in document
    assert json.loads(document)["results"][0]["url"].endswith("/news/1/")
    assert "data: " in stream
    assert json.loads(newest)["_meta"]["version"] == "0.55"
    assert TITLE in printed
    assert TITLE in as_admin


def test_tutorial_names_the_article_that_is_found(tutorial):
    assert TITLE in tutorial
    assert BODY in " ".join(tutorial.split())


def test_tutorial_installs_in_five_steps(tutorial):
    assert re.findall(r"^## (\d)\. ", tutorial, re.MULTILINE) == list("12345")


@pytest.mark.parametrize(
    "needed",
    [
        pytest.param("nlweb_ask/py.typed", id="types"),
        pytest.param("nlweb_ask/migrations/0001_initial.py", id="migrations"),
        pytest.param("nlweb_ask/templates/", id="templates"),
        pytest.param("nlweb_ask/templates/nlweb_ask/prompts/rank.txt", id="prompts"),
        pytest.param("nlweb_ask/static/", id="static-files"),
        pytest.param(".dist-info/licenses/LICENSE", id="licence"),
    ],
)
def test_wheel_holds(wheel, needed):
    names = zipfile.ZipFile(wheel).namelist()
    assert any(needed in name for name in names)


def test_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    package = ROOT / "nlweb_ask"
    files = {
        str(path.relative_to(ROOT))
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {
        name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name
    }
    assert packed == files
