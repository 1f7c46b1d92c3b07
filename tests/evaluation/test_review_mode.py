"""`evaluate --mode review`: a checklist over contracts, judged by the code of contract reviews."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from tests.evaluation import made_set
from tests.evaluation.test_evaluate import figures, run

pytestmark = pytest.mark.django_db(transaction=True)

LINES = {
    "rent": "The tenant pays a rent of ninety crowns each month.",
    "notice": "Either party may end this lease with a notice of six weeks.",
    "deposit": "The landlord returns the security deposit with interest.",
}


def row(document: str, item: str, label: str, text: str = "") -> dict[str, Any]:
    found = {"document": document, "page": None, "text": text}
    return {
        "id": f"{document}-{item}",
        "question": LINES[item],
        "document": document,
        "hypothesis": item,
        "label": label,
        "answerable": label != "NotMentioned",
        "evidence": [found] if text else [],
    }


@pytest.fixture
def checklist(tmp_path: Path) -> Path:
    """Two leases, of which the second says nothing of a notice, and neither of a deposit."""
    folder = tmp_path / "leases"
    (folder / "documents").mkdir(parents=True)
    lease = made_set.LEASE.replace("\r\n", "\n")
    (folder / "documents" / "a.txt").write_text(lease)
    (folder / "documents" / "b.txt").write_text(lease.split("Either party")[0])
    rent, notice = "The tenant pays a rent of ninety crowns on the first day of each month.", LINES["notice"]
    rows = [
        row("a.txt", "rent", "Entailment", rent),
        row("a.txt", "notice", "Entailment", notice),
        row("a.txt", "deposit", "NotMentioned"),
        row("b.txt", "rent", "Entailment", rent),
        row("b.txt", "notice", "NotMentioned"),
        row("b.txt", "deposit", "NotMentioned"),
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def test_lines_of_a_checklist_are_judged_as_positions(checklist: Path) -> None:
    result = figures(checklist, "--mode", "review")
    assert (result["questions"], result["documents"], result["auc"]) == (6, 2, 1.0)
    assert (result["present_called_absent"], result["green_is_right"], result["span@5"]) == (0.0, 1.0, 1.0)
    assert result["three_labels"] == 1.0


def test_lines_about_a_contract_that_cannot_be_read_are_left_out(checklist: Path) -> None:
    (checklist / "documents" / "b.txt").unlink()
    (checklist / "documents" / "b.pdf").write_bytes(b"%PDF-1.7 broken")
    assert figures(checklist, "--mode", "review")["questions"] == 3


def test_decided_contracts_are_learned_from(checklist: Path) -> None:
    result = figures(checklist, "--mode", "review", "--prior", 1)
    assert 0 <= result["three_labels_with_1"] <= 1
    assert result["prior"]["reviewed"] == 1
    assert "three_labels_with_2" not in figures(checklist, "--mode", "review", "--prior", 2)


def test_what_is_asked_of_no_single_contract_is_left_out(tmp_path: Path) -> None:
    assert figures(made_set.documents_set(tmp_path / "made"), "--mode", "review")["questions"] == 2


def test_a_plugin_has_no_checklist() -> None:
    with pytest.raises(CommandError, match="lines of a checklist"):
        run("--plugin", "cover", "--mode", "review")
