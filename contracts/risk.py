"""The risk of a finding: severity times likelihood, the four levels of risk, and the three classes of a finding.

`contracts.review.rule_judge` and `contracts.review.combine_verdicts` decide the class of a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

MIN_SCALE, MAX_SCALE = 1, 5


class RiskLevel(StrEnum):
    """The level of a cell of the five by five matrix."""

    GREEN = "GREEN"
    YELLOW = "YELLOW"
    ORANGE = "ORANGE"
    RED = "RED"


# A level that is named in a text.
NAMED_LEVEL = re.compile(rf"\b(?:{'|'.join(RiskLevel)})\b", re.IGNORECASE)


class Classification(StrEnum):
    """The class of a finding, and of a whole review."""

    GREEN = "GREEN"
    YELLOW = "YELLOW"
    RED = "RED"

    @property
    def rank(self) -> int:
        """0 for the best, 2 for the worst."""
        return list(Classification).index(self)


# The highest score of each level.
_BANDS = ((4, RiskLevel.GREEN), (9, RiskLevel.YELLOW), (15, RiskLevel.ORANGE), (25, RiskLevel.RED))
_CLASS_OF_LEVEL = {
    RiskLevel.GREEN: Classification.GREEN,
    RiskLevel.YELLOW: Classification.YELLOW,
    RiskLevel.ORANGE: Classification.RED,
    RiskLevel.RED: Classification.RED,
}
_ACTIONS = {
    Classification.GREEN: "Approve",
    Classification.YELLOW: "Have counsel look at the marked points",
    Classification.RED: "Do not sign before a full legal review",
}


def risk_score(severity: int, likelihood: int) -> int:
    """1 to 25. Raises `ValueError` where one of them is not 1 to 5."""
    if not (MIN_SCALE <= severity <= MAX_SCALE and MIN_SCALE <= likelihood <= MAX_SCALE):
        raise ValueError("severity and likelihood are 1 to 5")
    return severity * likelihood


def risk_level(score: int) -> RiskLevel:
    """The level of a score from 1 to 25."""
    return next(level for highest, level in _BANDS if score <= highest)


def classify_level(level: RiskLevel) -> Classification:
    """One of three classes: ORANGE counts as RED."""
    return _CLASS_OF_LEVEL[level]


def classify_deviation(severity: int, likelihood: int) -> Classification:
    """The class of a clause that goes against the playbook: that of its risk, and never GREEN."""
    return worst([classify_level(risk_level(risk_score(severity, likelihood))), Classification.YELLOW])


def worst(classes: Iterable[Classification]) -> Classification:
    """The worst of them; GREEN where there is none."""
    return max(classes, key=lambda one: one.rank, default=Classification.GREEN)


def recommended_action(classification: Classification) -> str:
    return _ACTIONS[classification]
