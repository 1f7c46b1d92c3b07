from __future__ import annotations

import pytest

from contracts.review.contract_kind import is_nda

SERVICES = """# MASTER SERVICES AGREEMENT

This Agreement is made on 1 May 2026 between Aldgate Ltd and Borealis plc.

## 1. Fees

The Customer shall pay each invoice within thirty (30) days.

## 2. Confidentiality

Each party shall keep the other's confidential information secret for three years after the end of this Agreement."""


@pytest.mark.parametrize(
    ("title", "text", "is_one"),
    [
        ("Aldgate", SERVICES, False),
        ("Aldgate", SERVICES + "\n\nNotices are written." * 9 + " The Confidentiality Agreement of 2020 ends.", False),
        ("NDA of Harbour Analytics", "This Agreement is made on 3 March.", True),
        ("Aldgate", "Exhibit 3\nMUTUAL NONDISCLOSURE AGREEMENT\nThis Agreement is made.", True),
        ("Agreement on Non-Disclosure", "The parties agree.", True),
        ("Aldgate", "This Mutual Confidentiality Agreement is made on 3 March.", True),
        ("Agenda", "1. Opening", False),
    ],
)
def test_a_contract_is_an_nda_where_it_calls_itself_one(title: str, text: str, is_one: bool) -> None:
    assert is_nda(title, text) is is_one
