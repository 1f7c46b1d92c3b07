"""What a room of several plugins comes to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from lexic_sdk import normalise
from lexic_sdk.normalise import CONFIDENCES, as_mapping, integer_field, number_field, read_each, string_field
from lexic_sdk.results import Citation, Clarification, Confidence, Conflict, Raw

Mode = Literal["debate", "consensus", "review"]


@dataclass(frozen=True, kw_only=True)
class ExpertResponse:
    """What one plugin says in one round. `outcome` may also be `failed`: it could not be asked."""

    plugin: str
    name: str
    answer: str
    citations: list[Citation]
    confidence: Confidence
    outcome: str
    is_revised: bool = False
    note: str = ""
    clarification: Clarification | None = None
    raw: Raw = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Consensus:
    """What their last words come to, put together from verified sentences. `agreement` goes from 0 to 1."""

    answer: str
    outcome: str
    confidence: Confidence
    agreement: float
    citations: list[Citation]
    conflicts: list[Conflict]
    raw: Raw = field(default_factory=dict, repr=False, compare=False)

    def __str__(self) -> str:
        return self.answer


@dataclass(frozen=True, kw_only=True)
class Collaboration:
    """`rounds` has the responses of each round. Every citation says whose it is (`plugin`)."""

    rounds: list[list[ExpertResponse]]
    consensus: Consensus
    latency_ms: int = 0
    raw: Raw = field(default_factory=dict, repr=False, compare=False)


def collaboration(value: Any) -> Collaboration:
    fields = as_mapping(value)
    return Collaboration(
        rounds=read_each(fields.get("rounds"), _responses),
        consensus=_consensus(as_mapping(fields.get("consensus"))),
        latency_ms=integer_field(fields, "latencyMs", minimum=0) or 0,
        raw=fields,
    )


def _responses(fields: Raw, *, position: int) -> list[ExpertResponse]:
    return read_each(fields.get("responses"), expert_response)


def expert_response(fields: Raw, *, position: int = 1) -> ExpertResponse:
    return ExpertResponse(
        plugin=string_field(fields, "pluginSlug"),
        name=string_field(fields, "pluginName"),
        answer=string_field(fields, "answer"),
        citations=read_each(fields.get("citations"), normalise.citation),
        confidence=CONFIDENCES.get(string_field(fields, "confidence"), "low"),
        outcome=string_field(fields, "outcome"),
        is_revised=fields.get("revised") is True,
        note=string_field(fields, "revisionNote"),
        clarification=normalise.clarification(fields.get("clarification")),
        raw=fields,
    )


def _consensus(fields: Raw) -> Consensus:
    return Consensus(
        answer=string_field(fields, "answer"),
        outcome=string_field(fields, "outcome"),
        confidence=CONFIDENCES.get(string_field(fields, "confidence"), "low"),
        agreement=number_field(fields, "agreementLevel") or 0.0,
        citations=read_each(fields.get("citations"), normalise.citation),
        conflicts=read_each(fields.get("conflicts"), normalise.conflict),
        raw=fields,
    )
