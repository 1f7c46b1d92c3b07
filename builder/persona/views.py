"""The composer: who answers, for whom and how; and the exact words that a language model would be given."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.signed_in_request import SignedInRequest
from evaluation.golden.propose_questions import questions_to_try
from marketplace.plugin_templates.templates import plugin_templates
from plugins.models import CitationMode, Plugin, Release
from plugins.starter_persona import compose_persona
from querying.answering import prompts
from querying.types.question import Caller, Question

SAMPLE_QUESTION = "What does the first page say?"
# What the preview takes from the form; everything else of the plugin does not change the words.
PREVIEW_FIELDS = ("system_prompt", "audience", "tone", "limits")


def persona_context(plugin: Plugin) -> dict[str, Any]:
    """What the composer shows beside its form."""
    return {
        "prompt": system_prompt(Release(plugin=plugin, **plugin.policy())),
        "has_model": has_model(),
        "sample_question": next(iter(questions_to_try(plugin, count=1)), ""),
    }


def has_model() -> bool:
    """Whether a language model writes the answers of this site; otherwise they quote the documents."""
    return settings.LEXIC_LLM != "extractive"


def preview_prompt(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The prompt with what stands in the form now. Nothing is saved."""
    said = {name: request.POST.get(name, "").strip() for name in PREVIEW_FIELDS}
    mode = request.POST.get("citation_mode", "")
    said["citation_mode"] = mode if mode in CitationMode.values else plugin.citation_mode
    draft = Release(plugin=plugin, **{**plugin.policy(), **said})
    return render(request, "builder/_prompt.html", {"prompt": system_prompt(draft)})


@require_GET
def suggest_persona(request: SignedInRequest) -> HttpResponse:
    """The first draft for a name and a field that are being typed."""
    name, domain = (request.GET.get(key, "").strip()[:120] for key in ("name", "domain"))
    chosen = request.GET.get("template", "")
    task = next((template.task for template in plugin_templates() if template.name == chosen), "")
    draft = compose_persona(name=name, domain=domain, task=task) if name and domain else None
    return render(request, "builder/_persona_suggestion.html", {"draft": draft})


def system_prompt(release: Release) -> str:
    """The system message, from the function that composes the real one."""
    question = Question(text=SAMPLE_QUESTION, release=release, caller=Caller(name="preview"))
    system, *_ = prompts.build_messages(question, passages=(), path=(), recommendation="")
    return system["content"]
