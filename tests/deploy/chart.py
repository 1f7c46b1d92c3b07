"""Renders the Helm chart of this repository without Helm: the few words of Go's templates that it uses, and no others.

Go's own `text/template` gave the same documents when the chart was written. Where `helm` is installed, a test asks it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

CHART = Path(__file__).resolve().parents[2] / "deploy" / "helm" / "lexic"
_ACTION = re.compile(r"(\s*)\{\{-\s*(.*?)\s*\}\}|\{\{\s*(.*?)\s*\}\}", re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+')


def values() -> dict[str, Any]:
    """What stands in the chart's values.yaml."""
    loaded: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
    return loaded


def rendered(given: dict[str, Any]) -> list[dict[str, Any]]:
    """The documents of all templates with these values, for a release named `demo`."""
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    root = {"Values": given, "Release": {"Name": "demo"}, "Chart": {"AppVersion": chart["appVersion"]}}
    documents: list[dict[str, Any]] = []
    for path in sorted(CHART.glob("templates/*.yaml")):
        text = "".join(_render(_Actions(path.read_text()), {"$": root}))
        documents += [document for document in yaml.safe_load_all(text) if document]
    return documents


class _Actions:
    """The pieces of a template: texts, and what stands between braces. `{{-` takes the space before it away."""

    def __init__(self, text: str) -> None:
        self.pieces: list[tuple[bool, str]] = []
        start = 0
        for match in _ACTION.finditer(text):
            self.pieces.append((False, text[start : match.start()]))
            self.pieces.append((True, match[2] or match[3]))
            start = match.end()
        self.pieces.append((False, text[start:]))
        self.at = 0

    def block(self) -> list[tuple[bool, str]]:
        """What stands until the end that belongs to the action that was read last."""
        depth, start = 1, self.at
        while depth:
            is_action, text = self.pieces[self.at]
            depth += is_action * (text.startswith(("if ", "range ")) - (text == "end"))
            self.at += 1
        return self.pieces[start : self.at - 1]


def _render(actions: _Actions, scope: dict[str, Any]) -> Iterator[str]:
    while actions.at < len(actions.pieces):
        is_action, text = actions.pieces[actions.at]
        actions.at += 1
        if not is_action:
            yield text
        elif text.startswith("if "):
            if _value(text.removeprefix("if "), scope):
                yield from _render(_inner(actions.block()), scope)
            else:
                actions.block()
        elif text.startswith("range "):
            names, _, of = text.removeprefix("range ").partition(" := ")
            key, each = names.split(", ")
            block = actions.block()
            over = _value(of, scope)
            for one, value in sorted(over.items()) if isinstance(over, dict) else enumerate(over):
                yield from _render(_inner(block), {**scope, key: one, each: value})
        else:
            value = _value(text, scope)
            assert isinstance(value, (str, int)), f"{text} is no text"
            yield str(value)


def _inner(pieces: list[tuple[bool, str]]) -> _Actions:
    actions = _Actions("")
    actions.pieces = pieces
    return actions


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lambda *numbers: sum(numbers),
    "and": lambda one, other: one and other,
    "default": lambda other, value: value or other,
    "int": lambda value: int(value or 0),
    "not": lambda value: not value,
    "printf": lambda text, *arguments: text % arguments,
    "quote": lambda value: json.dumps(str(value)),
    "sha256sum": lambda text: hashlib.sha256(text.encode()).hexdigest(),
    "toJson": lambda value: json.dumps(value, sort_keys=True, separators=(",", ":")),
}


def _value(expression: str, scope: dict[str, Any]) -> Any:
    return _pipeline(_TOKEN.findall(expression), scope)


def _pipeline(tokens: list[str], scope: dict[str, Any]) -> Any:
    """Consumes the tokens up to a closing bracket."""
    words: list[Any] = []
    while tokens:
        token = tokens.pop(0)
        if token == ")":
            break
        if token == "(":
            words.append(_pipeline(tokens, scope))
        elif token == "|":
            given = _call(words)
            words = [_FUNCTIONS[tokens.pop(0)]]
            while tokens and tokens[0] not in "|)":
                words.append(_atom(tokens.pop(0), scope))
            words.append(given)
        else:
            words.append(_atom(token, scope))
    return _call(words)


def _call(words: list[Any]) -> Any:
    return words[0](*words[1:]) if callable(words[0]) else words[0]


def _atom(token: str, scope: dict[str, Any]) -> Any:
    if token.startswith('"'):
        return json.loads(token)
    if token.isdigit():
        return int(token)
    if not token.startswith("$"):
        return _FUNCTIONS[token]
    name, _, path = token.partition(".")
    found = scope[name]
    for part in path.split(".") if path else ():
        # A setting that nobody names is nothing; every other value stands in values.yaml.
        found = found.get(part) if path.startswith("Values.settings.") else found[part]
    return found
