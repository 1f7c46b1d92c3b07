"""The sample of a plugin's page: a question with its answer, which the worker asks for, never a request."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from asgiref.sync import async_to_sync

from accounts.models import User
from evaluation.models import GoldenQuestion
from marketplace.models import Listing
from plugins.models import Plugin, Release
from querying import json_format, pipeline
from querying.models import Query
from querying.presentation.answer import AnswerPresentation, StoredAnswer, present_answer, referenced_document_ids
from querying.query_log.spending import delete_queries
from querying.question import document_access
from querying.types.answer import Outcome
from querying.types.events import Done
from querying.types.question import Caller, Question

# How many are offered to visitors.
MAX_SAMPLE_QUESTIONS = 4
# They are asked until one is answered, at most this many.
_MAX_ATTEMPTS = 3
_CALLER_NAME = "sample"


def current_sample(plugin: Plugin) -> dict[str, Any]:
    """The answer (`querying.json_format`) to the first sample question that the latest release answers, with
    `question`, `facts` and `seconds`; {} where no question is marked as a sample, or none is answered.

    Asks only where the sample that the listing holds is of another release or question.
    """
    release = plugin.releases.select_related("plugin").first()
    if release is None:
        return {}
    known = Listing.objects.filter(plugin=plugin).values_list("sample", flat=True).first() or {}
    offered = plugin.golden_questions.offered_to_visitors()
    questions = list(offered.filter(expectation=GoldenQuestion.Expectation.ANSWER)[:_MAX_ATTEMPTS])
    current = (known.get("release"), known.get("question"), known.get("facts"))
    if any(current == (str(release), golden.question, golden.facts) for golden in questions):
        return dict(known)
    return next((answer for golden in questions if (answer := _ask_sample_question(release, golden))), {})


def offered_sample_answer(
    plugin: Plugin, sample: Mapping[str, Any], *, viewer: User | None
) -> AnswerPresentation | None:
    """What `current_sample` returned, as this viewer or anybody (None) sees it; None where it is not offered."""
    if not is_sample_offered(plugin, sample):
        return None
    stored = StoredAnswer(question=sample["question"], answer=sample, seconds=sample.get("seconds"))
    return present_answer(stored, viewer=viewer)


def is_sample_offered(plugin: Plugin, sample: Mapping[str, Any]) -> bool:
    """Whether the author still shows the sample's question, and the plugin may still quote every document that the
    sample names. A change counts at once, whatever the listing holds. No statement for an empty sample."""
    if not sample or not plugin.golden_questions.offered_to_visitors().filter(question=sample["question"]).exists():
        return False
    named = set(referenced_document_ids(sample))
    only_public = plugin.public_chat or plugin.public_only
    return named <= document_access.publicly_quoted(named, plugin=plugin, only_public=only_public, with_templates=False)


def _ask_sample_question(release: Release, golden: GoldenQuestion) -> dict[str, Any]:
    """The answer, or {} if the question was not answered. The query row is deleted, because no caller asked the
    question."""
    started = time.monotonic()
    caller = Caller(
        name=_CALLER_NAME, is_evaluation=True, is_public_caller=document_access.restricts_to_public(release)
    )
    question = Question(text=golden.question, release=release, caller=caller, facts=golden.facts)
    last = async_to_sync(pipeline.answer)(question)
    seconds = round(time.monotonic() - started, 2)
    delete_queries(Query.objects.filter(pk=question.id))
    if not isinstance(last, Done) or last.answer.outcome != Outcome.ANSWERED:
        return {}
    sample = {"question": golden.question, "facts": golden.facts, "seconds": seconds}
    return sample | json_format.answer_as_json(last.answer, question=question)
