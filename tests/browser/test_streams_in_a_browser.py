"""A stream arrives in Chromium event by event, through Django's gzip middleware."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.serving import written_question

pytestmark = [pytest.mark.browser, pytest.mark.every_leg]

PAUSE = 0.5
QUESTION = f"tide 4 words {PAUSE} apart"

# Both give the name of each event and when it came, in seconds.
WITH_EVENT_SOURCE = """
question => new Promise((resolve, reject) => {
    const query = new URLSearchParams({query: question, mode: "generate"});
    const source = new EventSource(`/ask?${query}`);
    const came = [];
    source.onmessage = message => {
        const name = JSON.parse(message.data).message_type;
        came.push([name, performance.now() / 1000]);
        if (name === "complete") { source.close(); resolve(came); }
    };
    source.onerror = () => { source.close(); reject(new Error(JSON.stringify(came))); };
})
"""
WITH_FETCH = """
async body => {
    const response = await fetch("/ask", {
        method: "POST",
        headers: {"Content-Type": "application/json", "Accept": "text/event-stream"},
        body: JSON.stringify(body),
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const came = [];
    for (let rest = "";;) {
        const {value, done} = await reader.read();
        if (done) return came;
        const lines = (rest + value).split("\\n");
        rest = lines.pop();
        for (const line of lines)
            if (line.startsWith("event: "))
                came.push([line.slice("event: ".length), performance.now() / 1000]);
    }
}
"""


@pytest.fixture(params=["gunicorn-gthread", "uvicorn"])
def at_site(request, serve, page):
    """A page of the site itself, so that its scripts may ask."""
    page.goto(f"{serve(request.param).url}/ask/results/")
    return page


def gaps(came, name):
    """Return the seconds between the first page found and each piece of text."""
    found = next(at for event, at in came if event == "result")
    return [
        after - before
        for before, after in pairwise([found, *(at for n, at in came if n == name)])
    ]


def test_fetch_reads_each_sentence_when_it_is_written(at_site):
    came = at_site.evaluate(WITH_FETCH, written_question(QUESTION))

    assert len(gaps(came, "content")) == 4
    assert all(PAUSE / 2 < gap < 2 * PAUSE for gap in gaps(came, "content"))
    assert came[-1][0] == "end"


def test_event_source_is_given_the_pages_before_the_text(at_site):
    """Version 0.1 tells the text in one piece, at the end."""
    came = at_site.evaluate(WITH_EVENT_SOURCE, QUESTION)

    names = [name for name, _ in came]
    assert names == ["start", "result", "result", "complete"]
    at = dict(reversed(came))
    assert at["complete"] - at["result"] > 3 * PAUSE
