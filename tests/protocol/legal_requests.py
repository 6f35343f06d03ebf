"""Random requests that are legal by their schemas: none of them may be refused."""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import urlencode

from hypothesis import strategies as st

FORM = "application/x-www-form-urlencoded"

words = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1)
texts = st.text(st.characters(codec="utf-8"), max_size=50)
strings = st.none() | texts | st.lists(texts, max_size=4)
whole = st.none() | st.integers() | st.integers().map(str)
free = st.none() | texts | st.integers() | st.lists(texts, max_size=2)


def section(required=None, **optional):
    return st.fixed_dictionaries(required or {}, optional=optional)


query_sections = section(
    {"text": words},
    site=strings,
    itemType=strings,
    type=strings,
    decontextualized_query=st.none() | texts,
    num_results=whole,
    max_results=whole,
    min_score=whole,
    location=free,
    price=free,
)
earlier = texts | st.dictionaries(st.just("query"), texts)
contexts = section(
    prev=st.none() | texts | st.lists(earlier, max_size=15),
    text=st.none() | texts,
    memory=strings,
    **{"@type": st.none() | texts},
)
switches = st.none() | st.booleans() | st.integers() | texts
preferences = section(
    **{"accept-language": st.none() | texts, "user-agent": st.none() | texts},
    streaming=switches,
    response_format=strings,
    mode=st.none() | texts,
)
# The names that 0.5 has for the same.
wishes = section(
    streaming=switches,
    format=strings,
    mode=st.none() | texts,
    lang=st.none() | texts,
    client_type=st.none() | texts,
)
sessions = st.dictionaries(texts, free, max_size=3)
metas = section(
    version=st.none() | texts | st.floats(allow_nan=False, allow_infinity=False),
    api_version=st.none() | texts,
    session_context=st.none() | sessions,
    conversation_id=st.none() | texts,
    start_num=whole,
    user=st.none() | st.dictionaries(st.just("id"), texts),
    remember=st.none() | st.booleans(),
    request_id=st.none() | texts,
)
structured_bodies = section(
    {"query": query_sections},
    context=st.none() | texts | contexts,
    prefer=st.none() | preferences,
    return_response=st.none() | wishes,
    meta=st.none() | metas,
    x_future=free,
)
flat_bodies = section(
    {"query": words},
    site=strings,
    prev=st.none() | texts | st.lists(earlier, max_size=15),
    decontextualized_query=st.none() | texts,
    streaming=switches,
    query_id=st.none() | texts | st.integers(),
    mode=st.none() | texts,
    generate_mode=st.none() | texts,
)
bodies = structured_bodies | flat_bodies
pairs = st.builds(
    lambda text, rest: [("query", text), *(p for p in rest if p[0] != "query")],
    words,
    st.lists(st.tuples(texts, texts), max_size=6),
)
promises = section(
    {
        "promise_token": words,
        "action": st.sampled_from(["checkin", "cancel"]),
    },
    meta=st.none() | metas,
    x_future=free,
)


# One question, worded in each dialect


@dataclass(frozen=True, kw_only=True)
class Wording:
    """How one dialect asks: `request` takes the question and whether to stream."""

    version: str
    family: str = ""  # which fold of its stream there is beside that of its version
    response_format: str | None = None
    method: str = "POST"
    content_type: str = "application/json"
    prefer: str = "prefer"
    meta_version: str = "version"

    def request(self, asked, streaming):
        """Give query pairs and body."""
        stated = {} if streaming is None else {"streaming": streaming}
        if self.version != "0.1":
            return [], json.dumps(self._structured(asked, stated)).encode()
        members = self._flat(asked) | stated
        if self.method == "GET":
            return as_pairs(members), b""
        if self.content_type == FORM:
            return [], urlencode(as_pairs(members)).encode()
        return [], json.dumps(members).encode()

    def _flat(self, asked):
        names = {"mode": "generate_mode"} if self.family == "widgets" else {}
        defaults = {"mode": "list"} if self.family == "widgets" else {}
        known = ("mode", "site", "prev", "decontextualized_query", "query_id")
        said = defaults | {name: asked[name] for name in known if name in asked}
        return {"query": asked["text"]} | {
            names.get(name, name): value for name, value in said.items()
        }

    def _structured(self, asked, stated):
        said = {
            "query": [
                "text",
                "site",
                "itemType",
                "max_results",
                "min_score",
                "decontextualized_query",
            ],
            "context": ["prev"],
            self.prefer: ["mode"],
            "meta": ["session_context", "start_num"],
        }
        body = {
            section: {name: asked[name] for name in names if name in asked}
            for section, names in said.items()
        }
        body["meta"][self.meta_version] = self.version
        form = "format" if self.prefer == "return_response" else "response_format"
        body[self.prefer] |= stated
        if self.response_format:
            body[self.prefer][form] = self.response_format
        if "query_id" in asked:
            body["query_id"] = asked["query_id"]
        return body


def as_pairs(members):
    """Give the members as a URL or a form has them: a list as a repeated key."""
    return [
        (name, str(one))
        for name, value in members.items()
        for one in (value if isinstance(value, list) else [value])
    ]


WORDINGS = {
    "0.1-get": Wording(version="0.1", method="GET"),
    "0.1-json": Wording(version="0.1"),
    "0.1-form": Wording(version="0.1", content_type=FORM),
    "generate_mode": Wording(version="0.1", method="GET", family="widgets"),
    "0.5": Wording(version="0.5", prefer="return_response"),
    "0.54": Wording(version="0.54"),
    "0.55": Wording(version="0.55"),
    "chatgpt_app": Wording(version="0.55", response_format="chatgpt_app"),
    "api_version": Wording(
        version="0.54", meta_version="api_version", family="ask-family"
    ),
}
