"""How questions for a procedure come out: whether the list of steps is quoted whole, in order, and alone.

    python -m benchmarks.procedures [FOLDER] [--save FILE]

FOLDER (tests/data/procedures/dev, or heldout beside it) has `documents/` and `questions.jsonl`. A question for a
procedure names the `items` of its list and what stands right before it; `whole` counts answers with every item in
order, `led in` those that also give the sentence right before the list, and `clean` those that say nothing else. Other
questions ask for one fact beside or inside of a list: `right` where the answer has its words, `brief` where it does not
quote the list. `--save` writes every answer as one JSON object a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._harness import ask_set, count_where
from language.letters_and_digits import letters_and_digits
from language.sentences import sentence_spans

if TYPE_CHECKING:
    from evaluation.eval_types import PipelineOutcome

SETS = Path(__file__).resolve().parents[1] / "tests" / "data" / "procedures"
_CITATION_MARK = re.compile(r" ?\[Source \d{1,6}\]")
# More words of an answer than these, beside the list and what stands before it, are superfluous.
_MAX_OTHER_WORDS = 3
_MAX_BRIEF_CHARACTERS = 450

Asked = Mapping[str, Any]


def main() -> None:
    ask_set(__doc__, SETS / "dev", judge=judge, table=table)


def judge(asked: Asked, given: PipelineOutcome) -> dict[str, Any]:
    said, steps = (
        letters_and_digits(_CITATION_MARK.sub("", given.text)),
        [letters_and_digits(item) for item in asked["items"]],
    )
    before = [letters_and_digits(asked["before"][start:end]) for start, end in sentence_spans(asked["before"])]
    is_answered = given.outcome == "answered"
    is_whole = is_answered and bool(steps) and _in_order(steps, said)
    return {
        "question": asked["question"],
        "is_procedure": bool(steps),
        "answered": is_answered,
        "whole": is_whole,
        "led_in": is_whole and (not before or said.find(before[-1]) in range(said.find(steps[0]))),
        "clean": is_whole and not _others(given.text, [*steps, *before]),
        "right": is_answered and not steps and letters_and_digits(asked["answer"]) in said,
        "brief": is_answered and len(given.text) <= _MAX_BRIEF_CHARACTERS,
        "confidence": given.confidence,
        "text": given.text,
    }


def _in_order(steps: Sequence[str], said: str) -> bool:
    at = 0
    for step in steps:
        at = said.find(step, at) + len(step)
        if at < len(step):
            return False
    return True


def _others(text: str, expected: Sequence[str]) -> bool:
    """Whether the answer says more than is expected."""
    known = "".join(expected)
    bare = _CITATION_MARK.sub("", text)
    lines = (bare[start:end] for start, end in sentence_spans(bare))
    others = [line for line in lines if letters_and_digits(line).lstrip("0123456789") not in known]
    return sum(len(line.split()) for line in others) > _MAX_OTHER_WORDS


def table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    procedures = [row for row in rows if row["is_procedure"]]
    facts = [row for row in rows if not row["is_procedure"]]
    counted = ", ".join(f"{name.replace('_', ' ')} {count_where(procedures, name)}" for name in _NAMES)
    yield f"procedures {len(procedures)}: {counted}"
    high = [row for row in procedures if row["confidence"] == "high"]
    yield f"high and not whole {len(high) - count_where(high, 'whole')} of {len(high)}"
    yield f"facts {len(facts)}: " + ", ".join(
        f"{name} {count_where(facts, name)}" for name in ("answered", "right", "brief")
    )


_NAMES = ("answered", "whole", "led_in", "clean")


if __name__ == "__main__":
    main()
