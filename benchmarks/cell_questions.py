"""Questions that pick rows of tables by what their cells say ("Which courses are on Friday?"), and follow-ups.

    python -m benchmarks.cell_questions [FOLDER] [--save FILE]

FOLDER (tests/data/cells/dev, or heldout beside it) has `documents/` and `questions.jsonl`. An answer is right where it
names all rows that are asked for and no other of the table, and says what it must. `--save` writes every answer as one
JSON object a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._harness import ask_set, count_high_and_wrong, count_where

if TYPE_CHECKING:
    from evaluation.eval_types import PipelineOutcome

SETS = Path(__file__).resolve().parents[1] / "tests" / "data" / "cells"
KINDS = ("answerable", "unanswerable", "follow-up")


def main() -> None:
    ask_set(__doc__, SETS / "dev", judge=judge, table=table)


def judge(asked: Mapping[str, Any], given: PipelineOutcome) -> dict[str, Any]:
    """What came of a question, and whether that is right."""
    is_answered = given.outcome == "answered"
    wanted = [*asked["rows"], *filter(None, [asked.get("says")])]
    is_said = all(one in given.text for one in wanted) and not any(one in given.text for one in asked["others"])
    return {
        "id": asked["id"],
        "kind": asked["kind"],
        "question": asked["question"],
        "answered": is_answered,
        "right": is_answered and is_said if wanted else not is_answered,
        "confidence": given.confidence,
        "score": given.sufficiency_score,
        "text": given.text,
        "expected": asked["rows"],
    }


def table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each kind, and one for all."""
    for kind in KINDS:
        of_kind = [row for row in rows if row["kind"] == kind]
        answered, right = count_where(of_kind, "answered"), count_where(of_kind, "right")
        yield f"{kind} {len(of_kind)}: answered {answered}, right {right}"
    yield f"all {len(rows)}: right {count_where(rows, 'right')}; high and wrong {count_high_and_wrong(rows)}"


if __name__ == "__main__":
    main()
