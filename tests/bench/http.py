"""A list question over HTTP against a bare view with the same bytes, in CPU time.

gunicorn's gthread worker, one client, keep-alive, a persistent connection to the
database, no middleware.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.bench.corpus import questions
from tests.bench.timing import MILLISECONDS, ROUNDS

ROOT = Path(__file__).parents[2]
START_SECONDS = 60
CPU_CLOCK = 2
ADDRESSES = {"ask": "/ask", "bare": "/bare"}


def main(folder: Path) -> dict[str, Any]:
    """Return CPU milliseconds a request, best of five rounds of all questions."""
    answers = folder / "answers.json"
    asked = questions()
    with _serving({**os.environ, "BENCH_ANSWERS": str(answers)}) as (port, process):
        client = HTTPConnection("127.0.0.1", port)
        prepared = {text: _post(client, "/ask", text) for text in asked}
        answers.write_text(json.dumps({t: json.loads(a) for t, a in prepared.items()}))
        lengths = {len(_post(client, "/bare", text)) for text in asked[:1]}
        best: dict[str, float] = {}
        for _ in range(ROUNDS):
            for name, address in ADDRESSES.items():
                begun = _cpu_seconds(process.pid)
                for text in asked:
                    _post(client, address, text)
                took = (_cpu_seconds(process.pid) - begun) / len(asked)
                best[name] = min(best.get(name, took), took)
    same = lengths == {len(prepared[asked[0]])}
    return {
        **{f"{name}_ms": MILLISECONDS * took for name, took in best.items()},
        "bytes": sum(map(len, prepared.values())) / len(asked),
        "same_bytes": same,
    }


def _post(client: HTTPConnection, address: str, text: str) -> bytes:
    body = json.dumps({"query": {"text": text}, "prefer": {"streaming": False}})
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    client.request("POST", address, body, headers)
    response = client.getresponse()
    told = response.read()
    if response.status != 200:
        msg = f"{address} answered {response.status}: {told[:200]!r}"
        raise RuntimeError(msg)
    return told


def _cpu_seconds(parent: int) -> float:
    """Return the CPU time of the server's one worker."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    # The clock of a process, as clock_getcpuclockid(3) makes it on Linux: /proc counts
    # in steps of 10 ms, a tenth of what the bare view takes for all questions.
    return time.clock_gettime(~int(children[0]) << 3 | CPU_CLOCK)


@contextmanager
def _serving(environment: dict[str, str]) -> Any:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        *(sys.executable, "-m", "gunicorn", "--worker-class", "gthread"),
        *("--workers", "1", "--threads", "4", "--keep-alive", "60"),
        *("--bind", f"127.0.0.1:{port}", "--log-level", "error"),
        "django.core.wsgi:get_wsgi_application()",
    ]
    with subprocess.Popen(command, env=environment, cwd=ROOT) as process:
        try:
            _await(port, process)
            yield port, process
        finally:
            process.terminate()


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    msg = "the server did not start"
    raise RuntimeError(msg)


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))  # noqa: T201
