from __future__ import annotations

import pytest

from contracts.playbook.parse_playbook import MAX_PLAYBOOK_CHARACTERS, parse_playbook
from contracts.playbook.playbook_sources import NDA_PLAYBOOK, shipped_keys, shipped_playbook
from contracts.playbook.playbook_types import UnfitPlaybook
from tests.linear_time import grows_linearly

PLAYBOOK = """---
name: Short
version: 2.1
scope: nda
side: recipient
escalate:
  - to: Counsel
    why: Too long.
    any:
      - keyword: non-compete
      - threshold: term > 10 years
---

# Short

## Term

How long it lasts.

- **Preferred:** The obligations last three years
  after disclosure.
- Acceptable: They last five years.
- Walk-away: They last for ever.
- Required: yes
- Severity: 3
- Likelihood: 4
- Limits: term ≤ 5 years; notice >= 30 days
"""


def test_jl_046_a_playbook_is_read_from_markdown() -> None:
    playbook = parse_playbook(PLAYBOOK)
    assert (playbook.name, playbook.version, playbook.scope, playbook.side) == ("Short", "2.1", "nda", "recipient")
    [position] = playbook.positions
    assert (position.name, position.topic, position.is_required) == ("Term", "How long it lasts.", True)
    assert (position.severity, position.likelihood) == (3, 4)
    assert [(said.kind, said.plain) for said in position.statements] == [
        ("preferred", "The obligations last three years after disclosure."),
        ("acceptable", "They last five years."),
        ("walk_away", "They last for ever."),
    ]
    assert [limit.written for limit in position.limits] == ["term ≤ 5 years", "notice >= 30 days"]
    assert [(rule.to, rule.why, rule.condition.kind) for rule in playbook.escalations] == [
        ("Counsel", "Too long.", "any")
    ]


def test_what_is_quoted_of_a_playbook_stands_in_its_text() -> None:
    for key in shipped_keys():
        playbook = shipped_playbook(key).playbook
        for position in playbook.positions:
            assert playbook.text[position.start :].startswith(f"## {position.name}")
            assert all(playbook.text[said.start : said.end] == said.text for said in position.statements)


def test_jl_047_the_nda_checklist_has_ten_points_and_is_data() -> None:
    playbook = shipped_playbook(NDA_PLAYBOOK).playbook
    assert playbook.scope == "nda"
    assert [position.name for position in playbook.positions] == [
        "Structure",
        "Definition",
        "Obligations",
        "Carve-outs",
        "Permitted disclosures",
        "Term",
        "Return",
        "Remedies",
        "Problem clauses",
        "Governing law",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Severity: 3", "Severity: 9", "Line 25, position “Term”: severity is a whole number from 1 to 5."),
        ("- Severity: 3\n", "", "Line 16, position “Term”: severity is a whole number from 1 to 5."),
        ("Required: yes", "Required: perhaps", "Line 24, position “Term”: “required” is yes or no."),
        ("term ≤ 5 years", "term is short", "“term is short” is no limit"),
        ("term ≤ 5 years", "term ≤ 5 sheep", "“5 sheep” has no unit that is known"),
        ("- Acceptable:", "- Aceptable:", "Line 22, position “Term”: “Aceptable” is no field of a position."),
        ("- **Preferred:**", "- Acceptable:", "Line 16, position “Term”: it does not say what is preferred."),
        ("scope: nda", "scope: lease", "The scope is “lease”"),
        ("keyword: non", "pattern: non", "rule 1 of “escalate”: a condition is one of"),
        ("term > 10 years", "tenor > 10 years", "“tenor > 10 years” is no threshold"),
        ("term > 10 years", "term > some", "“some” is no quantity"),
        ("to: Counsel", "two: Counsel", "a rule says “to” whom"),
        ("## Term", "### Term", "The playbook has no position"),
        ("scope: nda", "scope: *a", "Aliases"),
    ],
)
def test_what_does_not_fit_is_named_by_line_and_position(old: str, new: str, message: str) -> None:
    assert old in PLAYBOOK
    with pytest.raises(UnfitPlaybook) as caught:
        parse_playbook(PLAYBOOK.replace(old, new))
    assert message in caught.value.message
    assert (caught.value.code, caught.value.status) == ("unfit_playbook", 422)


def test_a_position_is_named_once_and_escalations_name_one() -> None:
    twice = PLAYBOOK + PLAYBOOK[PLAYBOOK.index("## Term") :]
    with pytest.raises(UnfitPlaybook, match="another position has this name"):
        parse_playbook(twice)
    with pytest.raises(UnfitPlaybook, match="there is no position “Price”"):
        parse_playbook(PLAYBOOK.replace("keyword: non-compete", "missing: Price"))


def test_a_playbook_is_bounded() -> None:
    with pytest.raises(UnfitPlaybook, match="longer than"):
        parse_playbook(PLAYBOOK + "x" * MAX_PLAYBOOK_CHARACTERS)


def test_fields_may_come_from_the_document_where_the_text_lost_them() -> None:
    body = PLAYBOOK[PLAYBOOK.index("# Short") :]
    playbook = parse_playbook(body, fields={"name": "Kept", "scope": "contract"}, title="File")
    assert (playbook.name, playbook.scope, playbook.escalations) == ("Kept", "contract", ())


@pytest.mark.parametrize("unit", ["- Preferred: x\n", "*_*_", "## A\n", "- a-a-a", "a <= a <= "])
def test_the_time_is_linear_in_the_text(unit: str) -> None:
    def read(text: str) -> None:
        with pytest.raises(UnfitPlaybook):
            parse_playbook(f"## Term\n{text}")

    assert grows_linearly(read, unit)
