"""What a client puts together from a stream alone, beside what the document says.

Each function gives both, to be compared; what the stream of a dialect never carries is
left out of the document's side.
"""

from __future__ import annotations

import json


def events_of(stream):
    """(event, data) of each event as a client reads them; comments are skipped."""
    for block in stream.decode().removesuffix("\n\n").split("\n\n"):
        if not block.startswith(":"):
            fields = dict(line.split(": ", 1) for line in block.split("\n"))
            yield fields.get("event"), json.loads(fields["data"])


def terminals(version):
    return ["complete"] if version == "0.1" else ["complete", "end"]


def names_of(events):
    return [event or data["message_type"] for event, data in events]


# The structured versions


def structured(events, document, *, version, response_format):
    rows = "structuredData" if response_format == "chatgpt_app" else "results"
    folded = folded_by_a_client(events, rows)
    document = dict(document)
    if rows not in document:
        # An ending without findings: the stream says more of the way to it.
        assert not folded.pop(rows)
        folded["_meta"] = {name: folded["_meta"][name] for name in document["_meta"]}
    elif (version, rows) == ("0.5", "results"):
        document["content"] = without_resource(document)
    if document.get("content") == []:
        del document["content"]
    return folded, document


def folded_by_a_client(events, rows):
    meta, results, said, ending = {}, {}, "", {}
    cited, marked = [], []
    for event, data in events:
        match event:
            case "result":
                results[data["index"]] = data["item"]
            case "content":
                cited += shifted(data.get("citations", []), len(said))
                marked += shifted(data.get("marks", []), len(said))
                said += data["text"]
            case "elicitation" | "promise" | "failure":
                ending = {k: v for k, v in data.items() if k != "_meta"}
                meta |= data["_meta"]
            case "start" | "complete":
                meta |= data["_meta"]
    found = [results[index] for index in sorted(results)]
    text = {"type": "text", "text": said}
    text |= {"citations": cited} if cited else {}
    text |= {"marks": marked} if marked else {}
    document = {"_meta": meta, rows: found} | ({"content": [text]} if said else {})
    return document | ending


def shifted(parts, by):
    return [p | {"text_span": [place + by for place in p["text_span"]]} for p in parts]


def without_resource(document):
    resource = {"type": "resource", "resource": {"data": document["results"]}}
    assert document["content"][-1] == resource
    return document["content"][:-1]


def ask_family(events, document):
    """Pages and texts, read from the `results` of each event and from nothing else."""
    seen = [row for _, data in events for row in data.get("results", [])]
    pages = [row for row in seen if row["@type"] != "Summary"]
    summaries = [row for row in seen if row["@type"] == "Summary"]
    texts = [item for item in document.get("content", []) if item["type"] == "text"]
    said = [{"@type": "Summary", "text": item["text"]} for item in texts]
    rows = document.get("results", document.get("structuredData", []))
    return (in_any_order(pages), summaries), (in_any_order(rows), said)


# Version 0.1


def legacy(events, document):
    """The id, the schema objects with the answer's first, and the error."""
    messages = [data for _, data in events]
    said = [m for m in messages if m["message_type"] == "result"]
    texts = [m["item"] for m in said if m["item"]["@type"] == "SearchSummary"]
    found = [m for m in said if m["item"]["@type"] != "SearchSummary"]
    objects = [m["item"] for m in sorted(found, key=lambda m: m["index"])]
    errors = [(m["code"], m["error"]) for m in messages if m["message_type"] == "error"]
    folded = {
        "query_id": messages[0]["_meta"]["query_id"],
        "schema_objects": texts + objects,
        "errors": errors,
    }
    error = document.get("error")
    return folded, {
        "query_id": document["query_id"],
        "schema_objects": [row["schema_object"] for row in document.get("results", [])],
        "errors": [(error["code"], error["message"])] if error else [],
    }


def widgets(events, document):
    """The texts, and the whole rows of pages, as the older widgets read them."""
    kind = {"summary": "message", "nlws": "answer", "ask_user": "message"}
    rows, texts = [], []
    for _, data in events:
        rows += data.get("results", []) + data.get("items", [])
        if name := kind.get(data["message_type"]):
            texts.append(data[name])
    told = document.get("results", [])
    first, pages = told[: len(texts)], told[len(texts) :]
    return (texts, in_any_order(rows)), (
        [row["description"] for row in first],
        in_any_order(pages),
    )


def in_any_order(rows):
    return sorted(rows, key=json.dumps)
