"""Whether a number that a question gives is found in the range that a document states: "10 days" in "7 to 14 days".

    python -m benchmarks.ranges [FOLDER] [--save FILE]

FOLDER (tests/data/ranges/dev, or heldout beside it) has `documents/` and `questions.jsonl`. For questions of the kind
`inside` the sentence or row that answers must be cited, and none of another range before it; those of the kinds
`outside` (in no range of the rule) and `other` (in a range of another rule) must be refused or asked back. `--save`
writes every answer as one JSON object a line.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._harness import ask_questions, temporary_database
from benchmarks.members import is_same_place

if TYPE_CHECKING:
    from evaluation.eval_types import PipelineOutcome

SETS = Path(__file__).resolve().parents[1] / "tests" / "data" / "ranges"
KINDS = ("inside", "outside", "other")

Asked = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=SETS / "dev")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    lines = (options.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [{"id": f"{number}"} | json.loads(line) for number, line in enumerate(lines)]
    with temporary_database():
        rows = [judge(one, given) for one, given in zip(questions, ask(questions, options.folder), strict=True)]
    if options.save:
        options.save.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for line in table(rows):
        print(line)


def ask(questions: Sequence[Asked], folder: Path) -> Iterator[PipelineOutcome]:
    """What the pipeline gives for each question, asked of its document alone."""
    wanted = [{key: one[key] for key in ("id", "question", "document")} for one in questions]
    return ask_questions(wanted, (folder / "documents").iterdir())


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
