"""A question put to the draft of a plugin, to see what a caller would get. Nobody asked it: the log keeps nothing."""

from __future__ import annotations

from evaluation.eval_corpus import release_corpus
from evaluation.eval_types import EvalQuestion, PipelineOutcome
from evaluation.run_question import build_question, run_pipeline
from plugins.models import Plugin
from querying import releases


def ask_draft(plugin: Plugin, question: str) -> PipelineOutcome:
    corpus = release_corpus(releases.snapshot(plugin))
    return run_pipeline(build_question(EvalQuestion(id="", text=question), corpus))
