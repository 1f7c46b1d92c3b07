"""A question that the plugin answers and what it says to it, for its page: asked by the worker, never in a request."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from asgiref.sync import async_to_sync

from marketplace.models import Listing
from plugins.models import Plugin, Release
from querying import json_format, pipeline
from querying.models import GoldenQuestion, GoldenQuestionQuerySet, Query
from querying.presentation.answer import referenced_document_ids
from querying.question import access
from querying.types import Caller, Done, Outcome, Question

# So many are offered to visitors.
MAX_SAMPLE_QUESTIONS = 4
# They are asked until one is answered, and not more than a few.
_MAX_ATTEMPTS = 3
_CALLER_NAME = "sample"


def current_sample(plugin: Plugin) -> dict[str, Any]:
    """The answer to the first sample question that the latest release answers, as `querying.json_format` says it, with
    `question`, `facts` and `seconds`; {} where no question is marked as a sample, or none is answered.

    Asks only where the release or the questions are others than those of the sample that the listing holds.
    """
    release = plugin.releases.select_related("plugin").first()
    if release is None:
        return {}
    known = Listing.objects.filter(plugin=plugin).values_list("sample", flat=True).first() or {}
    questions = list(sample_questions(plugin).filter(expectation=GoldenQuestion.Expectation.ANSWER)[:_MAX_ATTEMPTS])
    if any(_is_sample_current(known, release, golden) for golden in questions):
        return dict(known)
    return next((answer for golden in questions if (answer := _ask_sample_question(release, golden))), {})


def sample_questions(plugin: Plugin) -> GoldenQuestionQuerySet:
    """The golden questions that their author shows to visitors, without those that went wrong when last run."""
    return plugin.golden_questions.filter(is_public=True).exclude(last_passed=False).order_by("pk")


def is_sample_offered(plugin: Plugin, sample: Mapping[str, Any]) -> bool:
    """Whether its author shows the question of this sample still, and all that it names: what is taken off or made
    private is off at once, whatever the listing holds. No statement for an empty one."""
    return (
        bool(sample)
        and sample_questions(plugin).filter(question=sample["question"]).exists()
        and _is_sample_readable(plugin, sample)
    )


def _is_sample_readable(plugin: Plugin, sample: Mapping[str, Any]) -> bool:
    if not (plugin.public_chat or plugin.public_only):
        return True
    named = set(referenced_document_ids(sample))
    return named <= access.publicly_readable(named)


def _is_sample_current(known: dict[str, Any], release: Release, golden: GoldenQuestion) -> bool:
    of = (known.get("release"), known.get("question"), known.get("facts"))
    return of == (str(release), golden.question, golden.facts)


def _ask_sample_question(release: Release, golden: GoldenQuestion) -> dict[str, Any]:
    """{} unless it is answered. The audit row is deleted: nobody asked this."""
    begun = time.monotonic()
    caller = Caller(name=_CALLER_NAME, is_evaluation=True, is_public_caller=access.restricts_to_public(release))
    question = Question(text=golden.question, release=release, caller=caller, facts=golden.facts)
    last = async_to_sync(pipeline.answer)(question)
    seconds = round(time.monotonic() - begun, 2)
    Query.objects.filter(pk=question.id).delete()
    if not isinstance(last, Done) or last.answer.outcome != Outcome.ANSWERED:
        return {}
    said = {"question": golden.question, "facts": golden.facts, "seconds": seconds}
    return said | json_format.answer_as_json(last.answer, question=question)
