"""How to ask a plugin from a program, with its own name and this site's own address filled in."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from django.conf import settings

_DEFAULT_QUESTION = "What should I know first?"
_MAX_QUESTION_LENGTH = 120
_PLACEHOLDER = re.compile("«([a-z]+)»")


@dataclass(frozen=True, kw_only=True)
class Snippet:
    id: str
    title: str
    code: str


def build_snippets(reference: str, *, question: str = "") -> list[Snippet]:
    """`reference` is what agents call the plugin, such as `slug@1.2.0`. The question is a string of the language, and
    nothing else, in each of them; one that is too long is replaced by a general one."""
    one_line = " ".join(question.split())
    if not 0 < len(one_line) <= _MAX_QUESTION_LENGTH:
        one_line = _DEFAULT_QUESTION
    body = json.dumps({"plugin": reference, "query": one_line}, ensure_ascii=False, indent=2)
    values = {
        "site": settings.PUBLIC_URL,
        "plugin": json.dumps(reference),
        "question": json.dumps(one_line, ensure_ascii=False),
        "body": "'" + body.replace("\n", "\n  ").replace("'", "'\\''") + "'",
    }
    return [
        # In one pass, so that a value which looks like a «name» stays as it is.
        Snippet(id=name, title=title, code=_PLACEHOLDER.sub(lambda found: values[found[1]], template))
        for name, (title, template) in _TEMPLATES.items()
    ]


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
