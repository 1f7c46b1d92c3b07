"""Closes entries of the inbox that the new release answers."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.utils import timezone

from evaluation.ask_draft import ask_as_outsider, is_sure
from plugins.models import Plugin, Release
from querying.answering.llms import get_llm
from querying.models import ATTENTION_PERIOD, Dismissal, Query, QueryQuerySet
from querying.question import document_access

# So many different questions are asked again, the newest first; without a language model, so that it costs nothing.
MAX_QUESTIONS = 30
_ASKED_AGAIN_WITH = "extractive"


def close_answered_questions(plugin_id: UUID) -> int:
    """Dismisses the queries whose question the live release answers to those who asked it. What people called wrong, or
    wait for a reply to, stays; so do follow-ups, which mean nothing alone. Returns how many were dismissed."""
    plugin = Plugin.objects.filter(pk=plugin_id, is_published=True).first()
    release = plugin.latest_release() if plugin else None
    if plugin is None or release is None:
        return 0
    waiting, closed = _waiting(plugin, release), 0
    for is_visitor in (True, False):
        only_public = document_access.shows_public_only(release, is_visitor=is_visitor)
        theirs = waiting.by_visitors(is_visitor=is_visitor)
        answered = [one for one in _newest_questions(theirs) if _is_answered(one, release, only_public=only_public)]
        rows = theirs.filter(question__in=answered).only("pk") if answered else ()
        closed += Dismissal.record(rows, by=None, at=timezone.now())
    return closed


def _waiting(plugin: Plugin, release: Release) -> QueryQuerySet:
    asked = Query.objects.filter(plugin=plugin, context=[], facts={}, created_at__lt=release.created_at)
    waiting = asked.needing_attention(since=timezone.now() - ATTENTION_PERIOD)
    return waiting.filter(is_wrong=False, is_requested=False)


def _newest_questions(waiting: QueryQuerySet) -> Sequence[str]:
    questions = waiting.order_by("-created_at", "pk").values_list("question", flat=True)
    return list(dict.fromkeys(questions))[:MAX_QUESTIONS]


def _is_answered(question: str, release: Release, *, only_public: bool) -> bool:
    """To somebody who does not work on the plugin, by what it cites."""
    given = ask_as_outsider(release, question, only_public=only_public, llm=get_llm(_ASKED_AGAIN_WITH))
    return is_sure(given) and bool(given.citations)
