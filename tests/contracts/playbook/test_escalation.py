from __future__ import annotations

from typing import Any

import pytest

from contracts.playbook.escalation import EscalationFacts, holds, parse_rule

FACTS = EscalationFacts(
    text="The Recipient accepts a Non-Compete of two years.",
    missing=frozenset({"term"}),
    figures={"red": ["2"], "score": ["15"], "notice": ["10 days", "2 months"]},
)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({"keyword": "non-compete"}, True),
        ({"keyword": "no competition"}, False),
        ({"missing": "Term"}, True),
        ({"missing": "Price"}, False),
        ({"threshold": "red >= 2"}, True),
        ({"threshold": "red > 2"}, False),
        ({"threshold": "red >= 3"}, False),
        ({"threshold": "score ≤ 15"}, True),
        ({"threshold": "score ≤ 14"}, False),
        ({"threshold": "red = 2"}, True),
        ({"threshold": "notice > 30 days"}, True),
        ({"threshold": "notice > 70 days"}, False),
        ({"threshold": "yellow > 0"}, False),
        ({"all": [{"missing": "Term"}, {"threshold": "red > 1"}]}, True),
        ({"all": [{"missing": "Term"}, {"threshold": "red > 5"}]}, False),
        ({"any": [{"missing": "Price"}, {"threshold": "red > 1"}]}, True),
        ({"any": [{"missing": "Price"}, {"all": [{"keyword": "x y z"}]}]}, False),
    ],
)
def test_jl_051_a_contract_goes_to_somebody_else_when_a_rule_holds(condition: dict[str, Any], expected: bool) -> None:
    rule = parse_rule({"to": "Counsel", **condition}, positions=["Term", "Price"], limits=["notice"])
    assert holds(rule.condition, FACTS) is expected


@pytest.mark.parametrize(
    "row",
    [
        "red",
        {"to": "Counsel"},
        {"to": "Counsel", "keyword": ""},
        {"to": "Counsel", "keyword": "x", "missing": "Term"},
        {"to": "Counsel", "any": []},
        {"to": "Counsel", "any": [{"any": [{"any": [{"any": [{"keyword": "x"}]}]}]}]},
        {"to": "Counsel", "keyword": "x" * 201},
    ],
)
def test_other_rules_are_refused(row: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_rule(row, positions=["Term"], limits=[])
