"""The opinion of a language model on a position beside that of the rules, and whether it counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.clauses.parsed_contract import TextSpan
from contracts.models import Verdict
from contracts.playbook.playbook_types import PlaybookStatement
from contracts.risk import Classification


@dataclass(frozen=True, kw_only=True)
class ModelVerdict:
    """A verdict of the model whose quotations stand: `spans` on pages of the contract, `statement` in the playbook."""

    verdict: Verdict
    statement: PlaybookStatement
    spans: tuple[TextSpan, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ModelOpinion:
    """`reading` is None where the model gave none that stands, `classification` what it comes to. `problem` says why it
    does not count, "" where it does or agrees. `is_unanswered`: the provider failed, or was not asked."""

    model: str
    rules_verdict: Verdict
    rules_classification: Classification
    reading: ModelVerdict | None = None
    verdict: Verdict | None = None
    classification: Classification | None = None
    problem: str = ""
    is_unanswered: bool = False

    def as_dict(self, *, contract: Sequence[Mapping[str, Any]], playbook: Mapping[str, Any] | None) -> dict[str, Any]:
        """The opinion as a finding keeps it, with the places of its quotations."""
        is_same = self.classification == self.rules_classification
        return {
            "model": self.model,
            "verdict": self.verdict,
            "classification": self.classification,
            "contract": list(contract),
            "playbook": [playbook] if playbook else [],
            "rulesVerdict": self.rules_verdict,
            "rulesClassification": self.rules_classification,
            "agrees": is_same,
            "counts": self.classification is not None and not is_same and not self.problem,
            "problem": self.problem,
            "isUnanswered": self.is_unanswered,
        }
