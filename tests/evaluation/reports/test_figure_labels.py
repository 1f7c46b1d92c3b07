"""What the figures of an evaluation are called for people."""

from __future__ import annotations

from evaluation.reports.console_report import format_result
from evaluation.reports.figure_labels import FIGURE_LABELS
from evaluation.scoring.summary import OPTIONAL_KEYS, REPORTED_KEYS


def test_every_figure_has_words() -> None:
    assert sorted(FIGURE_LABELS) == sorted({*REPORTED_KEYS, *OPTIONAL_KEYS})
    assert all(FIGURE_LABELS.values())


def test_a_terminal_shows_key_value_and_meaning_in_columns() -> None:
    lines = format_result({"set": "made", "page@1": 0.5, "auc": None, "p50_ms": 1234.0}).splitlines()
    assert [line.split(maxsplit=2) for line in lines] == [
        ["set", "made", "what was asked of"],
        ["page@1", "0.500", "the expected page came first"],
        ["p50_ms", "1234", "milliseconds, half of the questions"],
    ]
    assert len({line.index(FIGURE_LABELS[line.split()[0]]) for line in lines}) == 1
