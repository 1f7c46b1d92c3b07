"""Sentences about passages of real documents, written before the rules that judge them: see SOURCES.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plugins.models import CitationMode
from querying.answering.citations import CitationVerifier
from querying.answering.guard import Guard
from tests.querying.passages import passage

FOLDER = Path(__file__).parent


def rows(name: str) -> list[Any]:
    """Rows that are known not to hold carry the reason and are expected to fail."""
    return [
        pytest.param(row, id=f"{row['kind']}-{row['sentence'][:60]}", marks=known_failure(row.get("fails")))
        for row in read_rows(name)
    ]


def read_rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


def known_failure(reason: str | None) -> list[pytest.MarkDecorator]:
    return [pytest.mark.xfail(reason=reason, strict=True)] if reason else []


def is_shown(row: dict[str, Any]) -> bool:
    sources = [passage(text, number=number) for number, text in enumerate(row["sources"], 1)]
    guard = Guard(CitationMode.MANDATORY)
    return bool(guard.add(CitationVerifier(sources).cite(row["sentence"])) + guard.finish())


@pytest.mark.parametrize("row", rows("fair.jsonl"))
def test_a_fair_sentence_is_shown(row: dict[str, Any]) -> None:
    assert is_shown(row)


@pytest.mark.parametrize("row", rows("wrong.jsonl"))
def test_a_wrong_sentence_is_not_shown(row: dict[str, Any]) -> None:
    assert not is_shown(row)


def test_of_sentences_that_no_rule_was_written_for_as_many_come_out_right_as_before() -> None:
    """Two lists of 120 by writers who had not seen the rules. They show how much is left to do; no rule is made for
    them."""
    rows = read_rows("unseen.jsonl")
    shown = {is_wrong: [is_shown(row) for row in rows if row["wrong"] is is_wrong] for is_wrong in (True, False)}
    assert sum(shown[True]) <= 48, f"{sum(shown[True])} of {len(shown[True])} wrong sentences are shown"
    assert sum(shown[False]) >= 32, f"{sum(shown[False])} of {len(shown[False])} fair sentences are shown"
