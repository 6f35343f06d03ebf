"""What a good model answers to each step of a question about a puncture."""

from __future__ import annotations

import json
import re

from tests.model_server import ModelRequest
from tests.site_in_memory import save

QUESTION = "How do I mend it?"
EARLIER = "What is a puncture of a tyre?"
QUOTE = "Mend the puncture of a tyre with a patch and rubber glue."


def save_pages() -> None:
    save("mend", "Mending a puncture", QUOTE)
    save("find", "Finding a puncture", "Hold the tyre under water to find a puncture.")
    save("club", "The puncture club", "Members mend a puncture.", readers="members")


def well_said(request: ModelRequest) -> str:
    """Answer as the prompt asks: a rewriting, a score for each page, or sentences."""
    asks = request.system
    if '"question"' in asks:
        return json.dumps({"question": "How do I mend a puncture?", "type": None})
    if '"scores"' in asks:
        ids = map(int, re.findall(r'<page-\w+ id="(\d+)">', request.user))
        return json.dumps({"scores": [{"id": i, "score": 50 + i} for i in ids]})
    number = re.search(
        r'<passage-\w+ id="(\d+)">[^<]*' + re.escape(QUOTE), request.user
    )
    quotes = [{"id": int(number[1]), "quote": QUOTE}] if number else []
    said = {"text": "A patch and rubber glue mend the puncture.", "quotes": quotes}
    return json.dumps(said)
