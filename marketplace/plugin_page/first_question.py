"""The question in the code that people copy: one that the plugin answers, so that the first call is no refusal."""

from __future__ import annotations

from accounts.models import User
from evaluation.golden.propose_questions import questions_to_try
from evaluation.models import GoldenQuestion
from plugins.models import Plugin


def first_question(plugin: Plugin, *, viewer: User | None) -> str:
    """One that the author offers to visitors; for those who may look at the plugin in the builder also another golden
    question, or what its documents suggest. "" where the viewer may know none."""
    offered = plugin.golden_questions.offered_to_visitors().filter(expectation=GoldenQuestion.Expectation.ANSWER)
    if question := offered.values_list("question", flat=True).first():
        return question
    if viewer is None or not Plugin.objects.viewable_by(viewer).contains(plugin):
        return ""
    return next(iter(questions_to_try(plugin, count=1)), "")
