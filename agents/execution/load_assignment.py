"""The assignment of a run, read from what is stored: so that any process can take it up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.conf import settings

from accounts.models import Principal
from agents.message_attachments import Attachment
from agents.models import AgentRun
from agents.planners.planner_types import Assignment, OpenDraft
from conversations.exchanges import Exchange, exchanges_of
from conversations.models import Project
from conversations.private_document_search import private_layers
from conversations.public_questions import conversation_context, resume_from_text
from knowledge.search.revision_statistics import BaseRevision
from plugins.models import Release
from querying import releases
from querying.answering.citation_styles import render_sentence
from querying.private_layers import find_principal
from querying.question.caller_access import AccessEnded
from querying.types.answer import Outcome
from querying.types.question import Caller, CitationStyle, Question, Turn
from querying.types.token_usage import estimate_tokens

_NOT_ANSWERED = (Outcome.FAILED, Outcome.ABANDONED)


def caller_of(run: AgentRun) -> Caller:
    """Who asks. The name binds a question back to the conversation."""
    return Caller(name=f"conversation:{run.session_id}", api_key_id=run.api_key_id, user_id=run.user_id)


def principal_of(run: AgentRun) -> Principal:
    """The key or the person who began the run. Raises `AccessEnded` where they may not come in any more."""
    principal = find_principal(caller_of(run))
    if principal is None:
        raise AccessEnded
    return principal


def read_assignment(run: AgentRun, principal: Principal) -> Assignment:
    """Raises `UnknownPlugin` and `UnknownRelease` where the plugin may not be asked any more."""
    message = run.message
    exchanges = exchanges_of(run.session, reader=principal)
    earlier = [one for one in exchanges if one.question.pk < message.pk]
    question = Question(
        text=message.content,
        release=_pinned_release(run, principal),
        caller=caller_of(run),
        layers=tuple(_as_base(pin) for pin in run.layers),
        is_private=True,
        conversation_id=run.session_id,
    )
    return Assignment(
        question=_with_context(question, earlier),
        message=message.content,
        history=history_of(earlier, tokens=settings.AGENTS.history_tokens),
        attachments=tuple(
            Attachment(document_id=UUID(one["documentId"]), title=one["title"]) for one in message.attachments
        ),
        draft=OpenDraft(**state) if (state := _draft_state(earlier)) else None,
    )


def history_of(exchanges: Sequence[Exchange], *, tokens: int) -> tuple[Turn, ...]:
    """The latest exchanges as turns, as many as fit into so many tokens; without those that failed, and those that
    their reader may not read any more. Marks of sources are taken out: numbers mean something else in each run."""
    turns: list[Turn] = []
    usable = [one for one in exchanges if one.answer and not one.is_withdrawn and one.outcome != Outcome.FAILED]
    for exchange in reversed(usable):
        assert exchange.answer is not None
        question, answer = exchange.question, render_sentence(exchange.answer.content, style=CitationStyle.OFF)
        attached = [f"With it came the document {one['documentId']}." for one in question.attachments]
        asked = "\n".join([question.content, *attached])
        tokens -= estimate_tokens(asked) + estimate_tokens(answer)
        if tokens < 0:
            break
        turns = [Turn(role="user", content=asked), Turn(role="assistant", content=answer), *turns]
    return tuple(turns)


def _with_context(question: Question, earlier: list[Exchange]) -> Question:
    """After a question back, the first question with the message as its answer, where it is one."""
    has_asked = bool(earlier) and earlier[-1].asks_back and not _asks_for_fact(earlier[-1])
    if has_asked and (resumed := resume_from_text(question, earlier)):
        return resumed
    return replace(question, context=conversation_context(earlier))


def _asks_for_fact(exchange: Exchange) -> bool:
    """Whether it is a draft that asks back, and not a search while a draft is kept."""
    state = exchange.answer.metadata.get("state", {}) if exchange.answer else {}
    return "draft" in state and not state.get("isKept")


def _draft_state(earlier: list[Exchange]) -> dict[str, Any]:
    """Of the draft that waits: behind messages that were not answered as well."""
    for exchange in reversed(earlier):
        if exchange.is_withdrawn:
            return {}
        if exchange.answer and (state := exchange.answer.metadata.get("state")) is not None:
            found: dict[str, Any] = state.get("draft", {})
            return found
        if exchange.answer and exchange.outcome not in _NOT_ANSWERED:
            return {}
    return {}


def _pinned_release(run: AgentRun, principal: Principal) -> Release:
    """The release by its name; of a draft, the knowledge as it stood when the run began."""
    release = releases.resolve(run.release_name, principal=principal)
    if release.is_draft:
        private = {pin["knowledge_base"] for pin in run.layers}
        release.knowledge = [pin for pin in run.knowledge if pin["knowledge_base"] not in private]
    return release


def _as_base(pin: dict[str, Any]) -> BaseRevision:
    return BaseRevision(
        knowledge_base_id=pin["knowledge_base"],
        revision=pin["revision"],
        embedder=pin["embedder"],
        languages=tuple(pin.get("languages", ())),
    )


def layer_pins(principal: Principal, project: Project | None) -> list[dict[str, Any]]:
    """The private bases that are read besides the release, as they stand now."""
    return [
        {
            "knowledge_base": layer.knowledge_base_id,
            "revision": layer.revision,
            "embedder": layer.embedder,
            "languages": list(layer.languages),
        }
        for layer in private_layers(principal, project=project)
    ]
