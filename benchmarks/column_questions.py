"""Questions that name a column of a table in other words than its head: "How much does an inner tube cost?" of a price.

    python -m benchmarks.column_questions [FOLDER] [--save FILE]

FOLDER (tests/data/columns/dev, or heldout beside it) has `documents/` and `questions.jsonl`. An answer is right where
one citation holds the row's name and the cell, and the answer says the cell. `--save` writes every answer as one JSON
object a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._harness import ask_set, count_high_and_wrong, count_where

if TYPE_CHECKING:
    from evaluation.eval_types import PipelineOutcome

SETS = Path(__file__).resolve().parents[1] / "tests" / "data" / "columns"

Asked = Mapping[str, Any]


def main() -> None:
    ask_set(__doc__, SETS / "dev", judge=judge, table=table)


def judge(asked: Asked, given: PipelineOutcome) -> dict[str, Any]:
    """What came of a question, and whether that is right."""
    is_answerable, is_answered = asked["kind"] == "answerable", given.outcome == "answered"
    is_right = is_answered and is_answerable and says_cell(given, item=asked["item"], value=asked["value"])
    return {
        "id": asked["id"],
        "document": asked["document"],
        "question": asked["question"],
        "is_answerable": is_answerable,
        "answered": is_answered,
        "right": is_right if is_answerable else not is_answered,
        "confidence": given.confidence,
        "score": given.sufficiency_score,
        "text": given.text,
        "expected": asked.get("value", ""),
    }


def says_cell(given: PipelineOutcome, *, item: str, value: str) -> bool:
    """Whether the answer says the cell, and cites it beside the name of its row."""
    if _collapsed(value) not in _collapsed(given.text):
        return False
    cited = (_collapsed(one.text) for one in given.citations)
    return any(_collapsed(item) in text and _collapsed(value) in text for text in cited)


def _collapsed(text: str) -> str:
    return " ".join(text.split()).lower()


def table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    answerable = [row for row in rows if row["is_answerable"]]
    others = [row for row in rows if not row["is_answerable"]]
    answered, right = count_where(answerable, "answered"), count_where(answerable, "right")
    yield f"answerable {len(answerable)}: answered {answered}, right {right}"
    refused, high = count_where(others, "right"), count_high_and_wrong(rows)
    yield f"others {len(others)}: refused {refused}; high and wrong, of all {high}"


if __name__ == "__main__":
    main()
