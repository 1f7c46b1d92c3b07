"""Compares two versions of a contract under a playbook: one finding for each position that a change touches, and one
for each change that touches none. Both versions are quoted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.clauses.clause_changes import ClauseChange
from contracts.clauses.parsed_contract import TextSpan
from contracts.models import Verdict
from contracts.playbook.playbook_types import Playbook, Position
from contracts.review.rule_judge import Judgement
from contracts.risk import Classification, worst
from querying.answering.grounding.semantic_similarity import cache_vectors, similarities

# A change belongs to the position that it is nearest to in meaning, from this cosine on.
_MIN_SIMILARITY = 0.35
_MAX_CHANGE_CHARACTERS = 600
# The risk of a change that the playbook has no position for.
OTHER_SEVERITY, OTHER_LIKELIHOOD = 2, 3
# So many changes are judged, and the others counted.
MAX_CHANGES = 300


@dataclass(frozen=True, kw_only=True)
class ChangedPosition:
    """What becomes one finding. `position` is None for a change that the playbook does not speak of."""

    number: int
    name: str
    position: Position | None
    changes: tuple[ClauseChange, ...]

    @property
    def earlier_spans(self) -> list[TextSpan]:
        return [span for change in self.changes for span in change.removed]

    @property
    def later_spans(self) -> list[TextSpan]:
        return [span for change in self.changes for span in change.added]


def changed_positions(playbook: Playbook, changes: Sequence[ClauseChange]) -> list[ChangedPosition]:
    """The findings of a comparison, in the order of the playbook, then those that it has no position for. Always the
    same for the same two versions."""
    by_number: dict[int, list[ClauseChange]] = {}
    others = []
    for change in changes:
        position = _nearest_position(playbook, change)
        if position is None:
            others.append(change)
        else:
            by_number.setdefault(position.number, []).append(change)
    found = [
        ChangedPosition(number=one.number, name=one.name, position=one, changes=tuple(by_number[one.number]))
        for one in playbook.positions
        if one.number in by_number
    ]
    first = len(playbook.positions) + 1
    return found + [
        ChangedPosition(number=number, name=change.label[:200], position=None, changes=(change,))
        for number, change in enumerate(others, start=first)
    ]


def _nearest_position(playbook: Playbook, change: ClauseChange) -> Position | None:
    text = f"{change.label}. {change.text}"[:_MAX_CHANGE_CHARACTERS]
    about = [_position_text(position) for position in playbook.positions]
    cache_vectors([text, *about])
    near, number = max((near, -number) for number, near in enumerate(similarities(text, about)))
    return playbook.positions[-number] if near >= _MIN_SIMILARITY else None


def _position_text(position: Position) -> str:
    return f"{position.name}. {position.topic} {' '.join(statement.plain for statement in position.wanted[:1])}"


def judge_change(before: Judgement, after: Judgement) -> tuple[Classification, str]:
    """The class of a change, and why. A change needs a look at least, unless it makes the position GREEN."""
    was, now = (f"{one.classification}, {one.reason[:1].lower()}{one.reason[1:]}" for one in (before, after))
    became = f"Before and now: {now}" if was == now else f"Before: {was} Now: {now}"
    if after.classification == Classification.GREEN and before.classification != Classification.GREEN:
        return Classification.GREEN, became
    return worst([after.classification, Classification.YELLOW]), became


def change_verdict(after: Judgement | None) -> Verdict:
    """What the later version says where it breaks the playbook; otherwise that it changed."""
    breaks = (Verdict.WALK_AWAY, Verdict.LIMIT_BROKEN)
    return after.verdict if after is not None and after.verdict in breaks else Verdict.CHANGED
