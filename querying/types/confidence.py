"""How sure an answer is, and what this is computed from."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Confidence(enum.StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    def step(self, steps: int) -> Confidence:
        """This many levels up (or down), never beyond the ends."""
        levels = list(Confidence)
        return levels[max(0, min(len(levels) - 1, levels.index(self) + steps))]


@dataclass(frozen=True, kw_only=True)
class ConfidenceSignals:
    """What the confidence of an answer is computed from. `score` was compared with the threshold. `lead` is how far the
    best sentence is ahead of the best one of another passage (0 or more). `agreement` counts the searches, by words and
    by meaning, that put its passage first (0 to 2). `has_signs` is whether something contradicts the question.
    `weakest` is how well the sentence matches the word of the question that it matches least. `answer_probability` is
    what the cross-encoder says of the sentence, None where it read nothing. `lag` is how much stronger the evidence is
    by another sentence, which says more of the question itself, and less in its titles (0 or more)."""

    score: float
    lead: float = 0.0
    agreement: int = 0
    has_signs: bool = False
    weakest: float = 1.0
    answer_probability: float | None = None
    lag: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ConfidenceBasis:
    """How sure the evidence makes an answer, before it is written. `probability` is the chance that it is right,
    calibrated on the plugin's golden questions; None without a calibration: then `level` follows a rule."""

    grounds: ConfidenceSignals
    level: Confidence
    probability: float | None = None

    @property
    def is_calibrated(self) -> bool:
        return self.probability is not None
