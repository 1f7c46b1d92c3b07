"""Whether a number that a question gives is found in the range that a document states: "10 days" in "7 to 14 days".

    python -m benchmarks.ranges [FOLDER] [--save FILE]

FOLDER (tests/data/ranges/dev, or heldout beside it) has `documents/` and `questions.jsonl`. For questions of the kind
`inside` the sentence or row that answers must be cited, and none of another range before it; those of the kinds
`outside` (in no range of the rule) and `other` (in a range of another rule) must be refused or asked back. `--save`
writes every answer as one JSON object a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._harness import ask_set
from benchmarks.members import is_same_place

if TYPE_CHECKING:
    from evaluation.eval_types import PipelineOutcome

SETS = Path(__file__).resolve().parents[1] / "tests" / "data" / "ranges"
KINDS = ("inside", "outside", "other")

Asked = Mapping[str, Any]


def main() -> None:
    ask_set(__doc__, SETS / "dev", judge=judge, table=table)


def judge(asked: Asked, given: PipelineOutcome) -> dict[str, Any]:
    """`cited`: the place that answers is cited. Questions without such a place are right where none is given."""
    is_answered = given.outcome == "answered"
    cited = [each.text for each in given.citations] if is_answered else []
    answers = [at for at, text in enumerate(cited) if is_same_place(text, asked["answer"])]
    others = [at for at, text in enumerate(cited) if any(is_same_place(text, each) for each in asked["wrong"])]
    is_right = bool(answers) and answers[0] <= min(others, default=answers[0])
    is_right = is_right if asked["kind"] == "inside" else not is_answered
    return {
        "id": asked["id"],
        "kind": asked["kind"],
        "question": asked["question"],
        "right": is_right,
        "cited": bool(answers),
        "answered": is_answered,
        "confidence": given.confidence,
        "score": given.sufficiency_score,
        "text": given.text,
        "expected": asked["answer"],
    }


def table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each kind: questions, answered, with the place that answers cited, right, high and wrong."""
    yield f"{'kind':8} asked  answered  cited  right  high and wrong"
    for kind in KINDS:
        of_kind = [row for row in rows if row["kind"] == kind]
        wrong = [row for row in of_kind if row["answered"] and not row["right"] and row["confidence"] == "high"]
        counts = [sum(row[key] for row in of_kind) for key in ("answered", "cited", "right")]
        yield f"{kind:8} {len(of_kind):5} {counts[0]:9} {counts[1]:6} {counts[2]:6} {len(wrong):15}"


if __name__ == "__main__":
    main()
