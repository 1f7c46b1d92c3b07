"""The tools of contract review: what a contract says, what a playbook wants, and the stored review of the one against
the other, which a worker makes. The report's figures are the server's."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from accounts.models import ApiKey, Capability, user_of
from agents.message_attachments import readable_attachments
from agents.models import AgentType, EventKind
from agents.tools.tool_types import SEARCH_SECONDS, Tool, ToolContext, ToolOutput, schema
from contracts.clauses.parse_contract import parse_contract, parse_nda
from contracts.models import ContractReview, ReviewDeleted, ReviewState
from contracts.playbook.playbook_sources import NDA_PLAYBOOK, SERVICES_PLAYBOOK, find_playbook
from contracts.report.review_report import contract_report, nda_report
from contracts.review.start_review import start_review
from contracts.review.supplied_text import SuppliedText, find_in_text
from knowledge.models import Document, KnowledgeBase
from lexic.database import in_thread
from lexic.errors import LexicError, NotAllowed
from querying.releases import bases_of

# A review takes as long as it moves. Seconds without a new finding after which nobody waits any more.
_STALL_SECONDS, _POLL_SECONDS, _MAX_SECONDS = 180.0, 0.5, 3600.0
_DOCUMENT = {"type": "string", "format": "uuid", "minLength": 36, "maxLength": 36}
_PLAYBOOK = {"type": "string", "minLength": 1, "maxLength": 60, "description": "One that ships, or a document's id."}


_MAX_CLAUSE_CHARACTERS = 20_000
_POINTS = {
    "type": "array",
    "items": {"type": "string", "minLength": 1, "maxLength": 4000},
    "minItems": 1,
    "maxItems": 50,
    "description": "What the agreement says, in its own words: a clause or a sentence each.",
}


class ReadOnlyDocument(NotAllowed):
    """You may read this document but not start a review of it."""

    code = "read_only"
    hint = "Ask the owner of the project to make you an editor."


class MayNotReview(NotAllowed):
    """This API key may not start reviews."""

    code = "missing_capability"
    hint = "Use a key with the capability “author” as well."


class NothingToCompareWith(LexicError):
    """There are no documents to compare with yet."""

    code = "no_documents"
    hint = "Add the contract to your documents first."


class ReviewFailed(LexicError):
    """The review could not be made."""

    code = "review_failed"


class ReviewStalled(LexicError):
    """The review does not continue."""

    code = "review_stalled"
    hint = "It may still be made; look among your reviews later."


async def _parse_contract(context: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    return ToolOutput(result=await in_thread(lambda: parse_contract(_document(context, given)).as_dict()))


async def _parse_nda(context: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    return ToolOutput(result=await in_thread(lambda: parse_nda(_document(context, given)).as_dict()))


async def _load_playbook(context: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    found = await in_thread(find_playbook, given["name"], principal=context.principal)
    return ToolOutput(result=found.playbook.as_dict())


async def _render_contract_report(context: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    review = await _finished_review(context, given, playbook=given.get("playbook", ""))
    report = await in_thread(contract_report, review)
    result = {"reviewId": str(review.pk), "report": report}
    return ToolOutput(result=result, events=((EventKind.CONTRACT_RESULT, {"report": report}),))


async def _render_nda_report(context: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    review = await _finished_review(context, given, playbook=given.get("playbook", NDA_PLAYBOOK))
    report = await in_thread(nda_report, review)
    result = {"reviewId": str(review.pk), "report": report}
    return ToolOutput(result=result, events=((EventKind.NDA_RESULT, {"report": report}),))


async def _analyze_clause(context: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    key = given.get("playbook", SERVICES_PLAYBOOK)
    return ToolOutput(
        result=await in_thread(_compare_with_playbook, context, (given["clause"],), key, with_missing=False)
    )


async def _check_nda(context: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    key = given.get("playbook", NDA_PLAYBOOK)
    return ToolOutput(
        result=await in_thread(_compare_with_playbook, context, tuple(given["points"]), key, with_missing=True)
    )


def _compare_with_playbook(
    context: ToolContext, parts: tuple[str, ...], playbook: str, *, with_missing: bool
) -> dict[str, Any]:
    """The findings, as the rows of a report. Raises `UnknownPlaybook`, `UnfitPlaybook`, `NothingToCompareWith`,
    `EmbedderError`."""
    found = find_playbook(playbook, principal=context.principal).playbook
    bases = [*context.question.layers, *bases_of(context.question)]
    if not bases:
        raise NothingToCompareWith
    given = SuppliedText(parts=parts, base=bases[0])
    return {"playbook": found.name, "findings": find_in_text(given, found, with_missing=with_missing)}


async def _finished_review(context: ToolContext, given: Mapping[str, Any], *, playbook: str) -> ContractReview:
    """The review when the worker has made it. Raises `ReviewFailed`, `ReviewStalled`, `ReviewDeleted`, and what
    `start_review` raises."""
    review = await in_thread(_find_or_start_review, context, given, playbook)
    done, waited = -1, 0.0
    while not review.is_finished:
        waited = waited + _POLL_SECONDS if review.positions_done == done else 0.0
        done = review.positions_done
        if waited >= _STALL_SECONDS:
            raise ReviewStalled
        await asyncio.sleep(_POLL_SECONDS)
        review = await in_thread(_stored_review, review.pk)
    if review.state == ReviewState.FAILED:
        raise ReviewFailed(hint=review.error)
    return review


def _find_or_start_review(context: ToolContext, given: Mapping[str, Any], playbook: str) -> ContractReview:
    """The review of this call: an earlier process of the run may have begun it, or seen its end. Whoever may not begin
    one by itself does not begin one by a message: a key needs the same capabilities."""
    document, person = _document(context, given), user_of(context.principal)
    if isinstance(context.principal, ApiKey) and not context.principal.can(Capability.AUTHOR):
        raise MayNotReview
    if not KnowledgeBase.objects.editable_by(context.principal).filter(pk=document.knowledge_base_id).exists():
        raise ReadOnlyDocument
    return start_review(
        document, by=person, principal=context.principal, playbook=playbook, request_key=context.call_key
    )


def _stored_review(pk: UUID) -> ContractReview:
    found = ContractReview.objects.select_related("document").filter(pk=pk).first()
    if found is None:
        raise ReviewDeleted
    return found


def _document(context: ToolContext, given: Mapping[str, Any]) -> Document:
    """The document, which the run reads. Raises `UnknownAttachment`, `AttachmentNotReady`, `DocumentFailed`."""
    bases = {base.knowledge_base_id for base in bases_of(context.question)}
    [found] = readable_attachments([UUID(given["documentId"])], principal=context.principal, bases=bases)
    return Document.objects.select_related("knowledge_base").get(pk=found.document_id)


CONTRACT_TOOLS = (
    Tool(
        name="parse_contract",
        description="A contract's metadata and clauses, with numbers, headings and places.",
        parameters=schema("documentId", documentId=_DOCUMENT),
        call=_parse_contract,
        agent_type=AgentType.CONTRACT,
    ),
    Tool(
        name="parse_nda",
        description="The same of a non-disclosure agreement, with what such an agreement says besides.",
        parameters=schema("documentId", documentId=_DOCUMENT),
        call=_parse_nda,
        agent_type=AgentType.NDA,
    ),
    Tool(
        name="load_playbook",
        description="The positions of a playbook: what is preferred, acceptable and ruled out.",
        parameters=schema("name", name=_PLAYBOOK),
        call=_load_playbook,
    ),
    Tool(
        name="analyze_clause",
        description="What a clause says of a playbook's positions: class, reason and both quotations of each.",
        parameters=schema(
            "clause",
            clause={"type": "string", "minLength": 1, "maxLength": _MAX_CLAUSE_CHARACTERS},
            playbook=_PLAYBOOK,
        ),
        call=_analyze_clause,
        seconds=SEARCH_SECONDS,
    ),
    Tool(
        name="check_nda",
        description="The checklist of a non-disclosure agreement, held against what the agreement says.",
        parameters=schema("points", points=_POINTS, playbook=_PLAYBOOK),
        call=_check_nda,
        seconds=SEARCH_SECONDS,
    ),
    Tool(
        name="render_contract_report",
        description="The report of a contract's review against a playbook. The review is made where there is none.",
        parameters=schema("documentId", documentId=_DOCUMENT, playbook=_PLAYBOOK),
        call=_render_contract_report,
        seconds=_MAX_SECONDS,
        waits_for_worker=True,
    ),
    Tool(
        name="render_nda_report",
        description="The report of a non-disclosure agreement's review: its checklist, point by point.",
        parameters=schema("documentId", documentId=_DOCUMENT, playbook=_PLAYBOOK),
        call=_render_nda_report,
        seconds=_MAX_SECONDS,
        waits_for_worker=True,
    ),
)
CONTRACT_TOOL_NAMES = frozenset(tool.name for tool in CONTRACT_TOOLS)
