"""The address at which a golden question is asked of the draft."""

from __future__ import annotations

from django.urls import reverse

from evaluation.golden import expectation_text
from evaluation.models import GoldenQuestion
from plugins.models import Plugin


def sandbox_address(plugin: Plugin, golden: GoldenQuestion) -> str:
    """The sandbox, with the question and its facts filled in."""
    facts = expectation_text.format_facts(golden.facts)
    asked = {"question": golden.question} | ({"facts": facts} if facts else {})
    return reverse("admin:builder_sandbox", args=[plugin.pk], query=asked)
