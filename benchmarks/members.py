"""Whether evidence about one member of a class is taken for another: the pairs of tests/data/members.

    python -m benchmarks.members dev [--data ../shared/data] [--named] [--save FILE]

Both questions of a pair must come out right: `a` answered with the sentence that answers it; `b` answered from its own
sentence, or refused or asked back where the document says nothing of that member. Pairs over the developers' data sets
are asked where `--data` names them. `--save` writes every answer as one JSON object a line. `--named` prints each
refusal that names a sibling ("gives this for beams; you asked about slabs"), to be checked by hand, also those among
all questions of northwind where `--data` has it.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._harness import ask_questions
from manage import services_for_command

if TYPE_CHECKING:
    from evaluation.eval_types import PipelineOutcome

ROOT = Path(__file__).resolve().parents[1]
PAIRS = ROOT / "tests" / "data" / "members"
OWN_DOCUMENTS = (ROOT / "marketplace" / "demo_content", PAIRS / "documents" / "tables", PAIRS / "documents" / "notes")
SETS = ("northwind", "contractnli-dev", "cuad-dev")
# Two texts are the same place when they share this share of the shorter one's stems.
_SAME_PLACE = 0.6
_NOT_ANSWERED = ("refused", "clarify")

Pair = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("half", choices=("dev", "heldout"), nargs="?", default="dev")
    parser.add_argument("--data", type=Path, help="the folder of the developers' data sets")
    parser.add_argument("--named", action="store_true", help="print each refusal that names a sibling")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lexic.settings")
    import django

    django.setup()
    with services_for_command():
        pairs = read_pairs(options.half, _document_folders(options.data))
        rows = [judge_pair(pair, *outcomes) for pair, outcomes in zip(pairs, ask_pairs(pairs), strict=True)]
        others = ask_northwind(options.data) if options.named and options.data else []
    if options.save:
        options.save.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for line in table(rows):
        print(line)
    if options.named:
        print("\n".join(named_refusals(rows, others)))


def _document_folders(data: Path | None) -> list[Path]:
    return [*OWN_DOCUMENTS, *((data / name / "documents" for name in SETS) if data else ())]


def read_pairs(half: str, folders: Sequence[Path]) -> list[Pair]:
    """The pairs whose document stands in one of the folders; its place is added as `path`."""
    lines = (PAIRS / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = []
    for pair in map(json.loads, lines):
        places = [folder / pair["document"] for folder in folders if (folder / pair["document"]).is_file()]
        if places:
            pairs.append(pair | {"path": places[0]})
    return pairs


def ask_pairs(pairs: Sequence[Pair]) -> Iterator[tuple[PipelineOutcome, PipelineOutcome]]:
    """What the pipeline gives for both questions of each pair, asked of the pair's document alone."""
    rows = [
        {"id": f"{pair['id']}/{side}", "question": pair[side]["question"], "document": pair["document"]}
        for pair in pairs
        for side in "ab"
    ]
    given = list(ask_questions(rows, {pair["path"] for pair in pairs}))
    return zip(given[::2], given[1::2], strict=True)


def ask_northwind(data: Path) -> list[tuple[str, PipelineOutcome]]:
    """All questions of northwind with what the pipeline gives."""
    folder = data / "northwind"
    asked = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [{"id": one["id"], "question": one["question"]} for one in asked]
    outcomes = ask_questions(rows, (folder / "documents").iterdir())
    return [(one["question"], outcome) for one, outcome in zip(rows, outcomes, strict=True)]


def named_refusals(rows: Sequence[dict[str, Any]], others: Sequence[tuple[str, PipelineOutcome]]) -> Iterator[str]:
    """Three lines for each refusal that names a sibling: the question, what is said, and the nearest sentence."""
    named = [(row[side]["question"], row[side]["about"]) for row in rows for side in "ab" if row[side]["about"]]
    named += [(question, _about(outcome)) for question, outcome in others if outcome.about]
    for question, about in named:
        yield f"? {question}\n  gives “{about['found']}”, asked “{about['asked']}”\n  {about['sentence'][:300]}"
    yield f"{len(named)} refusals name a sibling"


def _about(outcome: PipelineOutcome) -> dict[str, str] | None:
    about = outcome.about
    if about is None:
        return None
    return {"asked": about.asked, "found": about.found, "sentence": " ".join(about.passage.content.split())}


def judge_pair(pair: Pair, a: PipelineOutcome, b: PipelineOutcome) -> dict[str, Any]:
    """Which of the two came out right. `high_and_wrong`: `b` is answered from other evidence with high confidence."""
    asked = pair["b"]
    is_a_right = _cites(a, pair["a"]["text"])
    if asked["expect"] == "own":
        is_b_right = _cites(b, asked["text"]) and asked.get("value", "") in b.text
    else:
        is_b_right = b.outcome in _NOT_ANSWERED
    is_wrong = not is_b_right and b.outcome == "answered"
    return {
        "id": pair["id"],
        "source": pair["source"],
        "expect": asked["expect"],
        "a_right": is_a_right,
        "b_right": is_b_right,
        "high_and_wrong": is_wrong and b.confidence == "high",
        "a": _as_json(pair["a"]["question"], a),
        "b": _as_json(asked["question"], b),
    }


def _as_json(question: str, given: PipelineOutcome) -> dict[str, Any]:
    return {
        "question": question,
        "outcome": given.outcome,
        "text": given.text,
        "score": given.sufficiency_score,
        "grounds": asdict(given.grounds) if given.grounds else None,
        "confidence": given.confidence,
        "about": _about(given),
    }


def _cites(given: PipelineOutcome, text: str) -> bool:
    return given.outcome == "answered" and any(is_same_place(each.text, text) for each in given.citations)


def is_same_place(one: str, other: str) -> bool:
    from language.terms import terms

    first, second = Counter(terms(one)), Counter(terms(other))
    shared = (first & second).total()
    return shared >= max(1, _SAME_PLACE * min(first.total(), second.total()))


def table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each source and one for all: pairs, both right, `a`, `b` of either kind, high and wrong."""
    yield f"{'source':12} pairs  both     a   own  refuse  high and wrong"
    for source in (*sorted({row["source"] for row in rows}), "all"):
        part = [row for row in rows if source in (row["source"], "all")]
        shares = [_share(part, "b_right", expect=expect) for expect in ("own", "refuse")]
        both = sum(row["a_right"] and row["b_right"] for row in part) / len(part)
        wrong = sum(row["high_and_wrong"] for row in part)
        yield (
            f"{source:12} {len(part):5} {both:5.2f} {_share(part, 'a_right'):5.2f} {shares[0]:5.2f} {shares[1]:7.2f}"
            f" {wrong:15}"
        )


def _share(rows: Sequence[dict[str, Any]], key: str, *, expect: str = "") -> float:
    of = [row for row in rows if not expect or row["expect"] == expect]
    return sum(row[key] for row in of) / len(of) if of else 0.0


if __name__ == "__main__":
    main()
