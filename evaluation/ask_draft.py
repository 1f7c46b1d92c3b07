"""Asks a release or a draft, to see what a caller would get. The question is not kept in the log."""

from __future__ import annotations

from dataclasses import replace

from evaluation.eval_corpus import release_corpus
from evaluation.eval_types import EvalQuestion, PipelineOutcome
from evaluation.run_question import build_question, run_pipeline
from knowledge.search.filters import Filters
from plugins.models import Plugin, Release
from querying import releases
from querying.llm_interface import LLM
from querying.types.answer import Outcome
from querying.types.confidence import Confidence


def ask_draft(plugin: Plugin, question: str) -> PipelineOutcome:
    """What the people who work on it get: also from documents that are not public."""
    corpus = release_corpus(releases.snapshot(plugin))
    return run_pipeline(build_question(EvalQuestion(id="", text=question), corpus))


def ask_as_outsider(release: Release, question: str, *, only_public: bool, llm: LLM | None = None) -> PipelineOutcome:
    """What somebody gets who does not work on the plugin: from no template, and where they are told `only_public`
    documents, from these alone."""
    asked = build_question(EvalQuestion(id="", text=question), release_corpus(release))
    caller = replace(asked.caller, is_public_caller=only_public)
    options = replace(asked.options, filters=Filters(exclude_templates=True))
    return run_pipeline(replace(asked, caller=caller, options=options), llm=llm)


def is_sure(given: PipelineOutcome) -> bool:
    """Whether it is an answer, and not one of low confidence."""
    return given.outcome == Outcome.ANSWERED.value and given.confidence != Confidence.LOW.value
