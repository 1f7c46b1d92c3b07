"""How questions on papers that people are given come out: a contract, a timetable, a leaflet, statutes, release notes.

    python -m benchmarks.handout_questions [FOLDER] [--save FILE]

FOLDER (tests/data/handouts/dev, or heldout beside it) is as for benchmarks.everyday_questions. A question may have a
`history`, and `and` beside its `answer`: what else must be quoted, of a list, of a second row or for a second question;
`whole` counts those of which all is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import everyday_questions
from benchmarks._harness import ask_set, count_where
from benchmarks.members import is_same_place

if TYPE_CHECKING:
    from evaluation.eval_types import PipelineOutcome

SETS = Path(__file__).resolve().parents[1] / "tests" / "data" / "handouts"


def main() -> None:
    ask_set(__doc__, SETS / "dev", judge=judge, table=table)


def judge(asked: Mapping[str, Any], given: PipelineOutcome) -> dict[str, Any]:
    row = everyday_questions.judge(asked, given)
    others = [any(is_same_place(one.text, other) for one in given.citations) for other in asked["and"]]
    return row | {
        "document": asked["document"],
        "whole": row["right"] and all(others),
        "has_more": bool(others),
        "is_follow_up": bool(asked.get("history")),
    }


def table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield from everyday_questions.table(rows)
    answerable = [row for row in rows if row["is_answerable"]]
    longer = [row for row in answerable if row["has_more"]]
    yield f"with more than one sentence to quote {len(longer)}: whole {count_where(longer, 'whole')}"
    later = [row for row in answerable if row["is_follow_up"]]
    yield f"follow-ups {len(later)}: right {count_where(later, 'right')}"


if __name__ == "__main__":
    main()
