"""The composer: who answers, for whom and how; and the exact words that a language model would be given."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern
from django.views.decorators.http import require_GET, require_POST

from builder.panes import pane_url
from plugins.models import CitationMode, Plugin, Release
from plugins.starting import compose
from querying import prompts
from querying.types import Asker, Question

SAMPLE = "What does the first page say?"
# What the preview takes from the form; everything else of the plugin does not change the words.
WORDS = ("system_prompt", "audience", "tone", "limits")


def urls() -> list[URLPattern]:
    return [pane_url("persona/preview/", require_POST(preview), name="preview", to_change=True)]


def context(plugin: Plugin) -> dict[str, Any]:
    """What the composer shows beside its form."""
    return {
        "prompt": prompt_of(Release(plugin=plugin, **plugin.policy())),
        "has_model": settings.LEXIC_LLM != "extractive",
    }


def preview(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """The prompt with what stands in the form now. Nothing is saved."""
    said = {name: request.POST.get(name, "").strip() for name in WORDS}
    mode = request.POST.get("citation_mode", "")
    said["citation_mode"] = mode if mode in CitationMode.values else plugin.citation_mode
    draft = Release(plugin=plugin, **{**plugin.policy(), **said})
    return render(request, "builder/_prompt.html", {"prompt": prompt_of(draft)})


@require_GET
def starting(request: HttpRequest) -> HttpResponse:
    """The first draft for a name and a field that are being typed."""
    name, domain = (request.GET.get(key, "").strip()[:120] for key in ("name", "domain"))
    draft = compose(name=name, domain=domain) if name and domain else None
    return render(request, "builder/_starting.html", {"draft": draft})


def prompt_of(release: Release) -> str:
    """The system message, from the function that composes the real one."""
    question = Question(text=SAMPLE, release=release, asker=Asker(name="preview"))
    system, *_ = prompts.messages(question, passages=(), path=(), recommendation="")
    return system["content"]
