"""How to ask a plugin from a program, with its own name and this site's own address filled in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings

_DEFAULT_QUESTION = "What should I know first?"
_MAX_QUESTION_LENGTH = 120


@dataclass(frozen=True, kw_only=True)
class Snippet:
    id: str
    title: str
    code: str


def build_snippets(reference: str, *, question: str = "") -> list[Snippet]:
    """`reference` is what agents call it, such as `slug@1.2.0`. What the author wrote is a string of the language, and
    nothing else, wherever it stands."""
    asked = _one_line_question(question)
    values = {
        "site": settings.PUBLIC_URL,
        "plugin": json.dumps(reference),
        "question": json.dumps(asked, ensure_ascii=False),
        "body": _shell_quoted({"plugin": reference, "query": asked}),
    }
    return [
        Snippet(id=name, title=title, code=_fill_template(template, values))
        for name, (title, template) in _TEMPLATES.items()
    ]


def _one_line_question(question: str) -> str:
    words = " ".join(question.split())
    return words if words and len(words) <= _MAX_QUESTION_LENGTH else _DEFAULT_QUESTION


def _shell_quoted(body: Mapping[str, str]) -> str:
    text = json.dumps(body, ensure_ascii=False, indent=2).replace("\n", "\n  ")
    return "'" + text.replace("'", "'\\''") + "'"


def _fill_template(template: str, values: Mapping[str, str]) -> str:
    """Each «name» once, in one pass: a value that looks like one stays as it is."""
    parts = template.split("«")
    filled = [parts[0]]
    for part in parts[1:]:
        name, _, rest = part.partition("»")
        filled.append(values[name] + rest)
    return "".join(filled)


_TEMPLATES = {
    "python": (
        "Python",
        """from lexic_sdk import Lexic

lexic = Lexic(base_url="«site»")  # reads LEXIC_API_KEY
result = lexic.query(
    «question»,
    plugin=«plugin»,
)
print(result.answer)
for source in result.citations:
    print(source.document, source.page, source.excerpt)""",
    ),
    "http": (
        "HTTP",
        """curl «site»/api/v1/query \\
  -H "Authorization: Bearer $LEXIC_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d «body»""",
    ),
    "mcp": (
        "MCP",
        """{
  "mcpServers": {
    "lexic": {
      "url": "«site»/mcp",
      "headers": {
        "Authorization": "Bearer ${LEXIC_API_KEY}"
      }
    }
  }
}""",
    ),
    "openai": (
        "OpenAI client",
        """import os
from openai import OpenAI

client = OpenAI(base_url="«site»/v1", api_key=os.environ["LEXIC_API_KEY"])
answer = client.chat.completions.create(
    model=«plugin»,
    messages=[{"role": "user", "content": «question»}],
)
print(answer.choices[0].message.content)""",
    ),
}
