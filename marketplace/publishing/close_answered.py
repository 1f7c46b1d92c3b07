"""What waited in the inbox and is answered by the new release closes by itself."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.utils import timezone

from evaluation.eval_corpus import release_corpus
from evaluation.eval_types import EvalQuestion, PipelineOutcome
from evaluation.run_question import build_question, run_pipeline
from plugins.models import Plugin, Release
from querying.answering.llms import get_llm
from querying.models import ATTENTION_PERIOD, Dismissal, Query, QueryQuerySet
from querying.question import document_access
from querying.types import Confidence, Outcome

# So many different questions are asked again, the newest first; without a language model, so that it costs nothing.
MAX_QUESTIONS = 30
_ASKED_AGAIN_WITH = "extractive"


def close_answered(plugin_id: UUID) -> int:
    """Dismisses the queries whose question the live release answers. What people called wrong, or wait for a reply to,
    stays; so do follow-ups, which mean nothing alone. Returns how many were dismissed."""
    plugin = Plugin.objects.filter(pk=plugin_id, is_published=True).first()
    release = plugin.latest_release() if plugin else None
    if plugin is None or release is None:
        return 0
    waiting = _waiting(plugin, release)
    answered = [question for question in _newest_questions(waiting) if _is_answered(question, release)]
    rows = waiting.filter(question__in=answered).only("pk") if answered else ()
    return Dismissal.record(rows, by=None, at=timezone.now())


def _waiting(plugin: Plugin, release: Release) -> QueryQuerySet:
    asked = Query.objects.filter(plugin=plugin, context=[], facts={}, created_at__lt=release.created_at)
    waiting = asked.needing_attention(since=timezone.now() - ATTENTION_PERIOD)
    return waiting.filter(is_wrong=False, is_requested=False)


def _newest_questions(waiting: QueryQuerySet) -> Sequence[str]:
    questions = waiting.order_by("-created_at", "pk").values_list("question", flat=True)
    return list(dict.fromkeys(questions))[:MAX_QUESTIONS]


def _is_answered(question: str, release: Release) -> bool:
    asked = build_question(EvalQuestion(id="", text=question), release_corpus(release))
    given = run_pipeline(asked, llm=get_llm(_ASKED_AGAIN_WITH))
    is_sure = given.outcome == Outcome.ANSWERED.value and given.confidence != Confidence.LOW.value
    return is_sure and bool(given.citations) and _may_be_told(given, release)


def _may_be_told(given: PipelineOutcome, release: Release) -> bool:
    """Whether visitors get that answer too, where they read public documents alone."""
    if not document_access.restricts_to_public(release):
        return True
    cited = {str(span.document) for span in given.citations}
    return cited <= document_access.publicly_quoted(cited, plugin=release.plugin, only_public=True)
