"""The questions on long reports (tests/data/reports) can be asked: `manage.py evaluate tests/data/reports/dev`."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.dataset import read_dataset

REPORTS = Path(__file__).resolve().parents[1] / "data" / "reports"


@pytest.mark.parametrize("half", ["dev", "heldout"])
def test_every_question_is_answered_by_a_document_of_the_set_or_by_none(half: str) -> None:
    data = read_dataset(REPORTS / half)
    documents = {path.name for path in data.files}
    assert len(documents) == 12
    assert len({asked.id for asked in data.questions}) == len(data.questions) > 100
    for asked in data.questions:
        assert bool(asked.gold) == asked.answerable
        assert {gold.document for gold in asked.gold} <= documents
        assert all(gold.pages and gold.text for gold in asked.gold)


def test_the_halves_share_no_question() -> None:
    dev, heldout = ({asked.text for asked in read_dataset(REPORTS / half).questions} for half in ("dev", "heldout"))
    assert not dev & heldout
