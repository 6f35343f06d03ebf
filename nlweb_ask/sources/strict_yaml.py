"""YAML with nothing clever in it: text, lists and mappings, each key once."""

from __future__ import annotations

from typing import Any

import yaml
from yaml.events import AliasEvent, NodeEvent
from yaml.nodes import MappingNode, Node, SequenceNode

MAX_DEPTH = 10


class NotPlainYaml(ValueError):
    """The text is no YAML, or uses what this reader refuses; the message says which."""


def read_yaml(text: str) -> Any:
    """Return the value of a YAML document, every scalar as the text it was written as.

    So `no` stays "no" and `1.10` keeps its nought; an empty value is "".

    Raises:
        NotPlainYaml: For what is no YAML, anchors, aliases, tags, merge keys, a key
            that is repeated or is no text, and nesting deeper than 10.
    """
    try:
        _refuse_clever(text)
        node = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        raise NotPlainYaml(_reason(error)) from error
    return _value(node)


def _refuse_clever(text: str) -> None:
    """Look at the events first: composing follows aliases and recurses."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.BaseLoader):
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None):
            msg = "Anchors and aliases are not read."
            raise NotPlainYaml(msg)
        if isinstance(event, NodeEvent) and getattr(event, "tag", None):
            msg = "Tags are not read."
            raise NotPlainYaml(msg)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            msg = f"It is nested deeper than {MAX_DEPTH} levels."
            raise NotPlainYaml(msg)


def _value(node: Node | None) -> Any:
    if isinstance(node, MappingNode):
        return _mapping(node)
    if isinstance(node, SequenceNode):
        return [_value(item) for item in node.value]
    return "" if node is None else _text(node.value)


def _text(scalar: str) -> str:
    # Escapes in quotes can write what no database and no UTF-8 holds.
    if "\x00" in scalar or any("\ud800" <= char <= "\udfff" for char in scalar):
        msg = "A value holds a character that is no text."
        raise NotPlainYaml(msg)
    return scalar


def _mapping(node: MappingNode) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = _value(key_node)
        # Not by its name, which may be words of a page that is closed.
        line = key_node.start_mark.line + 1
        if not isinstance(key, str) or key == "<<":
            msg = f"There is no key in line {line}."
            raise NotPlainYaml(msg)
        if key in mapping:
            msg = f"The key in line {line} stands there twice."
            raise NotPlainYaml(msg)
        mapping[key] = _value(value_node)
    return mapping


def _reason(error: Exception) -> str:
    problem = getattr(error, "problem", None)
    mark = getattr(error, "problem_mark", None)
    place = f" in line {mark.line + 1}" if mark else ""
    return f"It is no YAML: {problem or 'it cannot be read'}{place}."
