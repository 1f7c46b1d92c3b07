"""How everyday questions on short documents come out, and what a refusal shows where the document does answer.

    python -m benchmarks.everyday_questions [FOLDER] [--save FILE]

FOLDER (tests/data/everyday/dev, or heldout beside it) has `documents/` and `questions.jsonl`. Answerable questions are
right where a sentence that answers is cited; of those that are refused, `shown` counts where such a sentence is among
those that the refusal shows as nearest, and `first` where it is the first of them. `--save` writes every answer as one
JSON object a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._harness import ask_set, count_high_and_wrong, count_where
from benchmarks.members import is_same_place

if TYPE_CHECKING:
    from evaluation.eval_types import PageSpan, PipelineOutcome

SETS = Path(__file__).resolve().parents[1] / "tests" / "data" / "everyday"

Asked = Mapping[str, Any]


def main() -> None:
    ask_set(__doc__, SETS / "dev", judge=judge, table=table)


def judge(asked: Asked, given: PipelineOutcome) -> dict[str, Any]:
    """`shown` is where the first sentence that answers stands among the nearest ones of a refusal; None without one."""
    is_answered = given.outcome == "answered"
    nearest = [] if is_answered else [_answers(one, asked) for one in given.nearest]
    return {
        "id": asked["id"],
        "question": asked["question"],
        "is_answerable": asked["kind"] == "answerable",
        "answered": is_answered,
        "right": is_answered and any(_answers(one, asked) for one in given.citations),
        "shown": nearest.index(True) if True in nearest else None,
        "confidence": given.confidence,
        "score": given.sufficiency_score,
        "text": given.text,
        "expected": asked["answer"],
    }


def _answers(span: PageSpan, asked: Asked) -> bool:
    return any(is_same_place(span.text, text) for text in (asked["answer"], *asked["also"]) if text)


def table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    answerable = [row for row in rows if row["is_answerable"]]
    others = [row for row in rows if not row["is_answerable"]]
    refused = [row for row in answerable if not row["answered"]]
    answered, right = count_where(answerable, "answered"), count_where(answerable, "right")
    yield f"answerable {len(answerable)}: answered {answered}, right {right}"
    shown = [row for row in refused if row["shown"] is not None]
    first = sum(row["shown"] == 0 for row in shown)
    yield f"refused of these {len(refused)}: the sentence that answers shown as near {len(shown)}, first {first}"
    high = count_high_and_wrong(rows)
    rejected = len(others) - count_where(others, "answered")
    yield f"others {len(others)}: refused {rejected}; high and wrong, of all {high}"


if __name__ == "__main__":
    main()
