from __future__ import annotations

import pytest

from contracts import risk
from contracts.risk import Classification, RiskLevel
from tests.our_modules import paths


def test_jl_050_the_matrix_has_four_levels() -> None:
    scores = {severity * likelihood for severity in range(1, 6) for likelihood in range(1, 6)}
    levels = {score: risk.risk_level(score) for score in sorted(scores)}
    assert [score for score in levels if levels[score] == RiskLevel.GREEN] == [1, 2, 3, 4]
    assert [score for score in levels if levels[score] == RiskLevel.YELLOW] == [5, 6, 8, 9]
    assert [score for score in levels if levels[score] == RiskLevel.ORANGE] == [10, 12, 15]
    assert [score for score in levels if levels[score] == RiskLevel.RED] == [16, 20, 25]


def test_jl_045_orange_counts_as_red_among_three_classes() -> None:
    assert [risk.classify_level(level) for level in RiskLevel] == ["GREEN", "YELLOW", "RED", "RED"]


def test_what_goes_against_the_playbook_is_never_green() -> None:
    assert risk.classify_deviation(1, 2) == Classification.YELLOW
    assert risk.classify_deviation(5, 2) == Classification.RED


def test_a_review_is_as_bad_as_its_worst_finding() -> None:
    assert risk.worst([Classification.GREEN, Classification.RED, Classification.YELLOW]) == Classification.RED
    assert risk.worst([]) == Classification.GREEN


@pytest.mark.parametrize(("severity", "likelihood"), [(0, 1), (6, 1), (1, 0), (1, 6)])
def test_scales_go_from_one_to_five(severity: int, likelihood: int) -> None:
    with pytest.raises(ValueError, match="1 to 5"):
        risk.risk_score(severity, likelihood)


def test_jl_063_one_module_turns_risks_into_classes() -> None:
    naming = {path.name for path in paths() if '"ORANGE"' in path.read_text()}
    assert naming == {"risk.py"}
