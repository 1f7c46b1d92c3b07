"""The JSON of a collaboration, in which REST, MCP and streams answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from collaboration.collaboration_types import (
    CollaborationDone,
    CollaborationEvent,
    CollaborationStatus,
    Consensus,
    Disagreement,
    Expert,
    ExpertResponded,
    ExpertsResolved,
    ExpertThinking,
    Reaction,
    Response,
    RoundCompleted,
    RoundStarted,
    Statement,
)
from querying import json_format
from querying.answering.grounding.conflict_types import ConflictKind, StatementConflict
from querying.sanitize import sanitize
from querying.types.answer import Citation
from querying.types.events import Failed

_DIFFERENCES = {
    ConflictKind.NUMBER: "the figures differ",
    ConflictKind.DUTY: "a duty for one, none for the other",
    ConflictKind.DENIAL: "one denies what the other says",
}


def collaboration_as_json(done: CollaborationDone) -> dict[str, Any]:
    return {
        "rounds": [
            {"roundNumber": one.number, "responses": [_response_as_json(response) for response in one.responses]}
            for one in done.rounds
        ],
        "consensus": _consensus_as_json(done.consensus),
        "latencyMs": done.latency_ms,
    }


def event_as_json(event: CollaborationEvent) -> dict[str, Any]:
    """One event of the stream. `type` says which."""
    match event:
        case CollaborationStatus():
            return {"type": "status", "status": event.status, "message": event.message}
        case ExpertsResolved():
            pairs = zip(event.experts, event.source_counts, strict=True)
            return {"type": "experts_resolved", "experts": [_expert_as_json(one, count) for one, count in pairs]}
        case RoundStarted():
            return {"type": "round_start", "round": event.number, "totalRounds": event.total}
        case ExpertThinking():
            return {"type": "expert_thinking", **_speaker(event.expert), "message": event.message}
        case ExpertResponded():
            said = {**_speaker(event.response.expert), **_said(event.response)}
            return {"type": "expert_response", "round": event.number, **said}
        case RoundCompleted():
            return {"type": "round_complete", "round": event.number}
        case CollaborationDone():
            return {"type": "done", **collaboration_as_json(event)}
        case Failed():
            return json_format.failed_as_json(event)


def owned_citation(citation: Citation, expert: Expert) -> dict[str, Any]:
    """A citation with the name of its expert."""
    return {**json_format.citation_as_json(citation), "plugin": expert.slug}


def _expert_as_json(expert: Expert, source_count: int) -> dict[str, Any]:
    return {
        "slug": expert.slug,
        "name": expert.name,
        "domain": expert.domain,
        "sourceCount": source_count,
        "hasDecisionTree": bool(expert.question.release.trees),
    }


def _speaker(expert: Expert) -> dict[str, Any]:
    return {"expert": expert.slug, "expertName": expert.name, "domain": expert.domain}


def _response_as_json(response: Response) -> dict[str, Any]:
    expert = response.expert
    names = {"pluginSlug": expert.slug, "pluginName": expert.name, "domain": expert.domain}
    return {**names, **_said(response), **({"revisionNote": response.note} if response.note else {})}


def _said(response: Response) -> dict[str, Any]:
    answer, release = response.answer, response.expert.question.release
    return {
        "answer": answer.text,
        "citations": [owned_citation(citation, response.expert) for citation in answer.citations],
        "confidence": answer.confidence.value,
        "revised": response.revised,
        "outcome": "failed" if response.failed else answer.outcome.value,
        "reason": answer.reason or None,
        "clarification": json_format.clarification_as_json(answer.clarification) if answer.clarification else None,
        "reactions": [_reaction_as_json(reaction) for reaction in response.reactions],
        "queryId": str(response.question_id),
        "release": str(release),
    }


def _reaction_as_json(reaction: Reaction) -> dict[str, Any]:
    return {
        "expert": reaction.statement.expert.slug,
        "statement": reaction.statement.text,
        "stance": reaction.stance.value,
        **_conflict_as_json(reaction.conflict),
        "citations": [f"src_{citation.number}" for citation in reaction.citations],
    }


def _conflict_as_json(conflict: StatementConflict | None) -> dict[str, Any]:
    return {"kind": conflict.kind.value if conflict else None, "certain": conflict.is_certain if conflict else None}


def _consensus_as_json(consensus: Consensus) -> dict[str, Any]:
    return {
        "answer": consensus.text,
        "outcome": consensus.outcome.value,
        "confidence": consensus.confidence.value,
        "agreementLevel": consensus.agreement,
        "citations": [owned_citation(one, consensus.owners[one.number]) for one in consensus.citations],
        "conflicts": conflicts_as_json(consensus.disagreements, numbers_of(consensus)),
        "expertContributions": [
            {"expert": expert.name, "plugin": expert.slug, "domain": expert.domain, "keyPoints": list(points)}
            for expert, points in consensus.key_points
        ],
    }


def numbers_of(consensus: Consensus) -> dict[tuple[str, tuple[int, int, int]], int]:
    """The number of each citation, by its expert and its place."""
    return {(consensus.owners[one.number].slug, one.span): one.number for one in consensus.citations}


def conflicts_as_json(
    found: Sequence[Disagreement], numbers: Mapping[tuple[str, tuple[int, int, int]], int]
) -> list[dict[str, Any]]:
    return [_disagreement_as_json(one, numbers) for one in found]


def _disagreement_as_json(
    found: Disagreement, numbers: Mapping[tuple[str, tuple[int, int, int]], int]
) -> dict[str, Any]:
    ended = {"resolution": found.resolution} if found.resolution else {}
    return {
        "topic": f"{_subject(found.positions[0])}: {_DIFFERENCES[found.conflict.kind]}",
        **_conflict_as_json(found.conflict),
        "positions": [_position_as_json(one, numbers) for one in found.positions],
        "resolved": bool(found.resolution),
        **ended,
    }


def _subject(position: Statement) -> str:
    """What it is about, as the nearest heading has it."""
    passage = position.citations[0].passage
    return " ".join(sanitize((passage.section_path or (passage.document_title,))[-1]).split())


def _position_as_json(position: Statement, numbers: Mapping[tuple[str, tuple[int, int, int]], int]) -> dict[str, Any]:
    slug = position.expert.slug
    cited = [numbers[slug, one.span] for one in position.citations if (slug, one.span) in numbers]
    return {
        "expert": position.expert.name,
        "plugin": slug,
        "stance": position.text,
        "citations": [f"src_{number}" for number in cited],
    }
