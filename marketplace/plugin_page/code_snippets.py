"""How to ask a plugin from a program, with its own name and this site's own address filled in."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from marketplace.site.sdk_wheel import build_sdk_wheel

# To be replaced; a question that the documents do not answer would be refused.
_PLACE_OF_QUESTION = "Your question"
MAX_QUESTION_LENGTH = 120
_PLACEHOLDER = re.compile("«([a-z]+)»")
_TITLES = {"python": "Python", "http": "HTTP", "mcp": "MCP", "openai": "OpenAI client"}
_TEMPLATES = {
    name: (Path(__file__).parent / "snippets" / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")
    for name in _TITLES
}


@dataclass(frozen=True, kw_only=True)
class Snippet:
    id: str
    title: str
    code: str


def build_snippets(reference: str, *, question: str = "") -> list[Snippet]:
    """`reference` is what agents call the plugin, such as `slug@1.2.0`. The question is a string of the language, and
    nothing else, in each of them; where there is none, or it is too long, its place is named."""
    one_line = " ".join(question.split())
    if not 0 < len(one_line) <= MAX_QUESTION_LENGTH:
        one_line = _PLACE_OF_QUESTION
    body = json.dumps({"plugin": reference, "query": one_line}, ensure_ascii=False, indent=2)
    values = {
        "site": settings.PUBLIC_URL,
        "sdk": settings.PUBLIC_URL + build_sdk_wheel().address,
        "plugin": json.dumps(reference),
        "question": json.dumps(one_line, ensure_ascii=False),
        "body": "'" + body.replace("\n", "\n  ").replace("'", "'\\''") + "'",
    }
    return [
        # In one pass, so that a value which looks like a «name» stays as it is.
        Snippet(id=name, title=title, code=_PLACEHOLDER.sub(lambda found: values[found[1]], _TEMPLATES[name]))
        for name, title in _TITLES.items()
    ]
