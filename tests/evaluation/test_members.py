"""The pairs of tests/data/members are what their README says, and are judged as they should be."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from benchmarks.members import PAIRS, judge_pair, read_pairs, table
from evaluation.eval_types import PageSpan, PipelineOutcome

DOCUMENTS = PAIRS / "documents"


def rows(half: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (PAIRS / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()]


def collapsed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("half", ["dev", "heldout"])
def test_every_quoted_text_stands_in_its_document(half: str) -> None:
    folders = [DOCUMENTS / "tables", DOCUMENTS / "notes"]
    pairs = read_pairs(half, folders)
    assert len(pairs) > 50
    for pair in pairs:
        text = collapsed(Path(pair["path"]).read_text(encoding="utf-8"))
        quoted = [pair["a"]["text"], pair["b"]["confusable_text"], pair["b"]["text"] or ""]
        assert [one for one in quoted if collapsed(one) not in text] == [], pair["id"]


def test_the_halves_share_no_pair_and_both_kinds_are_there() -> None:
    dev, heldout = rows("dev"), rows("heldout")
    assert len(dev) + len(heldout) >= 200
    assert not {pair["a"]["text"] for pair in dev} & {pair["a"]["text"] for pair in heldout}
    for half in (dev, heldout):
        assert {pair["b"]["expect"] for pair in half} == {"own", "refuse"}


def outcome(kind: str, cited: str = "", *, confidence: str = "medium") -> PipelineOutcome:
    span = PageSpan(document=uuid.uuid4(), page_id=1, page_number=1, start=0, end=9, text=cited)
    spans = (span,) if cited else ()
    return PipelineOutcome(
        outcome=kind, citations=spans, confidence=confidence, text=cited, milliseconds=1.0, strength=None
    )


def pair_of(expect: str, text: str | None) -> dict[str, Any]:
    b = {"question": "Cover of slabs?", "expect": expect, "text": text}
    return {"id": "x", "source": "tables", "a": {"question": "Cover of beams?", "text": "Beams need 45 mm."}, "b": b}


PAIR, OWN = pair_of("refuse", None), pair_of("own", "Slabs take thirty millimetres.")
BEAMS = outcome("answered", "Beams need 45 mm.", confidence="high")


@pytest.mark.parametrize(
    ("pair", "b", "is_right", "is_high_and_wrong"),
    [
        (PAIR, outcome("refused"), True, False),
        (PAIR, outcome("clarify"), True, False),
        (PAIR, BEAMS, False, True),
        (OWN, outcome("answered", "Slabs take thirty millimetres."), True, False),
        (OWN, BEAMS, False, True),
        (OWN, outcome("refused"), False, False),
    ],
)
def test_a_pair_is_judged_by_what_is_cited(
    pair: dict[str, Any], b: PipelineOutcome, is_right: bool, is_high_and_wrong: bool
) -> None:
    judged = judge_pair(pair, BEAMS, b)
    assert judged["a_right"]
    assert (judged["b_right"], judged["high_and_wrong"]) == (is_right, is_high_and_wrong)
    assert list(table([judged]))[-1].startswith("all")
