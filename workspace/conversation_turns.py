"""The turns of a private conversation: what came with each message, the answer, and what its run has made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from uuid import UUID

from accounts.models import User
from agents.models import AgentRun, RunState
from conversations.chat_page import TurnPresentation, present_turns
from conversations.exchanges import Exchange
from conversations.models import ChatSession
from workspace.run_labels import REACHED_LIMITS
from workspace.run_results import RunResult, results_of


@dataclass(frozen=True, kw_only=True)
class ConversationTurn(TurnPresentation):
    """A turn with the titles of the documents that came along, the run that answers it, what that has made, why it
    failed without an answer, and which limit it reached before it was done."""

    attached: tuple[str, ...]
    run_id: UUID | None
    result: RunResult | None
    failure: str
    limit: str


def conversation_turns(session: ChatSession, exchanges: Sequence[Exchange], *, viewer: User) -> list[ConversationTurn]:
    """The exchanges as they are shown to the person who began the conversation. Six statements at most, however many
    there are."""
    rows = AgentRun.objects.filter(session=session, message__in=[one.question.pk for one in exchanges])
    runs = {run.message_id: run for run in rows.only("message_id", "state", "error")}
    readable = [one.question.pk for one in exchanges if not one.is_withdrawn]
    results = results_of([runs[pk].pk for pk in readable if pk in runs], viewer=viewer)
    turns = [
        _conversation_turn(turn, exchange, run=runs.get(exchange.question.pk), results=results)
        for turn, exchange in zip(present_turns(exchanges, viewer=viewer), exchanges, strict=True)
    ]
    for number, (asked, given) in enumerate(pairwise(exchanges)):
        if _states_fact(asked, given):
            turns[number] = replace(turns[number], chosen_reply=given.question.content)
            turns[number + 1] = replace(turns[number + 1], is_reply=True)
    return turns


def _states_fact(asked: Exchange, given: Exchange) -> bool:
    """Whether the second message is the fact that a draft waited for."""
    if not asked.asks_back or given.answer is None or not asked.answer:
        return False
    return "draft" in asked.answer.metadata.get("state", {}) and given.answer.metadata.get("agentType") == "document"


def _conversation_turn(
    turn: TurnPresentation, exchange: Exchange, *, run: AgentRun | None, results: dict[UUID, RunResult]
) -> ConversationTurn:
    attached = () if exchange.is_withdrawn else exchange.question.attachments
    return ConversationTurn(
        **vars(turn),
        attached=tuple(one["title"] for one in attached),
        run_id=run.pk if run else None,
        result=results.get(run.pk) if run else None,
        failure=run.error if run and run.state == RunState.FAILED and exchange.answer is None else "",
        limit=REACHED_LIMITS.get(exchange.answer.metadata.get("stopped") or "", "") if exchange.answer else "",
    )
