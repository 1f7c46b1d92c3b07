from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from asgiref.sync import async_to_sync
from django.core.management.base import CommandError

from accounts.models import User
from knowledge.page_names import page_name, section_below_title
from lexic.management.lexic_command import LexicCommand
from plugins.models import Plugin
from querying import json_format, pipeline, releases
from querying.types.events import AnswerFailed, Failed
from querying.types.question import Caller, Options, Question


class Command(LexicCommand):
    help = (
        "Ask a plugin a question, as its owner.\n\n"
        'Example: manage.py ask concrete-cover "What is the minimum cover for a beam exposed to weather?"'
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("plugin", help="slug, slug@1.2.0 or slug@draft")
        parser.add_argument("question")
        parser.add_argument("--fact", action="append", default=[], metavar="NAME=VALUE", help="a known fact")
        parser.add_argument("--json", action="store_true", help="print the API's JSON")

    def handle(self, *, plugin: str, question: str, fact: list[str], **options: Any) -> None:
        if not question.strip():
            raise CommandError("Write a question first; nothing was asked.")
        asked = self._question(plugin, question, dict(_parse_fact(pair) for pair in fact))
        last = async_to_sync(pipeline.answer)(asked)
        if isinstance(last, Failed):
            raise AnswerFailed(last)
        shown = json_format.answer_as_json(last.answer, question=asked)
        self.stdout.write(json.dumps(shown, ensure_ascii=False, indent=2) if options["json"] else format_answer(shown))

    def _question(self, plugin: str, text: str, facts: dict[str, str]) -> Question:
        slug = plugin.partition("@")[0]
        owner = User.objects.filter(owned_plugins__in=Plugin.objects.filter(slug=slug)).first()
        if owner is None:
            raise releases.UnknownPlugin
        release = releases.resolve(plugin, principal=owner)
        caller = Caller(name=f"user:{owner.pk}", user_id=owner.pk)
        return Question(text=text, release=release, caller=caller, facts=facts, options=Options())


def _parse_fact(pair: str) -> tuple[str, str]:
    name, separator, value = pair.partition("=")
    if not separator:
        raise CommandError(f"--fact takes NAME=VALUE, not {pair!r}.")
    return name, value


def format_answer(answer: dict[str, Any]) -> str:
    """The answer for a terminal: text, citations, decision path, confidence."""
    lines = [answer["answer"], ""]
    for citation in answer["citations"]:
        excerpt = " ".join(citation["excerpt"].split())
        lines += [f"  [{citation['id']}] {_place_of(citation)}", f"      “{excerpt}”"]
    if answer["decisionPath"]:
        steps = [f"{step['node']} = {step.get('value') or step.get('result', '?')}" for step in answer["decisionPath"]]
        lines += ["", "  Decision path: " + " → ".join(steps)]
    if answer["clarification"]:
        lines += [f"  {_how_to_answer(answer['clarification'])}"]
    lines += [f"  {sentence}" for sentence in answer["why"]]
    reason = f" ({answer['reason']})" if answer["reason"] else ""
    lines += ["", f"  {answer['outcome']}{reason}, confidence {answer['confidence']}, {answer['release']}"]
    return "\n".join(lines)


def _how_to_answer(asked: dict[str, Any]) -> str:
    options = f" Options: {', '.join(asked['options'])}." if asked["options"] else ""
    return f"Ask again with --fact {asked['field']}=VALUE.{options}"


def _place_of(citation: dict[str, Any]) -> str:
    """Document, page and section; of a file of a repository its path and lines, as editors open them."""
    document = citation["document"]
    if "path" in citation:
        first, last = citation["startLine"], citation["endLine"]
        document = f"{citation['path']}:{first}" + (f"-{last}" if last > first else "")
    page = page_name(citation.get("page"), citation.get("pageLabel", ""), is_short=True)
    section = section_below_title(citation.get("section") or "", document)
    return ", ".join(part for part in (document, page, section) if part)
